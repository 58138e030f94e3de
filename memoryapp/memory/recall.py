"""What of a person's memory goes into a reply, within a budget of tokens and of time."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import log as ln
from math import sqrt
from threading import Lock

from django.conf import settings
from django.db import connection

from memoryapp.memory import embeddings
from memoryapp.memory.floors import floor
from memoryapp.memory.lookup import facts_of, turns_of, understood
from memoryapp.memory.memories import FACTS, TURN, TURNS, Memory, load
from memoryapp.memory.outdated import marked
from memoryapp.memory.scan import EQUALLY, Mark, Question, Scan, scan
from memoryapp.memory.withheld import NOTHING, Withheld
from memoryapp.models import Chat, Fact, Message, User
from memoryapp.tokens import num_tokens

__all__ = [
    "Memory",
    "Recalled",
    "arecall",
    "begin",
    "prepare",
    "recall",
    "search",
    "search_archive",
]

# Of the budget, what is always in and what the question finds get this much each at most; turns
# get what is left. On LoCoMo, facts with 40 % brought in more evidence than turns alone.
FACTS_SHARE = 0.4
# So many, a line each, fit into that share. Of more preferences those that matter are sought.
FEW_PREFERENCES = 20
MANY = 100  # of facts that are always in, so many are looked at
SPARE = 1.5  # so many candidates for each place: some are repeated, too long or withheld
STANDING = ("pinned", "always", "due", "asked")  # reasons other than the question, in this order
# How much what turns score varies for a question that nothing fits: docs/recall.md.
DEVIATION = 0.12
# What the person once asked says nothing about them, while the answer may: docs/recall.md. A
# question that is longer, or has a comma, may tell something too: "Rex limps, where is a vet?"
NOTHING_BUT_A_QUESTION = re.compile(r"(?:[\w'’-]{1,14} ){0,7}[\w'’-]{1,14}\s*[?？]\s*")
NEAR_MISSES = 5
NEAR = 0.1  # how far under the floor

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recalled:
    memories: tuple[Memory, ...] = ()
    turns: tuple[Memory, ...] = ()
    near_misses: tuple[Memory, ...] = ()
    clear: float = 0.0  # how far over the floor the best turn had to stand
    milliseconds: int = 0
    timed_out: bool = False


def begin(chat: Chat, question: str) -> Question | None:
    """What `question` seeks, begun while it is saved; None if memory is off."""
    return understand(chat.user, question) if chat.remembers else None


def understand(user: User, question: str) -> Question:
    return understood(user, question, seconds=settings.RECALL_TIMEOUT_MS / 2000)


def recall(
    user: User,
    chat: Chat,
    question: str,
    *,
    asked: Question | None = None,
    withheld: Withheld = NOTHING,
) -> Recalled:
    """What to tell the talker before it answers `question` in `chat`.

    Nothing if the person or the chat has memory off. Else the facts that are always in, the
    facts and old turns that score at least `RECALL_FLOOR` (the best turn more), `RECALL_LIMIT`
    of each at most and `RECALL_TOKENS` in all, and what came near. `asked` is what `begin` made
    of the question, if it was asked.
    """
    started = time.perf_counter()
    if not (user.memory_on and chat.memory_on):
        return Recalled()
    asked = asked or understand(user, question)
    found = scan(
        facts_of(user, withheld=withheld, due=asked.due),
        turns_of(user, chat=chat, withheld=withheld),
        question=asked,
    )
    reasons = reasons_to_stand(found)
    sought = [mark for mark in FACTS if mark not in reasons]
    places = int(SPARE * settings.RECALL_LIMIT)
    candidates = [
        *found.best(*reasons, limit=MANY),
        *found.best(*sought, limit=places),
        *found.best(*TURNS, limit=places),
    ]
    clear = clear_of(found.count(*TURNS))
    chosen = choose(load(user, candidates, question, reasons), question, clear)
    turns = marked(user, chosen.turns, withheld=withheld)
    milliseconds = round(1000 * (time.perf_counter() - started))
    return replace(chosen, turns=tuple(turns), milliseconds=milliseconds)


def reasons_to_stand(found: Scan) -> dict[Mark, str]:
    """Why facts are in whatever the question is."""
    reasons = {
        Mark.PINNED: "pinned",
        Mark.IDENTITY: "always",
        Mark.DUE: "due",
        Mark.ASKED_FOR: "asked",
    }
    if found.count(Mark.PREFERENCE) <= FEW_PREFERENCES:
        reasons[Mark.PREFERENCE] = "always"
    return reasons


def clear_of(num_turns: int) -> float:
    """How far over the floor the best of so many turns must stand, for chance brings it up too.

    The highest of n normal values is at most about sqrt(2 ln n) standard deviations over their
    mean. With one more, so that the only one has to stand over something too, that is .14 for a
    single old turn, .36 for a hundred and .51 for ten thousand.
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


