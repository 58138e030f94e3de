"""The models that a program may name: memoryapp, with memory or as a temporary chat."""

from typing import Any

from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError

router = Router()

MEMORYAPP, TEMPORARY = "memoryapp", "memoryapp-temporary"
NAMES = (MEMORYAPP, TEMPORARY)
CREATED = 1_795_996_800  # 2026-11-30, when these names came to be


def check(name: str) -> None:
    """Raise a 404 unless there is a model of this name."""
    if name not in NAMES:
        raise ApiError(
            404,
            "model_not_found",
            f"There is no model {name[:100]!r} here, only {' and '.join(NAMES)}.",
        )


def shown(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "memoryapp"}


@router.get("/models")
def model_list(request: ApiRequest) -> dict[str, Any]:
    return {"object": "list", "data": [shown(name) for name in NAMES]}


@router.get("/models/{name}")
def model_detail(request: ApiRequest, name: str) -> dict[str, Any]:
    check(name)
    return shown(name)
