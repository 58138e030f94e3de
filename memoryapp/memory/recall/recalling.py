"""What of a person's memory goes into a reply, within a budget of tokens and of time."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock

from django.conf import settings
from django.db import connection

from memoryapp.memory import embeddings
from memoryapp.memory.recall.choosing import MANY, Recalled, choose, clear_of
from memoryapp.memory.recall.lookup import facts_of, turns_of, understood
from memoryapp.memory.recall.memories import FACTS, TURNS, load
from memoryapp.memory.recall.outdated import marked
from memoryapp.memory.recall.scan import Mark, Question, Scan, scan
from memoryapp.memory.recall.withheld import NOTHING, Withheld
from memoryapp.models import Chat, User

# So many, a line each, fit into FACTS_SHARE. Of more preferences those that matter are sought.
FEW_PREFERENCES = 20
SPARE = 1.5  # so many candidates for each place: some are repeated, too long or withheld

log = logging.getLogger(__name__)


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