# Two recalls at a time, in threads of their own: an embedding is work for the processor, and
# Django's one thread for synchronous code is everybody's.
executor = ThreadPoolExecutor(2, thread_name_prefix="recall")


def prepare() -> None:
    """Do what takes long the first time; whoever asks meanwhile waits for the same."""
    with _preparing:
        _rehearse()


_preparing = Lock()


@lru_cache(maxsize=1)
def _rehearse() -> None:
    embeddings.prepare()
    nobody, question = User(pk=0), "What do I like?"
    asked = understood(nobody, question)  # in as much time as that takes
    with_own_connection(partial(recall, nobody, Chat(user=nobody), question, asked=asked))


async def arecall(
    user: User,
    chat: Chat,
    question: str,
    *,
    asked: Question | None = None,
    withheld: Withheld = NOTHING,
) -> Recalled:
    """As `recall`, off the event loop. After `RECALL_TIMEOUT_MS` the reply goes on without it."""
    loop = asyncio.get_running_loop()
    if not _rehearse.cache_info().currsize:
        # Once in the life of a process; the first question is not to lose its memory over it.
        await loop.run_in_executor(executor, prepare)
    work = partial(recall, user, chat, question, asked=asked, withheld=withheld)
    started = time.perf_counter()
    job = loop.run_in_executor(executor, with_own_connection, work)
    try:
        return await asyncio.wait_for(job, settings.RECALL_TIMEOUT_MS / 1000)
    except TimeoutError:
        log.warning(
            "Recall took longer than RECALL_TIMEOUT_MS (%s ms); this reply goes without memory.",
            settings.RECALL_TIMEOUT_MS,
        )
        milliseconds = round(1000 * (time.perf_counter() - started))
        return Recalled(milliseconds=milliseconds, timed_out=True)


def with_own_connection(work: Callable[[], Recalled]) -> Recalled:
    try:
        return work()
    finally:
        # Back to the pool; without a pool it would stay open as long as the thread.
        connection.close()


def search(
    user: User, question: str, *, limit: int = 10, kind: str = "", min_score: float = 0.0
) -> list[Memory]:
    """The person's facts, or with kind "turn" their old messages, best first.

    It is the owner who looks, so memory need not be on.
    """
    if not question.strip():
        return []
    asked = understood(user, question)
    if kind == TURN:
        # Facts lend to the turns that taught them.
        best = scan(facts_of(user), turns_of(user), question=asked).best(*TURNS, limit=limit)
        memories = marked(user, load(user, best, question))
    else:
        best = scan(facts_of(user, kind=kind), question=asked).best(*Mark, limit=limit)
        memories = load(user, best, question)
    return [memory for memory in memories if memory.score >= min_score]


def search_archive(
    user: User,
    question: str,
    *,
    limit: int = 5,
    chat: Chat | None = None,
    withheld: Withheld = NOTHING,
) -> list[Memory]:
    """Old messages that fit, best first: what the talker looks up by itself.

    Those of `chat` that still stand in its prompt are left out, and all of them if the person or
    the chat has memory off.
    """
    is_off = not user.memory_on or (chat is not None and not chat.memory_on)
    if is_off or not question.strip():
        return []
    asked = understood(user, question)
    seen = scan(
        facts_of(user, withheld=withheld),
        turns_of(user, chat=chat, withheld=withheld),
        question=asked,
    )
    turns = distinct(
        load(user, seen.best(*TURNS, limit=int(SPARE * limit)), question), (), question
    )
    least = least_of(turns, clear_of(seen.count(*TURNS)))
    found = [turn for turn in turns if turn.score >= least][:limit]
    return marked(user, found, withheld=withheld)
