"""A memory as it is shown to a person and told to the talker."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from memoryapp.memory.passages import PASSAGE_TOKENS, split
from memoryapp.memory.recall.scan import Candidate, Mark, fetch
from memoryapp.models import Message, User
from memoryapp.models.memory import said_in_one_line
from memoryapp.tokens import num_tokens

FACTS = (Mark.FACT, Mark.PREFERENCE, Mark.DUE, Mark.IDENTITY, Mark.PINNED, Mark.ASKED_FOR)
SPEAKERS = {Mark.REPLY: Message.Role.ASSISTANT.value, Mark.OWN_MESSAGE: Message.Role.USER.value}
TURNS = tuple(SPEAKERS)
TURN = "turn"
# When a fact is due, at the end of its text: as the talker is told, and for who reads that.
DUE_DAY = "%A, %d %B %Y"
DUE = re.compile(r"\(due (?P<day>\w+, \d\d \w+ \d{4})(?P<time>, \d\d:\d\d)?\)$")
BODY_CHARS = 20_000  # a longer message's passage to show is sought in this much of it


@dataclass(frozen=True)
class Memory:
    """One thing recalled: a fact, or a turn (here: one message said earlier)."""

    id: str
    kind: str  # a fact's kind, or "turn"
    text: str
    reason: str  # always, pinned, due, asked, words or meaning
    score: float
    cosine: float | None  # None: no vector of the current model
    words: float  # 0 to 1
    source_message_id: str | None
    chat_id: str | None
    said_at: str | None  # ISO 8601, in the person's zone
    said_by: str = ""  # of a turn: "user" or "assistant"
    # Of a turn that tells what holds no longer: what holds instead and its ids, and the keys under
    # which nothing holds any more.
    since: str = ""
    since_ids: tuple[str, ...] = ()
    ended: str = ""

    def noted(self) -> dict[str, Any]:
        """As a receipt keeps it; `asdict` would copy each value, for sixty times the time."""
        return dict(vars(self))


# Written out, since Django takes longer to put it together than PostgreSQL to answer it.
STORED = """
select fact.id, 0, kind, subject, key, value, due_at, source.id, source.chat_id, source.created_at
from memoryapp_fact as fact left join memoryapp_message as source on source.id = source_message_id
where fact.user_id = %(user)s and fact.id = any(%(facts)s::uuid[])
union all
select id, 0, %(turn)s, '', '', left(body, %(body_chars)s), null, id, chat_id, created_at
from memoryapp_message where user_id = %(user)s and id = any(%(whole)s::uuid[])
union all
select whole.id, part, %(turn)s, '', '', substr(body, start + 1, "end" - start), null,
    whole.id, chat_id, created_at
from unnest(%(parted)s::uuid[], %(parts)s::int[]) as sought (id, part)
join memoryapp_messagepart as piece on message_id = sought.id and position = part - 1
join memoryapp_message as whole on whole.id = message_id
where piece.user_id = %(user)s
"""


class Stored(NamedTuple):
    """A row of the query above."""

    id: UUID
    part: int  # as in Candidate
    kind: str
    subject: str
    key: str
    value: str
    due_at: datetime | None
    message_id: UUID | None
    chat_id: UUID | None
    said_at: datetime | None


def load(
    user: User,
    candidates: Sequence[Candidate],
    question: str,
    reasons: Mapping[Mark, str] = MappingProxyType({}),
) -> list[Memory]:
    """The memories behind the candidates, in one query; those gone meanwhile are left out.

    Their reason is the one given for their mark, else what speaks for them most.
    """
    stored = {(row.id, row.part): row for row in rows_of(user, candidates)}
    return [
        memory_of(each, stored[each.id, each.part], user, question, reasons)
        for each in candidates
        if (each.id, each.part) in stored
    ]


def rows_of(user: User, candidates: Sequence[Candidate]) -> list[Stored]:
    turns = [each for each in candidates if each.mark in TURNS]
    parts = [each for each in turns if each.part]
    parameters = {
        "user": user.pk,
        "turn": TURN,
        "body_chars": BODY_CHARS,
        "facts": [each.id for each in candidates if each.mark in FACTS],
        "whole": [each.id for each in turns if not each.part],
        "parted": [each.id for each in parts],
        "parts": [each.part for each in parts],
    }
    return [Stored(*row) for row in fetch(STORED, parameters)]


def memory_of(
    candidate: Candidate,
    stored: Stored,
    user: User,
    question: str,
    reasons: Mapping[Mark, str],
) -> Memory:
    is_turn = candidate.mark in TURNS
    said_at = stored.said_at
    return Memory(
        id=str(stored.id),
        kind=stored.kind,
        text=turn_text(stored, question) if is_turn else fact_text(stored, user),
        reason=reasons.get(candidate.mark, candidate.reason),
        score=round(candidate.score, 4),
        cosine=None if candidate.cosine is None else round(candidate.cosine, 4),
        words=round(candidate.words, 4),
        source_message_id=str(stored.message_id) if stored.message_id else None,
        chat_id=str(stored.chat_id) if stored.chat_id else None,
        said_at=said_at.astimezone(user.zone).isoformat(timespec="seconds") if said_at else None,
        said_by=SPEAKERS.get(candidate.mark, ""),
    )


def fact_text(stored: Stored, user: User) -> str:
    text = said_in_one_line(stored.subject, stored.key, stored.value)
    if stored.due_at is None:
        return text
    due = stored.due_at.astimezone(user.zone)
    moment = format(due, DUE_DAY) + (f"{due:, %H:%M}" if due.hour or due.minute else "")
    return f"{text} (due {moment})"


def turn_text(stored: Stored, question: str) -> str:
    """The message, or of a long one the part that fits."""
    if stored.part:
        return f"… {stored.value} …"
    if num_tokens(stored.value) <= PASSAGE_TOKENS:
        return stored.value
    # Beginnings of words stand in for stems, in any language.
    starts = {word[:5] for word in re.findall(r"\w{4,}", question.casefold())}
    passages = split(stored.value) or [""]
    best = max(passages, key=lambda passage: sum(start in passage.casefold() for start in starts))
    return f"… {best} …"
