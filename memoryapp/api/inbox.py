"""The inbox: what was proposed and waits for the caller's decision."""

from uuid import UUID

from django.http import Http404
from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.params import Asked
from memoryapp.memory import inbox, ledger
from memoryapp.models import Fact, Prompt, User
from memoryapp.schemas.fields import Page
from memoryapp.schemas.memory import FactOut, InboxQuery, PromptOut, ProposalOut, TurnedDown

router = Router(tags=["memory"])


def proposal(user: User, id: UUID) -> Fact | Prompt:
    row = inbox.Waiting(user).get(id)
    if row is None:
        raise Http404
    return row


@router.get("", response=Page[ProposalOut], summary="What waits for a decision")
def inbox_list(request: ApiRequest, asked: Asked[InboxQuery]) -> Page[ProposalOut]:
    waiting = inbox.Waiting(request.user, asked.source or "")
    cut = waiting[asked.offset : asked.offset + asked.limit]
    return Page[ProposalOut](
        items=[ProposalOut.model_validate(row) for row in cut], count=len(waiting)
    )


@router.post("/{proposal_id}/approve", response=FactOut | PromptOut, summary="Let it take effect")
def inbox_approve(request: ApiRequest, proposal_id: UUID) -> FactOut | PromptOut:
    """Exactly as it was shown; a current value of its key is superseded."""
    row = ledger.approve(row=proposal(request.user, proposal_id), actor=request.user.username)
    return (FactOut if isinstance(row, Fact) else PromptOut).model_validate(row)


@router.post("/{proposal_id}/reject", response=TurnedDown, summary="Turn it down for good")
def inbox_reject(request: ApiRequest, proposal_id: UUID) -> TurnedDown:
    """The same value is not proposed again."""
    ledger.turn_down(row=proposal(request.user, proposal_id), actor=request.user.username)
    return TurnedDown(turned_down=1)
