"""Writes the rows of facts and prompts, each change with its log entry, while `lock` is held."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.memory.known import OLDER, said_at
from memoryapp.models import Fact, MemoryEvent, Message, Prompt, User
from memoryapp.models.memory import Status

Action = MemoryEvent.Action


def lock(user: User | None) -> None:
    """Let writers of one person's memory take turns until the transaction ends. Whoever needs rows
    of their chats and messages as well takes this first."""
    name = f"memory:{user.pk if user else 'global'}"
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def holder(row: Fact | Prompt) -> Fact | Prompt | None:
    """The other row that holds now what `row` is about, if there is one."""
    rows: Any = type(row).objects
    open_rows = rows.versions_of(row).filter(valid_to=None).exclude(pk=row.pk)
    current: Fact | Prompt | None = open_rows.exclude(status=Status.PENDING).first()
    return current


def check_place(row: Fact | Prompt, held_by: Fact | Prompt | None = None) -> None:
    """Raise ValidationError if another row than `held_by` holds what `row` is about."""
    if holder(row) not in (None, held_by):
        taken = _("There is already something under “%(key)s”. Edit that instead.")
        raise ValidationError(taken % {"key": row.key})


def copy(row: Fact | Prompt, columns: Sequence[str], **changes: Any) -> Fact | Prompt:
    """A new row, not saved yet, with those of these columns that `row` has."""
    kept = {name: getattr(row, name) for name in columns if hasattr(row, name)}
    return type(row)(**{**kept, **changes})


def keep_choices(
    current: Fact | Prompt | None, row: Fact | Prompt, chosen: Collection[str]
) -> None:
    """Let what its owner chose for `current` hold for its successor, but what is `chosen` anew:
    that it is for local models only, pinned or paused."""
    if current is None:
        return
    for name in {"is_pinned", "status"} - set(chosen):
        setattr(row, name, getattr(current, name))
    if "local_only" not in chosen:
        row.local_only |= current.local_only


def supersede(
    current: Fact | Prompt | None,
    row: Fact | Prompt,
    *,
    action: Action | None = None,
    actor: str = "",
    **logged: Any,
) -> MemoryEvent:
    """Save `row` in the place of `current`. Raises ValidationError."""
    _check(row)  # before anything is closed for it
    if current is not None:
        row.valid_from = max(row.valid_from, current.valid_from)
        _end(current, row.valid_from)
        row.replaces = current
    has_waited = not row._state.adding
    row.save()
    if not has_waited:  # else it was done when it began to wait
        _outdate_waiting(row)
    return _log(
        action or (Action.CHANGED if current else Action.ADDED),
        row,
        actor=actor or row.actor,
        before=current.value if current else "",
        after=row.value,
        **logged,
    )


def park(row: Fact | Prompt, reason: str, **logged: Any) -> MemoryEvent:
    """Keep the row for its owner to decide; until then it takes no effect.

    Raises ValidationError.
    """
    row.status, row.waits_because = Status.PENDING, reason
    _check(row)
    row.save()
    _outdate_waiting(row)
    return _log(Action.PARKED, row, after=row.value, reason=reason, **logged)


def _outdate_waiting(row: Fact | Prompt) -> None:
    """Drop what waits from imported chats in the place of `row`, and was said before it."""
    rows: Any = type(row).objects
    waiting = rows.versions_of(row).filter(status=Status.PENDING, valid_to=None)
    said = {"source_message__is_imported": True, "source_message__created_at__lt": said_at(row)}
    for older in waiting.filter(**said).exclude(pk=row.pk):
        outdate(older, actor=row.actor)


def outdate(row: Fact | Prompt, *, actor: str) -> MemoryEvent:
    """Remove a row that waited: what has been said since is known."""
    message = row.source_message
    event = _log(Action.REFUSED, row, actor=actor, after=row.value, message=message, reason=OLDER)
    row.delete()
    return event


def drop(row: Fact | Prompt, *, actor: str) -> None:
    """Remove a row that waited and never took effect."""
    _log(Action.TURNED_DOWN, row, actor=actor, before=row.value, message=row.source_message)
    row.delete()


def amend(row: Fact | Prompt, changes: Mapping[str, Any], *, actor: str) -> None:
    """Change columns without a new version of the row. Raises ValidationError."""
    before = ", ".join(f"{name}: {getattr(row, name)}" for name in changes)
    after = ", ".join(f"{name}: {changed}" for name, changed in changes.items())
    for name, changed in changes.items():
        setattr(row, name, changed)
    check_place(row)
    _check(row)
    row.save(update_fields=list(changes))
    _log(Action.EDITED, row, actor=actor, before=before, after=after)


def close(row: Fact | Prompt, *, actor: str, **logged: Any) -> MemoryEvent:
    """Let the row hold no longer than until the message that ended it, or until now."""
    message = logged.get("message")
    _end(row, message.created_at if message else timezone.now())
    return _log(Action.CLOSED, row, actor=actor, before=row.value, **logged)


def _end(row: Fact | Prompt, moment: datetime) -> None:
    row.valid_to = max(moment, row.valid_from)
    row.save(update_fields=["valid_to"])


def _check(row: Fact | Prompt) -> None:
    """Raise ValidationError with a sentence unless the row may be stored as it is."""
    for name in ("key", "value"):
        if "\0" in getattr(row, name):
            raise ValidationError({name: _("A NUL character can't be stored. Remove it.")})
    row.clean_fields(exclude=["user", "source_message", "replaces"])


def _log(action: Action, row: Fact | Prompt, *, actor: str, **logged: Any) -> MemoryEvent:
    return MemoryEvent.objects.create(
        user=row.user,
        action=action,
        table=row.table,
        row_id=row.pk,
        subject=getattr(row, "subject", ""),
        key=row.key,
        actor=actor,
        **logged,
    )


def note_use(reply: Message) -> None:
    """Count on each fact that a finished reply was told it. Noting a reply twice counts once."""
    ids = [memory["id"] for memory in reply.receipt.get("memories", [])]
    unused_since = Q(last_used_at=None) | Q(last_used_at__lt=reply.created_at)
    Fact.objects.for_user(reply.user).filter(unused_since, pk__in=ids).update(
        use_count=F("use_count") + 1, last_used_at=reply.created_at
    )
