"""The inbox: what waits for its owner's decision, and what it would take the place of."""

from operator import attrgetter
from typing import Any

from django.db.models import OuterRef, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from memoryapp.models import Fact, Prompt, User
from memoryapp.models.memory import RememberedQuerySet, Status


def waiting(user: User) -> list[Any]:
    """The facts and prompts that wait, oldest first.

    `instead_of` is the value that each would supersede, "" if there is none.
    """
    facts = _with_current(Fact.objects.for_user(user), "subject", "key")
    prompts = _with_current(Prompt.objects.for_user(user), "key")
    return sorted([*facts, *prompts], key=attrgetter("recorded_at"))


def _with_current(own: RememberedQuerySet[Any], *place: str) -> RememberedQuerySet[Any]:
    """What waits among one person's rows, of which one holds at each place."""
    now = own.current().exclude(status=Status.PENDING)
    same = now.filter(**{column: OuterRef(column) for column in place}).values("value")[:1]
    return own.waiting().annotate(instead_of=Coalesce(Subquery(same), Value("", TextField())))
