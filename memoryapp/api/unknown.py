"""Addresses that don't exist, told in JSON like every other error. Mounted last."""

from django.http import Http404, HttpRequest
from ninja import Router

router = Router()


@router.api_operation(
    ["GET", "POST", "PUT", "PATCH", "DELETE"], "/{path:rest}", auth=None, include_in_schema=False
)
def unknown(request: HttpRequest, rest: str) -> None:
    raise Http404
