"""A person's log: what of it is shown, entries that aren't changes, what can be undone, and how
long refusals stay."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memoryapp.memory import forgotten, review
from memoryapp.memory.operations import Operation, storable
from memoryapp.models import MemoryEvent, Message, User
from memoryapp.models.memory import (
    KEY_MAX_CHARS,
    SUBJECT_MAX_CHARS,
    TABLES,
    UNDOABLE_ACTIONS,
    VALUE_MAX_CHARS,
    MemoryEventQuerySet,
    Status,
)

REFUSALS_KEPT = timedelta(days=30)
UNSHOWN = ("embedding", "tsv", "replaces__embedding", "replaces__tsv")
Action = MemoryEvent.Action


def entries(user: User, *, of_imports: bool) -> MemoryEventQuerySet:
    """What imported chats proposed, and none of which has taken effect; or all else. Two thousand
    such chats propose so much that nothing else would be found among it."""
    logged = MemoryEvent.objects.for_user(user)
    proposed = Q(action__in=(Action.PARKED, Action.REFUSED), message__is_imported=True)
    if of_imports:
        return logged.filter(proposed)
    return logged.exclude(proposed) if has_imported(user) else logged


def has_imported(user: User) -> bool:
    return bool(Message.objects.for_user(user).filter(is_imported=True).exists())


def note_read(*, owner: User, table: str, row_id: UUID, key: str, actor: str) -> None:
    """Log that `actor` opened this row of `owner`, once per row and day of the owner's zone."""
    now = timezone.now().astimezone(owner.zone)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    reads = MemoryEvent.objects.for_user(owner).filter(action=Action.READ)
    if not reads.filter(row_id=row_id, actor=actor, created_at__gte=midnight).exists():
        reads.create(
            user=owner, action=Action.READ, table=table, row_id=row_id, key=key, actor=actor
        )


def note_failure(*, message: Message, actor: str, reason: str) -> None:
    """Log that nothing could be learned from a message, once however often it is tried."""
    MemoryEvent.objects.update_or_create(
        user=message.user,
        message=message,
        action=Action.FAILED,
        defaults={"actor": actor, "reason": reason},
    )


def failures(user: User) -> MemoryEventQuerySet:
    """Why something couldn't be learned yet from messages that were imported."""
    failed = MemoryEvent.objects.for_user(user).filter(action=Action.FAILED)
    return failed.filter(message__is_imported=True, message__is_extracted=False)


def note_refusal(
    user: User, proposed: Operation, reason: str, *, quote: str, **entry: Any
) -> MemoryEvent:
    """Log a refusal; of what holds a secret, or was forgotten, only that there was one."""
    is_untold = review.holds_secret(proposed) or forgotten.met_before(user, proposed)
    after = "" if is_untold else storable(proposed.value[:VALUE_MAX_CHARS])
    return MemoryEvent.objects.create(
        user=user,
        action=Action.REFUSED,
        table=proposed.table,
        subject="" if is_untold else storable(proposed.subject[:SUBJECT_MAX_CHARS]),
        key=forgotten.GONE if is_untold else storable(proposed.key[:KEY_MAX_CHARS]),
        after=after,
        quote=storable(quote[:VALUE_MAX_CHARS]) if after else "",
        reason=reason,
        **entry,
    )


def drop_old_refusals() -> int:
    """Delete what was refused longer than REFUSALS_KEPT ago; says how many entries that were."""
    refused = MemoryEvent.objects.filter(action=Action.REFUSED)
    return refused.filter(created_at__lt=timezone.now() - REFUSALS_KEPT).delete()[0]


def undoable(user: User, events: Iterable[MemoryEvent]) -> set[int]:
    """The ids of those entries whose change still stands, as the ledger's `undo` sees it: what it
    wrote holds, and nothing has come in the place of what it closed."""
    changes = [event for event in events if event.action in UNDOABLE_ACTIONS]
    ids = {event.row_id for event in changes}
    standing: set[tuple[bool, UUID]] = set()
    for table in TABLES.values():
        rows: Any = table.objects.for_user(user).exclude(status=Status.PENDING)
        changed = rows.filter(pk__in=ids).select_related("replaces")
        # By each row what holds again if its change is undone, if anything does.
        back = {row: row if row.valid_to else row.replaces for row in changed.defer(*UNSHOWN)}
        keys = {before.key for before in back.values() if before}
        held = {row.place: row for row in rows.filter(valid_to=None, key__in=keys)}
        standing |= {
            (row.valid_to is not None, row.pk)
            for row, before in back.items()
            if before is None or held.get(before.place) in (None, row)
        }
    return {
        event.pk
        for event in changes
        if event.row_id and (event.action == Action.CLOSED, event.row_id) in standing
    }
