"""System checks: mistakes of configuration that would only show much later."""

import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

TAG = "memoryapp"  # for commands that only need these checks, which take no time
WORKER_COMMANDS = {"worker", "qcluster"}


@register(TAG)
def check_pool(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """django-q2 forks its workers, and forked connections of one pool read each other's answers."""
    has_pool = "pool" in settings.DATABASES["default"].get("OPTIONS", {})
    if not has_pool or not WORKER_COMMANDS & set(sys.argv[1:2]):
        return []
    return [
        Error(
            "The worker can't share a pool of database connections.",
            hint="Unset DATABASE_POOL: the web process switches it on for itself.",
            id="memoryapp.E001",
        )
    ]


@register(TAG)
def check_site_url(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    site = urlsplit(settings.SITE_URL)
    if site.scheme in ("http", "https") and site.hostname:
        return []
    return [
        Error(
            f"SITE_URL is {settings.SITE_URL!r}, so no form could be sent.",
            hint="Set it to what stands in the browser, such as https://chat.example.org.",
            id="memoryapp.E002",
        )
    ]


@register(TAG)
def check_summary(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    keep, trigger = settings.SUMMARY_KEEP_MESSAGES, settings.SUMMARY_TRIGGER_MESSAGES
    if 0 < keep < trigger:
        return []
    return [
        Error(
            f"SUMMARY_KEEP_MESSAGES is {keep} and SUMMARY_TRIGGER_MESSAGES {trigger}.",
            hint="Keep at least 1 message, and fewer than trigger a summary.",
            id="memoryapp.E003",
        )
    ]
