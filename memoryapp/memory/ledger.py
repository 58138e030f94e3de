"""The only code that writes facts, prompts and the log of their changes."""

import contextlib
import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryapp.memory import forgetting, indexing, known, review
from memoryapp.memory.known import TABLES as TABLES
from memoryapp.memory.operations import Operation, quote_start, same_value, storable
from memoryapp.models import Fact, MemoryEvent, Message, Prompt, User
from memoryapp.models.memory import (
    KEY_MAX_CHARS,
    LEARNED_ACTIONS,
    SUBJECT_MAX_CHARS,
    VALUE_MAX_CHARS,
    Status,
)
from memoryapp.visible import visible

CHANGED_IN_PLACE = ("kind", "subject", "due_at", "expires_at", "is_pinned", "local_only", "status")
LEARNED = (
    "user", "key", "value", "config", "source_message", "quote", "quote_start", "origin", "actor",
    "model",
)  # fmt: skip
EXTRACTOR = "extractor"
UNDONE = gettext_noop("Undone.")
Action = MemoryEvent.Action


def lock(user: User | None) -> None:
    """Let writers of one person's memory take turns until the transaction ends."""
    name = f"memory:{user.pk if user else 'global'}"
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def apply(
    *, user: User, operations: Sequence[Operation], messages: Sequence[Message], model: str
) -> list[MemoryEvent]:
    """Write what an extractor learned from `messages`; returns what was logged, refusals included.

    An operation counts only with a quote from one of these messages that the user typed; of
    several with these words the latest. One that repeats what is known changes nothing, and what
    was said before leaves what was said later alone. Applying the same operations again changes
    nothing either.
    """
    with transaction.atomic():
        lock(user)
        events = [_apply(user, operation, messages, model) for operation in operations]
    return [event for event in events if event is not None]


def _apply(
    user: User, operation: Operation, messages: Sequence[Message], model: str
) -> MemoryEvent | None:
    said = [message for message in messages if message.role == Message.Role.USER]
    source = next(
        (m for m in reversed(said) if quote_start(m.body, operation.quote) is not None), None
    )
    message, digest = source or (said[-1] if said else None), _digest(operation)
    if message is not None and message.memory_events.filter(operation=digest).exists():
        return None
    proposal: dict[str, Any] = {
        "message": message,
        "quote": operation.quote,
        "operation": digest,
    }
    heard = [m.body for m in messages if m.role == Message.Role.ASSISTANT]
    verdict = review.judge(user, operation, source, heard)
    if source is None or verdict.outcome == review.Outcome.REFUSE:
        return _refuse(user, operation, verdict.reason, proposal)
    current = known.current(user, operation)
    if reason := known.objection(operation, current, source):
        return _refuse(user, operation, reason, proposal)
    if operation.action == "retract":
        return _close(current, actor=EXTRACTOR, **proposal) if current else None
    if known.is_known(user, operation):
        return None
    row = _proposed_row(user, operation, source, model)
    row.key = current.key if current else operation.key
    indexing.index_new(row)
    try:
        if verdict.outcome == review.Outcome.WAIT:
            return _park(row, verdict.reason, proposal)
        return _supersede(current, row, **proposal)
    except ValidationError as error:
        return _refuse(user, operation, " ".join(error.messages), proposal)


def _digest(operation: Operation) -> str:
    return hashlib.sha256(repr(operation).encode()).hexdigest()


def _proposed_row(user: User, operation: Operation, source: Message, model: str) -> Fact | Prompt:
    row = TABLES[operation.table](
        user=user,
        value=operation.value,
        source_message=source,
        quote=operation.quote,
        quote_start=quote_start(source.body, operation.quote),
        origin=review.origin(operation, source),
        actor=EXTRACTOR,
        model=model,
        valid_from=operation.valid_from or source.created_at,
        expires_at=operation.expires_at,
        local_only=user.local_models_only,
        config=user.search_config,
    )
    if isinstance(row, Fact):
        row.kind, row.subject, row.due_at = operation.kind, operation.subject, operation.due_at
    return row


def _park(row: Fact | Prompt, reason: str, proposal: dict[str, Any]) -> MemoryEvent:
    """Keep the row for its owner to decide; until then it takes no effect."""
    row.status, row.waits_because = Status.PENDING, reason
    _check(row)
    row.save()
    return _log(Action.PARKED, row, actor=EXTRACTOR, after=row.value, reason=reason, **proposal)


