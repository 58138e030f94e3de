"""Marks: whether what was recalled for a reply was of use."""

from uuid import UUID

from django.http import Http404
from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.messages import found_reply
from memoryapp.memory import marks
from memoryapp.schemas.marks import MarkOut, NewMark

router = Router(tags=["memory"])


@router.post("/messages/{message_id}/marks", response=MarkOut, summary="Mark a recalled memory")
def message_mark(request: ApiRequest, message_id: UUID, data: NewMark) -> MarkOut:
    """Say whether a memory on a reply's receipt was of use, or a near miss would have been; the
    last mark of it counts. `manage.py calibrate` finds the floor of recall from marks."""
    reply = found_reply(request.user, message_id)
    kept = marks.mark(reply=reply, memory_id=data.memory_id, is_useful=data.is_useful)
    if kept is None:
        raise Http404
    return MarkOut.model_validate(kept)
