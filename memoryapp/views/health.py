"""Whether this process lives, and whether everything that it needs is there; without a key."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from memoryapp.doctor import ready

ANSWER_SECONDS = 4  # whoever asks gives up after five (memoryapp/probe.py)
SILENT = f"it didn't answer within {ANSWER_SECONDS} s"
# One thread and one connection: however often it is asked for, a database that hangs holds no more.
looking = ThreadPoolExecutor(1, thread_name_prefix="ready")


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. No more is asked: a slow database must not restart the web server."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
async def readyz(request: HttpRequest) -> HttpResponse:
    """Each part with "ok" or what is wrong with it; 503 unless all are ok."""
    parts = {"database": SILENT}
    with suppress(TimeoutError):
        async with asyncio.timeout(ANSWER_SECONDS):
            await asyncio.get_running_loop().run_in_executor(looking, _look, parts)
    is_ready = set(parts.values()) == {"ok"}
    return JsonResponse(parts, status=200 if is_ready else 503)


def _look(parts: dict[str, str]) -> None:
    """Note of each part how it is, and that it is silent until then."""
    try:
        for part, check in ready.PARTS.items():
            parts[part] = SILENT
            parts[part] = _ask(check)
            if parts["database"] != "ok":
                return
    finally:
        connection.close()


def _ask(check: Callable[[], str]) -> str:
    try:
        return check() or "ok"
    except ready.FAILURES as error:
        return str(error).strip() or type(error).__name__
