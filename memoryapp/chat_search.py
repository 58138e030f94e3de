"""Chats found by their titles and by what was said in them, in words or in meaning."""

from dataclasses import dataclass

from memoryapp.fragments import chat_list
from memoryapp.markdown import plain
from memoryapp.memory import recall
from memoryapp.memory.recall.floors import floor
from memoryapp.memory.recall.memories import Memory
from memoryapp.models import Chat, Message, User

TITLES, TURNS = 50, 40  # so many of each at most
HIGHER = 0.2  # than the floor: what a turn must score that has none of the words


@dataclass(frozen=True)
class Found:
    """A chat, and the line in it that fits; without one its title does."""

    chat: Chat
    line: str = ""
    message_id: str | None = None


def search(user: User, query: str, *, is_archived: bool = False) -> list[Found]:
    """First the chats whose title has all words of `query`, then those where it was said."""
    chats = titled = chat_list(user, is_archived=is_archived)
    for word in query.split():
        titled = titled.filter(title__icontains=word)
    found = {str(chat.pk): Found(chat) for chat in titled[:TITLES]}
    best: dict[str, Memory] = {}
    for turn in recall.search_turns(user, query, limit=TURNS):
        fits = turn.words or turn.score >= floor() + HIGHER
        if turn.chat_id and turn.chat_id not in found and fits:
            best.setdefault(turn.chat_id, turn)
    by_id = {str(chat.pk): chat for chat in chats.filter(pk__in=best)}
    for id, turn in best.items():
        if id in by_id:
            line = matching_line(turn.text, query)
            if turn.said_by == Message.Role.ASSISTANT:
                line = plain(line)
            found[id] = Found(by_id[id], line, turn.source_message_id)
    return list(found.values())


def matching_line(text: str, query: str) -> str:
    """The line of `text` with most words of `query`; the first of them."""
    words = query.lower().split()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return max(lines, key=lambda line: sum(word in line.lower() for word in words), default="")
