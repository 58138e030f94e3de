"""Forgetting that holds: the text is gone wherever it was kept, and doesn't come back."""

import hashlib
import hmac
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from memoryapp.memory.operations import normalised
from memoryapp.models import Fact, Forgotten, MemoryEvent, Message, Prompt, User

GONE = "[forgotten]"
# Shorter values ("yes", "42") say little by themselves, so their hash includes the key.
TELLING_CHARS = 4


def digest(user: User, key: str, value: str) -> str:
    """A keyed hash of a value: tells whether it is the same, never what it was."""
    value = normalised(value).strip(" .!")
    text = value if len(value) >= TELLING_CHARS else f"{key}={value}"
    return hmac.new(
        settings.SECRET_KEY.encode(), f"{user.pk}:{text}".encode(), hashlib.sha256
    ).hexdigest()


def is_forgotten(user: User, key: str, value: str) -> bool:
    return Forgotten.objects.filter(user=user, digest=digest(user, key, value)).exists()


def forget(*, rows: QuerySet[Fact] | QuerySet[Prompt], actor: str) -> int:
    """Remove these rows with every version of their keys; returns how many keys were forgotten.

    Their text leaves the versions, the log and the receipts; the messages that taught them are
    no longer recalled; a later extraction of the same value is refused.
    """
    with transaction.atomic():
        keys = {(row.user_id, getattr(row, "subject", ""), row.key): row for row in rows}
        for row in keys.values():
            _forget_key(row, actor)
    return len(keys)


def _forget_key(row: Fact | Prompt, actor: str) -> None:
    about = {"subject": row.subject} if isinstance(row, Fact) else {}
    versions = list(type(row).objects.filter(user=row.user, key=row.key, **about))
    table = row._meta.model_name or ""
    _scrub_log(row.user, table, [version.pk for version in versions], row.key)
    if row.user is not None:
        for version in versions:
            Forgotten.objects.get_or_create(
                user=row.user,
                digest=digest(row.user, version.key, version.value),
                defaults={"key": version.key},
            )
        taught = {v.source_message_id for v in versions if v.source_message_id}
        Message.objects.for_user(row.user).filter(pk__in=taught).update(is_recallable=False)
        _scrub_receipts(row.user, {str(v.pk) for v in versions} | {str(pk) for pk in taught})
    type(row).objects.filter(pk__in=[version.pk for version in versions]).delete()
    MemoryEvent.objects.create(
        user=row.user, action=MemoryEvent.Action.FORGOTTEN, table=table, key=GONE, actor=actor
    )


def _scrub_log(user: User | None, table: str, row_ids: list[Any], key: str) -> None:
    events = MemoryEvent.objects.filter(user=user, table=table).filter(
        Q(row_id__in=row_ids) | Q(row_id=None, key=key)
    )
    events.update(key=GONE, before=GONE, after=GONE, quote=GONE)


def _scrub_receipts(user: User, ids: set[str]) -> None:
    """Take the text of these memories, and of the turns that taught them, out of receipts."""
    holds = Q()
    for id in ids:
        for part in ("memories", "near_misses", "turns", "prompts"):
            holds |= Q(**{f"receipt__{part}__contains": [{"id": id}]})
    for message in Message.objects.for_user(user).filter(holds):
        for part in ("memories", "near_misses", "turns", "prompts"):
            for entry in message.receipt.get(part, []):
                if entry["id"] in ids:
                    entry["text"] = GONE
        Message.objects.filter(pk=message.pk).update(receipt=message.receipt)
