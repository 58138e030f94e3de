"""`/metrics`: numbers for Prometheus, for this machine or with a token."""

import asyncio
import ipaddress
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from memoryapp import metrics as numbers
from memoryapp.patience import AWAY

NOT_FOR_ALL = (
    "These numbers are for this machine. From another one, send the METRICS_TOKEN of the settings"
    " as a bearer token.\n"
)
ANSWER_SECONDS = 8  # Prometheus gives up after ten
SILENT = f"The database didn't answer within {ANSWER_SECONDS} s.\n"
# As for readiness (memoryapp/views/health.py), which is not to wait for what takes longer.
counting = ThreadPoolExecutor(1, thread_name_prefix="metrics")
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP")


@require_safe
async def metrics(request: HttpRequest) -> HttpResponse:
    """The numbers; 401 for whoever may not have them, and 503 while the database is away."""
    if not is_from_here(request) and not has_token(request):
        refused = {"WWW-Authenticate": "Bearer"}
        return plain(NOT_FOR_ALL, status=401, headers=refused)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            text = await asyncio.get_running_loop().run_in_executor(counting, told)
    except TimeoutError:
        return plain(SILENT, status=503)
    except AWAY as error:
        return plain(f"The database is away: {error}\n", status=503)
    return HttpResponse(text, content_type=numbers.CONTENT_TYPE)


def told() -> str:
    try:
        return numbers.text()
    finally:
        connection.close()


def is_from_here(request: HttpRequest) -> bool:
    """Whether a program on this machine asks. What a proxy here passes on comes from elsewhere."""
    host, _ = split_domain_port(request.get_host())
    if host not in settings.LOOPBACK or any(name in request.headers for name in FORWARDED):
        return False
    return ipaddress.ip_address(request.META.get("REMOTE_ADDR") or "::").is_loopback


def has_token(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "")
    wanted = f"Bearer {settings.METRICS_TOKEN}"
    return bool(settings.METRICS_TOKEN) and constant_time_compare(given, wanted)


def plain(text: str, **options: Any) -> HttpResponse:
    return HttpResponse(text, content_type="text/plain; charset=utf-8", **options)
