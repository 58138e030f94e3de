"""What was said once and holds no longer, marked as such where it is recalled."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Q

from memoryapp.memory.language.wording import is_telling
from memoryapp.memory.operations import quote_start
from memoryapp.memory.recall.memories import Memory
from memoryapp.memory.recall.withheld import NOTHING, Withheld
from memoryapp.models import Fact, User
from memoryapp.models.memory import Status, said_in_one_line

Place = tuple[str, str]  # subject and key, under which one value holds at a time

# Written out as in memories.py: it is part of every reply.
FORMER = """
select id, subject, key, value, source_message_id, valid_to, expires_at from memoryapp_fact
where user_id = %(user)s and (valid_to is not null or expires_at <= now())
    and (source_message_id = any(%(turns)s::uuid[]) or strpos(lower(%(said)s), lower(value)) > 0)
order by valid_from
"""


def marked(user: User, turns: Iterable[Memory], *, withheld: Withheld = NOTHING) -> list[Memory]:
    """The turns, each with what has changed since it was said.

    A turn tells a former value if it taught it, or says it word for word before it changed. What
    holds now is told with the turn, unless it is paused or `withheld`: then it is only said that
    something has changed.
    """
    turns = list(turns)
    former = former_values(user, turns) if turns else []
    now = current(user, former) if former else []
    in_use = {(fact.subject, fact.value) for fact in now}
    changed = [fact for fact in former if (fact.subject, fact.value) not in in_use]
    may_be_told = {
        fact.place: fact
        for fact in now
        if fact.status == Status.ACTIVE and not withheld.holds(fact)
    }
    return [with_changes(turn, changed, may_be_told) for turn in turns]


def former_values(user: User, turns: Sequence[Memory]) -> list[Fact]:
    """Facts that hold no longer, and that one of these turns may tell."""
    said = "\n".join(turn.text for turn in turns)
    parameters = {"user": user.pk, "turns": [turn.id for turn in turns], "said": said}
    return list(Fact.objects.raw(FORMER, parameters))


def current(user: User, former: Iterable[Fact]) -> list[Fact]:
    """What holds now under the keys of these facts, or says what they said."""
    same = Q(key__in={fact.key for fact in former}) | Q(value__in={fact.value for fact in former})
    return list(Fact.objects.for_user(user).current().exclude(status=Status.PENDING).filter(same))


def with_changes(turn: Memory, changed: Iterable[Fact], now: dict[Place, Fact]) -> Memory:
    places = dict.fromkeys(fact.place for fact in changed if tells(turn, fact))
    since = [now[place] for place in places if place in now]
    ended = [said_in_one_line(*place, "") for place in places if place not in now]
    return replace(
        turn,
        since="; ".join(fact.text for fact in since),
        since_ids=tuple(str(fact.pk) for fact in since),
        ended="; ".join(line.removesuffix(": ") for line in ended),
    )


def tells(turn: Memory, fact: Fact) -> bool:
    """Whether the turn says what the fact says, from a time when it held."""
    if turn.id == str(fact.source_message_id):
        return True
    end = fact.valid_to or fact.expires_at
    if turn.said_at is None or end is None or datetime.fromisoformat(turn.said_at) > end:
        return False
    return is_telling(fact.value) and quote_start(turn.text, fact.value) is not None
