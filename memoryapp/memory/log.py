"""Entries of a person's log that aren't changes: a look at a row, a failure, and old refusals."""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from memoryapp.models import MemoryEvent, Message, User

REFUSALS_KEPT = timedelta(days=30)
Action = MemoryEvent.Action


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


def drop_old_refusals() -> int:
    """Delete what was refused longer than REFUSALS_KEPT ago; says how many entries that were."""
    refused = MemoryEvent.objects.filter(action=Action.REFUSED)
    return refused.filter(created_at__lt=timezone.now() - REFUSALS_KEPT).delete()[0]