def _refuse(user: User, operation: Operation, reason: str, proposal: dict[str, Any]) -> MemoryEvent:
    """Log the refusal; of what holds a secret, or was forgotten, only that there was one."""
    is_untold = review.holds_secret(operation) or forgetting.met_before(user, operation)
    kept = "" if is_untold else storable(operation.value[:VALUE_MAX_CHARS])
    return MemoryEvent.objects.create(
        user=user,
        action=Action.REFUSED,
        table=operation.table,
        subject="" if is_untold else storable(operation.subject[:SUBJECT_MAX_CHARS]),
        key=forgetting.GONE if is_untold else storable(operation.key[:KEY_MAX_CHARS]),
        after=kept,
        reason=reason,
        actor=EXTRACTOR,
        **{**proposal, "quote": storable(operation.quote[:VALUE_MAX_CHARS]) if kept else ""},
    )


def approve(*, row: Fact | Prompt, actor: str) -> Fact | Prompt:
    """Let what waits take effect, exactly as it was shown. Raises ValidationError if it waits no
    longer."""
    with transaction.atomic():
        row = _waiting(row)
        row.status, row.waits_because = Status.ACTIVE, ""
        forgetting.welcome_back(row)
        _supersede(_same_key(row), row, action=Action.APPROVED, actor=actor)
    return row


def turn_down(*, row: Fact | Prompt, actor: str) -> None:
    """Drop what waits and never propose it again. Raises ValidationError if it waits no longer."""
    with transaction.atomic():
        row = _waiting(row)
        forgetting.note(row, was_turned_down=True)
        _log(Action.TURNED_DOWN, row, actor=actor, before=row.value, message=row.source_message)
        row.delete()


def _waiting(row: Fact | Prompt) -> Fact | Prompt:
    lock(row.user)
    waiting = type(row).objects.filter(pk=row.pk, status=Status.PENDING, valid_to=None).first()
    if waiting is None:
        raise ValidationError(_("This was decided already. Load the page again and look."))
    return waiting


def remember(
    *,
    user: User | None,
    table: str,
    key: str,
    value: str,
    actor: str,
    origin: str,
    **fields: Any,
) -> Fact | Prompt:
    """Store what a person, an administrator or a program states; the current value if it is new.

    A different current value of the key is superseded. `fields` are further columns of the row
    (`kind`, `subject`, `due_at`, `expires_at`, `is_pinned`, `local_only`, `status`). Without a
    user it is a prompt of the global persona. Raises ValidationError.
    """
    with transaction.atomic():
        lock(user)
        key, value = visible(key), visible(value)
        row = TABLES[table](user=user, key=key, value=value, actor=actor, origin=origin, **fields)
        if user is not None:
            row.config = user.search_config
            row.local_only = fields.get("local_only", user.local_models_only)
        current = _same_key(row)
        if current is not None and same_value(current.value, row.value):
            return edit(row=current, actor=actor, origin=origin, **fields)
        _supersede(current, row)
    return row


def _same_key(row: Fact | Prompt) -> Fact | Prompt | None:
    rows: Any = type(row).objects
    open_rows = rows.versions_of(row).filter(valid_to=None).exclude(pk=row.pk)
    current: Fact | Prompt | None = open_rows.exclude(status=Status.PENDING).first()
    return current


def edit(*, row: Fact | Prompt, actor: str, origin: str = "user", **changes: Any) -> Fact | Prompt:
    """Change a current row. A new value or key supersedes it, the rest changes in place.

    Returns the row that is current afterwards. Raises ValidationError, also when the row has
    been superseded meanwhile.
    """
    with transaction.atomic():
        lock(row.user)
        row = type(row).objects.get(pk=row.pk)
        if row.status == Status.PENDING:
            raise ValidationError(
                _("This waits for your decision. Approve it or turn it down first.")
            )
        if row.valid_to is not None:
            now = _same_key(row)
            raise ValidationError(
                _("This was changed meanwhile: it now says “%(value)s”. Look at that first.")
                % {"value": now.value}
                if now
                else _("This was taken back meanwhile. Load the page again and look.")
            )
        changes = {name: new for name, new in changes.items() if getattr(row, name) != new}
        if not changes:
            return row
        if "value" in changes or "key" in changes:
            return _edit_into_new_row(row, actor, origin, changes)
        return _edit_in_place(row, actor, changes)


