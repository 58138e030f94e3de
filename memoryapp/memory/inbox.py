"""The inbox: what waits for its owner's decision, and what it would take the place of."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import OuterRef, Q, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from memoryapp.models import Fact, Prompt, User
from memoryapp.models.memory import Origin, RememberedQuerySet, Status

Table = type[Fact] | type[Prompt]
# Of all rows of a person with the same values in these columns, one holds.
PLACES: dict[Table, tuple[str, ...]] = {Fact: ("subject", "key"), Prompt: ("key",)}
# Where it comes from: anywhere, what was imported, or what is said here.
IMPORTED = Q(origin=Origin.IMPORT)
SOURCES = {"": Q(), "import": IMPORTED, "chats": ~IMPORTED}


class Waiting:
    """The facts and prompts of a person that wait, from one of SOURCES, oldest first, read as they
    are asked for.

    Each row has `instead_of`: the value that it would supersede, "" if there is none.
    """

    def __init__(self, user: User, source: str = "") -> None:
        self._user = user
        self.ids: list[UUID] = [
            id
            for _, id in sorted(
                found
                for table in PLACES
                for found in waiting(table, user, source).values_list("recorded_at", "pk")
            )
        ]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, stretch: slice) -> list[Fact | Prompt]:
        return self._read(self.ids[stretch])

    def among(self, ids: Collection[UUID]) -> list[Fact | Prompt]:
        """Those of the rows with these ids that wait still."""
        return self._read([id for id in self.ids if id in ids])

    def _read(self, ids: Sequence[UUID]) -> list[Fact | Prompt]:
        rows = {row.pk: row for table in PLACES for row in self._rows(table).filter(pk__in=ids)}
        for row in rows.values():
            row.user = self._user
        return [rows[id] for id in ids if id in rows]  # some may be decided by now

    def get(self, id: UUID) -> Fact | Prompt | None:
        at = self.ids.index(id) if id in self.ids else len(self)
        return next(iter(self[at : at + 1]), None)

    def _rows(self, table: Table) -> RememberedQuerySet[Any]:
        own: RememberedQuerySet[Any] = table.objects.for_user(self._user)
        held = held_at_place(self._user, table).values("value")[:1]
        instead_of = Coalesce(Subquery(held), Value("", TextField()))
        return own.waiting().with_source().annotate(instead_of=instead_of)


def waiting(table: Table, user: User, source: str) -> RememberedQuerySet[Any]:
    own: RememberedQuerySet[Any] = table.objects.for_user(user)
    return own.waiting().filter(SOURCES[source])


def decide(
    user: User, ids: Collection[UUID], decision: Callable[..., object], *, actor: str
) -> int:
    """Decide about those of these rows that wait still, oldest first, in one transaction.

    `decision` is the ledger's `approve` or `turn_down`. Returns about how many it was.
    """
    num_decided = 0
    with transaction.atomic():
        for row in Waiting(user).among(ids):
            with suppress(ValidationError):  # decided elsewhere in this very moment
                decision(row=row, actor=actor)
                num_decided += 1
    return num_decided


def held_at_place(user: User, table: Table) -> RememberedQuerySet[Any]:
    """What holds at the place of the row that a query is about, for a part of that query."""
    now: RememberedQuerySet[Any] = table.objects.for_user(user).current()
    place = {column: OuterRef(column) for column in PLACES[table]}
    return now.exclude(status=Status.PENDING).filter(**place)
