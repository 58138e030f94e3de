"""What can be forgotten at once: all that is known about a person, a kind of it, a chat's part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from memoryapp.memory import forgetting
from memoryapp.models import Chat, Fact, Prompt, User
from memoryapp.models.memory import RememberedQuerySet

Rows = RememberedQuerySet[Any]


@dataclass(frozen=True)
class Extent:
    """How much a scope holds, before it is forgotten."""

    newest: Sequence[Fact | Prompt]
    num_current: int
    num_versions: int


def known_about(user: User) -> list[Rows]:
    return [Fact.objects.for_user(user), Prompt.objects.for_user(user)]


def of_kind(user: User, kind: str) -> list[Rows]:
    return [Fact.objects.for_user(user).filter(kind=kind)]


def taught_by(chat: Chat) -> list[Rows]:
    """The facts and the prompts that one chat taught, in any of their versions."""
    return [rows.filter(source_message__chat=chat) for rows in known_about(chat.user)]


def extent(scope: Iterable[Rows], *, most: int) -> Extent:
    """What forgetting this scope would take: facts, then prompts, the newest of each first and
    no more than `most` in all, the rest counted."""
    querysets = list(scope)
    current = [rows.current() for rows in querysets]
    newest = [row for rows in current for row in rows.order_by("-recorded_at")[:most]]
    num_current = sum(rows.count() for rows in current)
    return Extent(newest[:most], num_current, sum(rows.count() for rows in querysets))


def forget(scope: Iterable[Rows], *, actor: str) -> forgetting.Report:
    """Forget all of it, or nothing if that fails."""
    report = forgetting.Report()
    with transaction.atomic():
        for rows in scope:
            report.add(forgetting.forget(rows=rows, actor=actor))
    return report
