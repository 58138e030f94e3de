"""That an administrator looked at something of a person, in the log this person sees."""

from uuid import UUID

from django.utils import timezone

from memoryapp.models import MemoryEvent, User


def note(*, owner: User, table: str, row_id: UUID, key: str, actor: str) -> None:
    """Log that `actor` opened this row of `owner`, once per row and day of the owner's zone."""
    now = timezone.now().astimezone(owner.zone)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    reads = MemoryEvent.objects.for_user(owner).filter(action=MemoryEvent.Action.READ)
    if not reads.filter(row_id=row_id, actor=actor, created_at__gte=midnight).exists():
        reads.create(
            user=owner,
            action=MemoryEvent.Action.READ,
            table=table,
            row_id=row_id,
            key=key,
            actor=actor,
        )
