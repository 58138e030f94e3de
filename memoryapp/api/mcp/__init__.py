"""The address for programs that speak the Model Context Protocol, at /mcp."""

import asyncio
from collections.abc import Awaitable, Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI

from memoryapp.api import errors
from memoryapp.api.auth import AnyKey, KeyRequest
from memoryapp.api.errors import ApiError
from memoryapp.models import ApiKey

# A key and nothing else: no page calls it, and what it can do the protocol itself tells.
api = NinjaAPI(
    title="memoryapp for models of other programs",
    version="1",
    urls_namespace="mcp",
    auth=AnyKey(),
    docs_url=None,
    openapi_url=None,
)
errors.install(api)


@api.post("")
async def exchange(request: KeyRequest) -> HttpResponse:
    """Take one message of the protocol and answer it: there are no sessions and no streams."""
    refuse_foreign_pages(request)
    answer = await asyncio.to_thread(load)
    return await answer(request, request.auth)


def refuse_foreign_pages(request: HttpRequest) -> None:
    """Raise a 403 for a page of another site, as the protocol demands of servers."""
    own = [f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS]
    if request.headers.get("Origin", own[0]) not in own:
        told = "Pages of other sites may not call this. Call it from a program."
        raise ApiError(403, "foreign_page", told)


def load() -> Callable[[HttpRequest, ApiKey], Awaitable[HttpResponse]]:
    """The protocol: most servers never speak it, and it takes 0.4 s and 24 MiB."""
    from memoryapp.api.mcp.protocol import answer

    return answer
