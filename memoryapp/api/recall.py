"""Recall: what of the caller's memory fits a question."""

from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.params import Asked
from memoryapp.memory import recall
from memoryapp.schemas.memory import RecalledOut, RecallQuery

router = Router(tags=["memory"])


@router.get("", response=list[RecalledOut], summary="Search memory")
def recall_search(request: ApiRequest, asked: Asked[RecallQuery]) -> list[RecalledOut]:
    """Best first, by meaning and by words. `kind=turn` searches what was said."""
    found = recall.search(
        request.user,
        asked.q,
        limit=asked.limit,
        kind=asked.kind or "",
        min_score=asked.min_score,
    )
    return [RecalledOut.model_validate(memory) for memory in found]