def _edit_into_new_row(
    row: Fact | Prompt, actor: str, origin: str, changes: dict[str, Any]
) -> Fact | Prompt:
    kept = _columns(row, ("user", "key", "value", "config", *CHANGED_IN_PLACE))
    new = type(row)(**{**kept, **changes, "origin": origin, "actor": actor})
    new.key, new.value = visible(new.key), visible(new.value)
    if _same_key(new) not in (None, row):
        raise _key_taken(new)
    _supersede(row, new)
    return new


def _key_taken(row: Fact | Prompt) -> ValidationError:
    taken = _("There is already something under “%(key)s”. Edit that instead.")
    return ValidationError(taken % {"key": row.key})


def _edit_in_place(row: Fact | Prompt, actor: str, changes: dict[str, Any]) -> Fact | Prompt:
    before = ", ".join(f"{name}: {getattr(row, name)}" for name in changes)
    for name, changed in changes.items():
        setattr(row, name, changed)
    if row.status != Status.PENDING and _same_key(row):
        raise _key_taken(row)
    _check(row)
    row.save(update_fields=list(changes))
    _log(
        Action.EDITED,
        row,
        actor=actor,
        before=before,
        after=", ".join(f"{name}: {changed}" for name, changed in changes.items()),
    )
    return row


def _columns(row: Fact | Prompt, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names if hasattr(row, name)}


def retract(*, row: Fact | Prompt, actor: str, reason: str = "") -> None:
    """Close a current row without a successor; it stays in the history."""
    with transaction.atomic():
        lock(row.user)
        row = type(row).objects.get(pk=row.pk)
        if row.valid_to is None:
            _close(row, actor=actor, reason=reason)


def restore(*, row: Fact | Prompt, actor: str) -> Fact | Prompt:
    """Make a closed version current again, as a new row that keeps where it came from."""
    with transaction.atomic():
        lock(row.user)
        row = type(row).objects.get(pk=row.pk)
        if row.valid_to is None:
            return row
        new = type(row)(**_columns(row, (*LEARNED, *CHANGED_IN_PLACE)))
        new.status = Status.ACTIVE
        current = _same_key(new)
        if current is not None and same_value(current.value, new.value):
            return current
        _supersede(current, new, action=Action.RESTORED, actor=actor)
    return new


def note_use(reply: Message) -> None:
    """Count on each fact that a finished reply was told it. Noting a reply twice counts once."""
    ids = [memory["id"] for memory in reply.receipt.get("memories", [])]
    unused_since = Q(last_used_at=None) | Q(last_used_at__lt=reply.created_at)
    Fact.objects.for_user(reply.user).filter(unused_since, pk__in=ids).update(
        use_count=F("use_count") + 1, last_used_at=reply.created_at
    )


def undo(*, event: MemoryEvent, actor: str) -> None:
    """Take one change back: what it added is closed, what it closed is current again.

    Raises ValidationError when there is nothing left to take back.
    """
    with transaction.atomic():
        lock(event.user)
        row = TABLES[event.table].objects.filter(pk=event.row_id).first()
        if row is None:
            raise ValidationError(_("This can't be undone: it was forgotten."))
        is_closing = event.action == Action.CLOSED
        is_changed = _same_key(row) is not None if is_closing else row.valid_to is not None
        if is_changed:
            raise ValidationError(_("This can't be undone: it was changed again meanwhile."))
        if is_closing:
            restore(row=row, actor=actor)
        elif row.replaces_id is not None:
            restore(row=type(row).objects.get(pk=row.replaces_id), actor=actor)
        else:
            retract(row=row, actor=actor, reason=UNDONE)


def take_back(*, message: Message, actor: str) -> None:
    """Undo all that this message taught and that still holds."""
    for event in message.memory_events.filter(action__in=LEARNED_ACTIONS):
        with contextlib.suppress(ValidationError):
            undo(event=event, actor=actor)


def _supersede(
    current: Fact | Prompt | None,
    row: Fact | Prompt,
    *,
    action: Action | None = None,
    actor: str = "",
    **logged: Any,
) -> MemoryEvent:
    """Save `row` in the place of `current` and log it."""
    _check(row)  # before anything is closed for it
    if current is not None:
        row.valid_from = max(row.valid_from, current.valid_from)
        _end(current, row.valid_from)
        row.replaces = current
    row.save()
    return _log(
        action or (Action.CHANGED if current else Action.ADDED),
        row,
        actor=actor or row.actor,
        before=current.value if current else "",
        after=row.value,
        **logged,
    )


def _close(row: Fact | Prompt, *, actor: str, **logged: Any) -> MemoryEvent:
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
