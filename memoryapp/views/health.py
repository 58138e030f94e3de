"""Whether this process lives, and whether everything that it needs is there; without a key."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connection
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memoryapp import database, heartbeat, queue
from memoryapp.memory import embeddings

QUEUE_AGE_MAX = timedelta(minutes=5)
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
        for check in (_database, _migrations, _worker, _queue, _embedder):
            part = check.__name__.strip("_")
            parts[part] = SILENT
            parts[part] = _ask(check)
            if parts["database"] != "ok":
                return
    finally:
        connection.close()


def _ask(check: Callable[[], str]) -> str:
    try:
        return check() or "ok"
    except (Error, ImproperlyConfigured, embeddings.EmbeddingUnavailable) as error:
        return str(error).strip() or type(error).__name__


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    return ""


def _migrations() -> str:
    missing = database.num_missing_migrations()
    return f"{missing} migrations are missing: run `manage.py migrate`" if missing else ""


def _worker() -> str:
    return "" if heartbeat.num_workers() else "no worker is alive: start `manage.py worker`"


def _queue() -> str:
    now = timezone.now()
    oldest = queue.tasks().aggregate(oldest=Min("lock"))["oldest"]
    if oldest is None or now - oldest <= QUEUE_AGE_MAX:
        return ""
    return f"a task has waited for {(now - oldest).total_seconds():.0f} s"


def _embedder() -> str:
    # A hosted model would be paid for each time that somebody asks.
    if embeddings.model_name() == embeddings.MINILM:
        embeddings.embed_query("ready")
    return ""
