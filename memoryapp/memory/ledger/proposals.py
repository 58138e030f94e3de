"""What an extractor or a program proposes: written, refused, or kept until its owner decides."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryapp.memory import forgotten, indexing, known, log, review
from memoryapp.memory.ledger import rows
from memoryapp.memory.operations import Operation, quote_start
from memoryapp.models import Fact, MemoryEvent, Message, Prompt, User
from memoryapp.models.memory import TABLES, Origin, Status

EXTRACTOR = "extractor"
KNOWN = gettext_noop("It is known already.")


def apply(
    *, user: User, operations: Sequence[Operation], messages: Sequence[Message], model: str
) -> list[MemoryEvent]:
    """Write what an extractor learned from `messages`; returns what was logged, refusals included.

    An operation counts only with a quote from one of these messages that the user typed; of
    several with these words the latest. One that repeats what is known changes nothing, and what
    was said before leaves what was said later alone. Applying the same operations again changes
    nothing either. What imported messages teach waits for its owner, and only the latest of it.
    """
    with transaction.atomic():
        rows.lock(user)
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
    entry: dict[str, Any] = {
        "message": message,
        "quote": operation.quote,
        "operation": digest,
        "actor": EXTRACTOR,
    }
    replies = [m for m in messages if m.role == Message.Role.ASSISTANT]
    heard = [m.body for m in replies if source is not None and m.chat_id == source.chat_id]
    verdict = review.judge(user, operation, source, heard)
    if source is None or verdict.outcome == review.Outcome.REFUSE:
        return log.note_refusal(user, operation, verdict.reason, **entry)
    current = known.current(user, operation, source)
    if reason := known.objection(operation, current, source):
        return log.note_refusal(user, operation, reason, **entry)
    if operation.action == "retract":
        return _retract(current, **entry) if current else None
    if known.is_known(user, operation):
        return None
    row = _proposed_row(
        user,
        operation,
        source,
        actor=EXTRACTOR,
        model=model,
        origin=Origin.IMPORT if source.is_imported else review.origin(operation, source),
    )
    row.key = current.key if current else operation.key
    indexing.index_new(row)
    try:
        if verdict.outcome == review.Outcome.WAIT:
            return rows.park(row, verdict.reason, **entry)
        rows.keep_choices(current, row, chosen=())
        return rows.supersede(current, row, **entry)
    except ValidationError as error:
        return log.note_refusal(user, operation, " ".join(error.messages), **entry)


def _retract(row: Fact | Prompt, *, actor: str, **entry: Any) -> MemoryEvent:
    if row.status == Status.PENDING:
        return rows.outdate(row, actor=actor)
    return rows.close(row, actor=actor, **entry)


def _digest(operation: Operation) -> str:
    return hashlib.sha256(repr(operation).encode()).hexdigest()


def _proposed_row(
    user: User, operation: Operation, source: Message | None, **columns: Any
) -> Fact | Prompt:
    row = TABLES[operation.table](
        user=user,
        key=operation.key,
        value=operation.value,
        source_message=source,
        quote=operation.quote,
        quote_start=quote_start(source.body, operation.quote) if source else None,
        valid_from=operation.valid_from or (source.created_at if source else timezone.now()),
        expires_at=operation.expires_at,
        config=user.search_config,
        **{"local_only": user.local_models_only, **columns},
    )
    if isinstance(row, Fact):
        row.kind, row.subject, row.due_at = operation.kind, operation.subject, operation.due_at
    return row


def propose(
    *, user: User, operation: Operation, source: Message | None = None, **columns: Any
) -> str:
    """Keep what a file says of a person until they decide; "" if it waits, or why it doesn't.

    `source` is the message that taught it, if that is here. Raises ValidationError.
    """
    with transaction.atomic():
        rows.lock(user)
        if known.is_known(user, operation):
            return KNOWN
        verdict = review.judge_import(user, operation)
        if verdict.outcome == review.Outcome.REFUSE:
            return verdict.reason
        columns |= {"actor": user.username, "origin": Origin.IMPORT}
        row = _proposed_row(user, operation, source, **columns)
        indexing.index_new(row)
        rows.park(row, verdict.reason, actor=user.username)
    return ""


@dataclass(frozen=True)
class Told:
    """What became of what a program told."""

    row: Fact | Prompt | None  # None: it was known already
    reason: str = ""  # why it waits, or wasn't written


def tell(*, user: User, operation: Operation, actor: str) -> Told:
    """Write what the model behind a program says of a person, or keep it until they decide.

    Raises ValidationError with the reason if it is refused, which is logged then.
    """
    with transaction.atomic():
        rows.lock(user)
        verdict = review.judge_told(user, operation)
        if verdict.outcome != review.Outcome.REFUSE:
            return _write_told(user, operation, verdict, actor)
        log.note_refusal(user, operation, verdict.reason, quote="", actor=actor)
    raise ValidationError(_(verdict.reason))


def _write_told(user: User, operation: Operation, verdict: review.Verdict, actor: str) -> Told:
    row = _proposed_row(user, operation, None, actor=actor, origin=Origin.API)
    if known.is_known(user, replace(operation, quote=row.text)):
        return Told(None, KNOWN)
    indexing.index_new(row)
    if verdict.outcome == review.Outcome.WAIT:
        rows.park(row, verdict.reason, actor=actor)
    else:
        current = rows.holder(row)
        rows.keep_choices(current, row, chosen=())
        rows.supersede(current, row, actor=actor)
    return Told(row, verdict.reason)


def approve(*, row: Fact | Prompt, actor: str) -> Fact | Prompt:
    """Let what waits take effect, exactly as it was shown. Raises ValidationError if it waits no
    longer."""
    with transaction.atomic():
        row = _waiting(row)
        row.status, row.waits_because = Status.ACTIVE, ""
        forgotten.welcome_back(row)
        action, current = MemoryEvent.Action.APPROVED, rows.holder(row)
        rows.keep_choices(current, row, chosen={"status"})
        rows.supersede(current, row, action=action, actor=actor)
    return row


def turn_down(*, row: Fact | Prompt, actor: str) -> None:
    """Drop what waits and never propose it again. Raises ValidationError if it waits no longer."""
    with transaction.atomic():
        row = _waiting(row)
        forgotten.note(row, was_turned_down=True)
        rows.drop(row, actor=actor)


def _waiting(row: Fact | Prompt) -> Fact | Prompt:
    rows.lock(row.user)
    still = type(row).objects.filter(pk=row.pk, status=Status.PENDING, valid_to=None)
    waiting: Fact | Prompt | None = still.select_related("user").first()
    if waiting is None:
        raise ValidationError(_("This was decided already. Load the page again and look."))
    return waiting
