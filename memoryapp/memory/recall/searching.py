"""A person's memories for who looks for them outright: their owner, or the talker in old chats."""

from memoryapp.memory.recall.choosing import clear_of, distinct, least_of
from memoryapp.memory.recall.lookup import facts_of, turns_of, understood
from memoryapp.memory.recall.memories import TURN, TURNS, Memory, load
from memoryapp.memory.recall.outdated import marked
from memoryapp.memory.recall.recalling import SPARE
from memoryapp.memory.recall.scan import Mark, scan
from memoryapp.memory.recall.withheld import NOTHING, Withheld
from memoryapp.models import Chat, User


def search(
    user: User, question: str, *, limit: int = 10, kind: str = "", min_score: float = 0.0
) -> list[Memory]:
    """The person's facts, or with kind "turn" their old messages, best first.

    It is the owner who looks, so memory need not be on.
    """
    if kind == TURN:
        memories = marked(user, search_turns(user, question, limit=limit))
    else:
        memories = search_facts(user, question, limit=limit, kind=kind)
    return [memory for memory in memories if memory.score >= min_score]


def search_facts(user: User, question: str, *, limit: int, kind: str = "") -> list[Memory]:
    if not question.strip():
        return []
    asked = understood(user, question)
    best = scan(facts_of(user, kind=kind), question=asked).best(*Mark, limit=limit)
    return load(user, best, question)


def search_turns(user: User, question: str, *, limit: int) -> list[Memory]:
    """The person's old messages as they were said, whatever has changed since."""
    if not question.strip():
        return []
    asked = understood(user, question)
    # Facts lend to the turns that taught them.
    best = scan(facts_of(user), turns_of(user), question=asked).best(*TURNS, limit=limit)
    return load(user, best, question)


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
