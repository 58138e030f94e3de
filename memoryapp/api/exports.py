"""Export: all of the caller's data, to take away."""

from typing import Any

from django.http import HttpResponse
from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.params import Asked
from memoryapp.memory import export
from memoryapp.schemas.people import ExportQuery

router = Router(tags=["me"])


@router.get("", response=dict[str, Any], summary="All your data")
def everything(request: ApiRequest, asked: Asked[ExportQuery]) -> HttpResponse:
    """Facts and prompts in all versions, the log, chats with all branches, resources and usage."""
    data = export.everything_of(request.user)
    if asked.format == "markdown":
        markdown = export.as_markdown(data, request.user.zone)
        return HttpResponse(markdown, content_type="text/markdown; charset=utf-8")
    return HttpResponse(export.as_json(data), content_type="application/json")
