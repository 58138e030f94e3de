"""What messages taught, and what has become of it since."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from memoryapp.memory.forgotten import GONE
from memoryapp.memory.inbox import PLACES
from memoryapp.models import Fact, MemoryEvent, User
from memoryapp.models.memory import MemoryEventQuerySet

Action = MemoryEvent.Action
Standing = Literal["holds", "changed", "undone", "forgotten"]


@dataclass(frozen=True)
class Learned:
    """One thing that a message taught, and whether it still holds."""

    event: MemoryEvent
    kind: str
    standing: Standing

    @property
    def is_forgotten(self) -> bool:
        return self.standing == "forgotten"

    @property
    def holds(self) -> bool:
        return self.standing == "holds"

    @property
    def is_ending(self) -> bool:
        """Whether it taught no value, but that one holds no longer."""
        return self.event.action == Action.CLOSED

    @property
    def is_taken_back(self) -> bool:
        return self.standing in ("undone", "forgotten")


def learned_from(user: User, events: MemoryEventQuerySet) -> list[Learned]:
    """These events, oldest first, each with whether what it did still holds."""
    found = list(events.order_by("created_at", "id"))
    ids = [event.row_id for event in found if event.row_id]
    keys = {event.key for event in found}
    kinds: dict[UUID | None, str] = dict(
        Fact.objects.for_user(user).filter(pk__in=ids).values_list("pk", "kind")
    )
    current: dict[tuple[Any, ...], str] = {}
    later: dict[UUID, str] = {}
    for table, place in PLACES.items():
        rows: Any = table.objects.for_user(user)
        for row in rows.filter(valid_to=None, key__in=keys).only("value", *place):
            current |= dict.fromkeys([(row.table, row.pk), (row.table, *row.place)], row.value)
        later |= dict(rows.filter(replaces__in=ids).values_list("replaces_id", "value"))
    return [
        Learned(
            event=event,
            kind="persona" if event.table == "prompt" else kinds.get(event.row_id, "fact"),
            standing=standing(event, current, later),
        )
        for event in found
    ]


def standing(
    event: MemoryEvent, current: Mapping[tuple[Any, ...], str], later: Mapping[UUID, str]
) -> Standing:
    """What became of a change, by the values that the rows and the keys of subjects have that are
    `current`, and by row the value that came `later`."""
    if event.key == GONE:
        return "forgotten"
    if event.action == Action.CLOSED:
        now = current.get((event.table, event.subject, event.key))
        return "holds" if now is None else "undone" if now == event.before else "changed"
    if (event.table, event.row_id) in current:
        return "holds"
    successor = later.get(event.row_id) if event.row_id else None
    # Undoing a change brings back the value before it.
    return "undone" if successor in (None, event.before) else "changed"
