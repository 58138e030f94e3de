"""What a file holds, in one shape whichever program wrote it."""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from memoryapp.memory.operations import storable
from memoryapp.visible import visible

# Programs count seconds, milliseconds, microseconds or nanoseconds; as seconds, what is more than
# this would be the year 5138.
MOST_SECONDS = 1e11
FIRST_YEAR, LAST_YEAR = 1970, 9998  # what is further away can't be told in each zone


@dataclass(frozen=True)
class MessageRecord:
    """One message. Without a role it isn't taken in, and what follows it follows the one before."""

    id: str
    parent: str | None
    role: str
    body: str
    said_at: datetime | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)  # further ones of its row


@dataclass(frozen=True)
class ChatRecord:
    """One chat with all of its branches, each message after the one that it follows."""

    source: str  # the program it comes from
    id: str
    title: str
    began_at: datetime | None
    messages: list[MessageRecord]
    end: str | None  # the last message of the branch that was shown
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def branch(self) -> list[str]:
        """The ids of the messages on the branch that was shown, the last one first."""
        parents = {message.id: message.parent for message in self.messages}
        path: list[str] = []
        at = self.end if self.end in parents else None
        while at is not None:
            path.append(at)
            at = parents.get(at)
        return path


def message(
    id: Any, parent: Any, role: str, body: str, said_at: Any = None, **columns: Any
) -> MessageRecord:
    """A record of what a file says; one without text has no role."""
    body = visible(storable(body))
    before = str(parent) if parent else None
    return MessageRecord(str(id), before, role if body else "", body, moment(said_at), columns)


def chat(
    source: str,
    id: Any,
    title: Any,
    began_at: Any,
    messages: Sequence[MessageRecord],
    end: Any = None,
    **columns: Any,
) -> ChatRecord:
    """A record with its messages arranged; the branch that is shown goes on to `end`, or to the
    last message that there is."""
    arranged, now_in = _joined(_taken_in(_parents_first(messages)))
    parents = {each.id: each.parent for each in messages}
    ends = [str(end), *(each.id for each in messages[-1:]), *(each.id for each in arranged[-1:])]
    shown = next((near for at in ends if (near := _nearest(parents, at, now_in))), None)
    name = visible(storable(title)) if isinstance(title, str) else ""
    shown = now_in[shown] if shown else None
    return ChatRecord(source, str(id), name, moment(began_at), arranged, shown, columns)


def moment(value: Any) -> datetime | None:
    """A time as programs write it: ISO 8601, or a number since 1970. None if it is none."""
    at = None
    try:
        if isinstance(value, str):
            at = parse_datetime(value.strip())
        elif isinstance(value, (int, float)) and math.isfinite(value):
            while value > MOST_SECONDS:
                value /= 1000
            at = datetime.fromtimestamp(value, tz=UTC)
    except (ValueError, OverflowError):
        return None
    if at is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def _parents_first(messages: Sequence[MessageRecord]) -> list[MessageRecord]:
    """Each message after its parent, once. What follows itself around a circle is left out."""
    known = {each.id for each in messages}
    children: dict[str | None, list[MessageRecord]] = defaultdict(list)
    for each in {each.id: each for each in messages}.values():
        children[each.parent if each.parent in known else None].append(each)
    found, waiting = list[MessageRecord](), children[None][::-1]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting += children[each.id][::-1]
    return found


def _taken_in(messages: Sequence[MessageRecord]) -> list[MessageRecord]:
    """Those with a role, each after the nearest such one before it."""
    parents = {each.id: each.parent for each in messages}
    kept = {each.id for each in messages if each.role}
    return [
        replace(each, parent=_nearest(parents, each.parent, kept)) for each in messages if each.role
    ]


def _nearest(parents: Mapping[str, str | None], at: str | None, kept: Container[str]) -> str | None:
    seen = set[str]()
    while at is not None and at not in kept:
        if at in seen:
            return None
        seen.add(at)
        at = parents.get(at)
    return at


def is_piece_of(each: MessageRecord, before: MessageRecord) -> bool:
    return each.role == before.role and not (each.columns or before.columns)


def _joined(messages: Sequence[MessageRecord]) -> tuple[list[MessageRecord], dict[str, str]]:
    """An answer in pieces, between which a tool was asked, as one; and where each piece is now."""
    num_children = Counter(each.parent for each in messages)
    found: dict[str, MessageRecord] = {}
    now_in: dict[str, str] = {}
    for each in messages:
        parent = now_in[each.parent] if each.parent else None
        before = found[parent] if parent else None
        is_only_child = num_children[each.parent] == 1
        if before is not None and is_only_child and is_piece_of(each, before):
            found[before.id] = replace(before, body=f"{before.body}\n\n{each.body}")
            now_in[each.id] = before.id
        else:
            found[each.id] = replace(each, parent=parent)
            now_in[each.id] = each.id
    return list(found.values()), now_in
