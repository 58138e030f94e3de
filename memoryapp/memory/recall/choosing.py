"""Which of the memories that were found are worth their place in a reply."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import log as ln
from math import sqrt

from django.conf import settings

from memoryapp.memory.recall.floors import floor
from memoryapp.memory.recall.memories import TURN, Memory
from memoryapp.memory.recall.scan import EQUALLY
from memoryapp.models import Fact, Message
from memoryapp.tokens import num_tokens

# Of the budget, what is always in and what the question finds get this much each at most; turns
# get what is left. On LoCoMo, facts with 40 % brought in more evidence than turns alone.
FACTS_SHARE = 0.4
MANY = 100  # of facts that are always in, so many are looked at
STANDING = ("pinned", "always", "due", "asked")  # reasons other than the question, in this order
# What turns score for a question that nothing fits varies by .12. A little more halves how often
# such a question brings up turns, for half a percent of the evidence: docs/recall.md.
DEVIATION = 0.14
# What the person once asked says nothing about them, while the answer may: docs/recall.md. A
# question that is longer, or has a comma, may tell something too: "Rex limps, where is a vet?"
NOTHING_BUT_A_QUESTION = re.compile(r"(?:[\w'’-]{1,14} ){0,7}[\w'’-]{1,14}\s*[?？]\s*")
NEAR_MISSES = 5
NEAR = 0.1  # how far under the floor


@dataclass(frozen=True)
class Recalled:
    memories: tuple[Memory, ...] = ()
    turns: tuple[Memory, ...] = ()
    near_misses: tuple[Memory, ...] = ()
    clear: float = 0.0  # how far over the floor the best turn had to stand
    milliseconds: int = 0
    timed_out: bool = False


def clear_of(num_turns: int) -> float:
    """How far over the floor the best of so many turns must stand, for chance brings it up too.

    The highest of n normal values is at most about sqrt(2 ln n) standard deviations over their
    mean. With one more, so that the only one has to stand over something too, that is .16 for a
    single old turn, .43 for a hundred and .60 for ten thousand.
    """
    return DEVIATION * sqrt(2 * ln(1 + num_turns))


def choose(memories: Iterable[Memory], question: str, clear: float) -> Recalled:
    """Out of what was found, what fits into the budget and is worth its place.

    Turns come in together: all that reach the floor, if the best of them stands `clear` over it.
    Beside one that fits, a turn that may fit adds more than it misleads; alone it does not.
    """
    memories = sorted(memories, key=lambda memory: -round(memory.score, EQUALLY))
    facts = [memory for memory in memories if memory.kind != TURN]
    share = int(FACTS_SHARE * settings.RECALL_TOKENS)
    told = fitting(sorted(filter(is_standing, facts), key=standing_order), share, MANY)
    standing = {fact.id for fact in told}
    told += fitting(
        [fact for fact in facts if fact.score >= floor() and fact.id not in standing],
        share,
        settings.RECALL_LIMIT,
    )
    turns = [memory for memory in memories if memory.kind == TURN]
    least = least_of(distinct(turns, (), question), clear)
    turns = [turn for turn in distinct(turns, told, question) if not is_own_question(turn)]
    left = settings.RECALL_TOKENS - sum(num_tokens(fact.text) for fact in told)
    shown = fitting([turn for turn in turns if turn.score >= least], left, settings.RECALL_LIMIT)
    is_in = {memory.id for memory in (*told, *shown)}
    near = [
        memory
        for memory in sorted([*facts, *turns], key=lambda memory: -memory.score)
        if memory.id not in is_in
        and memory.score >= (least if memory.kind == TURN else floor()) - NEAR
    ]
    return Recalled(tuple(told), tuple(shown), tuple(near[:NEAR_MISSES]), clear)


def least_of(turns: Iterable[Memory], clear: float) -> float:
    """What each of the turns must score: the floor, once the best stands clear of it."""
    least = floor() + clear
    return floor() if any(turn.score >= least for turn in turns) else least


def level(score: float, best: float, clear: float) -> float:
    """The highest floor that a turn comes in at, when `best` is what the best turn scores."""
    return min(score, best - clear)


def is_standing(memory: Memory) -> bool:
    return memory.reason in STANDING


def standing_order(fact: Memory) -> tuple[int, bool]:
    return STANDING.index(fact.reason), fact.kind != Fact.Kind.IDENTITY


def is_own_question(turn: Memory) -> bool:
    return turn.said_by == Message.Role.USER and bool(NOTHING_BUT_A_QUESTION.fullmatch(turn.text))


def fitting(memories: Iterable[Memory], tokens: int, limit: int) -> list[Memory]:
    """The first that fit; one too long for what is left makes room for the next."""
    kept: list[Memory] = []
    for memory in memories:
        length = num_tokens(memory.text)
        if length <= tokens and len(kept) < limit:
            kept.append(memory)
            tokens -= length
    return kept


def distinct(turns: Iterable[Memory], told: Iterable[Memory], question: str) -> list[Memory]:
    """The turns that say something new: not the question again, nor what a fact here tells."""
    sources = {fact.source_message_id for fact in told}
    seen = {question.strip().casefold()}
    kept: list[Memory] = []
    for turn in turns:
        text = turn.text.strip().casefold()
        if turn.id not in sources and text not in seen:
            kept.append(turn)
        seen.add(text)
    return kept
