"""System checks: mistakes of configuration that would only show much later."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from config.settings import env

TAG = "memoryapp"  # for commands that only need these checks, which take no time
WORKER_COMMANDS = {"worker", "qcluster"}
# What others read: the libraries of providers, and Docker compose.
READ_ELSEWHERE = {
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "POSTGRES_PASSWORD",
}
LIKENESS = 0.8  # OPENAI_KEY and OPENAI_API_KEY are 0.83 alike, GROQ_API_KEY and its nearest 0.77
SETTING = re.compile(r"(export )?\w+=|\s*(#|$)")


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


@register(TAG)
def check_settings_file(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> Iterable[CheckMessage]:
    """What is wrong with a file of settings makes it count for nothing, without a word."""
    path = settings.BASE_DIR / ".env"
    try:
        lines = path.read_text().splitlines() if path.exists() else []
    except OSError as error:
        return [
            Error(
                f"{path} can't be read ({error.strerror}), so none of it counts.",
                hint="Let the account that this runs as read it.",
                id="memoryapp.E004",
            )
        ]
    return [
        Warning(
            f"Line {number} of {path} counts for nothing.",
            hint="Write it as NAME=value, without spaces around the =.",
            id="memoryapp.W005",
        )
        for number, line in enumerate(lines, 1)
        if not SETTING.match(line)
    ]


@register(TAG)
def check_names(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> Iterator[CheckMessage]:
    """A name of a setting that is misspelt would be passed over without a word."""
    known = known_names()
    for name in sorted(os.environ.keys() - known):
        # AZURE_OPENAI_API_KEY is no slip of the pen.
        is_other = any(name.endswith(f"_{each}") for each in known)
        if not is_other and (near := get_close_matches(name.upper(), known, 2, LIKENESS)):
            yield Warning(
                f"{name} isn't a setting, so it counts for nothing.",
                hint=f"Did you mean {' or '.join(near)}?",
                id="memoryapp.W006",
            )


def known_names() -> set[str]:
    return env.asked_for | READ_ELSEWHERE


@register(TAG)
def check_debug(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if not settings.DEBUG or urlsplit(settings.SITE_URL).hostname in settings.LOOPBACK:
        return []
    return [
        Warning(
            f"DEBUG is on at {settings.SITE_URL}: whoever meets an error there sees the source.",
            hint="Leave DEBUG out wherever others can come.",
            id="memoryapp.W007",
        )
    ]
