"""Goes back to what was: a closed version, before one change, before all that a message taught."""

import contextlib
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryapp.memory.ledger import rows
from memoryapp.memory.ledger.edits import CHANGED_IN_PLACE, retract
from memoryapp.memory.operations import same_value
from memoryapp.models import Fact, MemoryEvent, Message, Prompt
from memoryapp.models.memory import LEARNED_ACTIONS, TABLES, Status

KEPT = (
    "user", "key", "value", "config", "source_message", "quote", "quote_start", "origin", "actor",
    "model", *CHANGED_IN_PLACE,
)  # fmt: skip
UNDONE = gettext_noop("Undone.")
Action = MemoryEvent.Action


def restore(*, row: Fact | Prompt, actor: str) -> Fact | Prompt:
    """Make a closed version current again, as a new row that keeps where it came from."""
    with transaction.atomic():
        rows.lock(row.user)
        row = type(row).objects.get(pk=row.pk)
        if row.valid_to is None:
            return row
        new = rows.copy(row, KEPT, status=Status.ACTIVE)
        current = rows.holder(new)
        if current is not None and same_value(current.value, new.value):
            return current
        rows.keep_choices(current, new, chosen={"status", "is_pinned"})
        rows.supersede(current, new, action=Action.RESTORED, actor=actor)
    return new


def undo(*, event: MemoryEvent, actor: str) -> None:
    """Take one change back: what it added is closed, what it closed is current again.

    Raises ValidationError when there is nothing left to take back.
    """
    with transaction.atomic():
        rows.lock(event.user)
        row = TABLES[event.table].objects.filter(pk=event.row_id).first()
        if row is None:
            raise ValidationError(_("This can't be undone: it was forgotten."))
        is_closing = event.action == Action.CLOSED
        before: Any = row if is_closing else row.replaces
        is_closed_since = row.valid_to is not None and not is_closing
        if is_closed_since or (before and rows.holder(before) not in (None, row)):
            raise ValidationError(_("This can't be undone: it was changed again meanwhile."))
        if before is None or before.place != row.place:  # it is new, or had another name
            retract(row=row, actor=actor, reason=UNDONE)
        if before is not None:
            restore(row=before, actor=actor)


def take_back(*, message: Message, actor: str) -> None:
    """Undo all that this message taught and that still holds, and drop what waits of it."""
    for event in message.memory_events.filter(action__in=LEARNED_ACTIONS):
        with contextlib.suppress(ValidationError):
            undo(event=event, actor=actor)
    for table in TABLES.values():
        taught: Any = table.objects.for_user(message.user).waiting()
        for row in taught.filter(source_message=message):
            rows.drop(row, actor=actor)
