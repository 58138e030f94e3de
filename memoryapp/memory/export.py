"""All that is kept of a person, to take away: as plain values, or as a text to read."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, QuerySet
from django.utils import timezone

from memoryapp.models import (
    ApiKey,
    Chat,
    Fact,
    MemoryEvent,
    MemoryMark,
    Message,
    Prompt,
    Resource,
    Usage,
    User,
)
from memoryapp.models.fields import Searchable
from memoryapp.models.memory import Status

# What the database alone needs; a key's digest is a secret.
INNER = {field.name for field in Searchable._meta.local_fields} | {"tsv", "operation", "digest"}
PROFILE = (
    "username", "first_name", "last_name", "email", "date_joined", "timezone", "language",
    "memory_on", "review", "local_models_only", "notify_learned",
)  # fmt: skip
MESSAGES_AT_ONCE = 500  # some megabytes, with their receipts
NONE_SAID: tuple[Any, Iterable[Message]] = (None, ())
Data = dict[str, Any]


def memory_of(user: User) -> Data:
    """What is known about a person: facts and prompts in all versions, and the log."""
    return {
        "facts": _rows(Fact.objects.for_user(user).order_by("key", "valid_from")),
        "prompts": _rows(Prompt.objects.for_user(user).order_by("key", "valid_from")),
        "log": _rows(MemoryEvent.objects.for_user(user).order_by("created_at", "id")),
    }


def everything_of(user: User) -> Data:
    """All of one person's data, the oldest first: nothing of it is anybody else's.

    The chats come one after the other and only once: those of a year, all at once, would take
    half a gigabyte.
    """
    return {
        "exported_at": timezone.now(),
        "person": {name: getattr(user, name) for name in PROFILE},
        **memory_of(user),
        "chats": _chats(user),
        "marks": _rows(MemoryMark.objects.for_user(user).order_by("created_at")),
        "resources": _rows(Resource.objects.owned_by(user).order_by("created_at")),
        "keys": _rows(ApiKey.objects.for_user(user).order_by("created_at")),
        "usage": _rows(Usage.objects.for_user(user).order_by("created_at")),
    }


def _chats(user: User) -> Iterator[Data]:
    chats = Chat.objects.for_user(user).order_by("created_at", "id")
    messages = Message.objects.for_user(user).order_by(
        "chat__created_at", "chat_id", "created_at", "id"
    )
    said = groupby(messages.iterator(MESSAGES_AT_ONCE), key=attrgetter("chat_id"))
    chat_id, its_messages = next(said, NONE_SAID)
    for chat in chats:
        rows: list[Data] = []
        if chat_id == chat.pk:
            rows = [_values(message) for message in its_messages]
            chat_id, its_messages = next(said, NONE_SAID)
        yield {**_values(chat), "messages": rows}


def _rows(rows: QuerySet[Any]) -> list[Data]:
    return [_values(row) for row in rows]


def _values(row: Model) -> Data:
    fields = [field for field in row._meta.concrete_fields if field.name not in INNER]
    return {field.name: field.value_from_object(row) for field in fields if field.name != "user"}


def as_json(data: Data) -> Iterator[str]:
    """The same as JSON, in pieces."""
    before = "{"
    for name, value in data.items():
        yield f"{before}{_json(name)}: "
        before = ", "
        if isinstance(value, Iterator):
            yield "["
            for number, row in enumerate(value):
                yield (", " if number else "") + _json(row)
            yield "]"
        else:
            yield _json(value)
    yield "}"


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def as_markdown(data: Data, zone: tzinfo) -> str:
    """The same as a text, with its times in `zone`: what holds now, how to answer, what no longer
    holds, then the chats and the resources where there are any. What waits is left out."""
    facts, prompts = (
        [row for row in data[name] if row["status"] != Status.PENDING]
        for name in ("facts", "prompts")
    )
    parts = [
        "# What I know about you",
        *_list(f"{_line(row)}{_due(row, zone)}" for row in facts if not _ended_at(row)),
        "# How I should answer",
        *_list(_line(row) for row in prompts if not _ended_at(row)),
        "# No longer so",
        *_list(
            f"{_line(row)} (until {end.astimezone(zone):%Y-%m-%d})"
            for row in facts + prompts
            if (end := _ended_at(row))
        ),
    ]
    for chat in data.get("chats", []):
        said = (_said(message, zone) for message in chat["messages"])
        parts += [f"# {chat['title']}", *said]
    for resource in data.get("resources", []):
        parts += filter(None, (f"# {resource['name']}", resource["url"], resource["body"]))
    return "\n\n".join(parts) + "\n"


def _ended_at(row: Data) -> datetime | None:
    """When what no longer holds was changed, taken back or expired."""
    expires_at = row["expires_at"]
    has_expired = expires_at is not None and expires_at <= timezone.now()
    end: datetime | None = row["valid_to"] or (expires_at if has_expired else None)
    return end


def _due(row: Data, zone: tzinfo) -> str:
    due_at = row["due_at"]
    return f" (due {due_at.astimezone(zone):%Y-%m-%d %H:%M})" if due_at else ""


def _line(row: Data) -> str:
    about = f"{row['subject']}, " if row.get("subject") else ""
    return f"**{about}{row['key'].replace('_', ' ')}:** {row['value']}"


def _list(lines: Iterable[str]) -> list[str]:
    return ["\n".join("- " + line.replace("\n", "\n  ") for line in lines) or "Nothing."]


def _said(message: Data, zone: tzinfo) -> str:
    said_at = message["created_at"].astimezone(zone)
    return f"**{message['role']}, {said_at:%Y-%m-%d %H:%M}**\n\n{message['body']}"
