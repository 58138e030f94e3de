"""Where the text of an answer comes from: a chat's reply, or one that is stored nowhere.

Either is a generator of the text as it comes and, last, of how it ended.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from memoryapp import replies, temporary
from memoryapp.agents.talker import Said, Wishes
from memoryapp.api.streams import follow
from memoryapp.models import Message, User
from memoryapp.patience import patiently
from memoryapp.temporary import TemporaryChat
from memoryapp.turns import Turn, checked_body

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ended:
    status: str
    failure: str
    tokens: Mapping[str, int]


Answer = AsyncGenerator[str | Ended, None]


async def from_chat(turn: Turn) -> Answer:
    """The reply to a turn. Raises Message.DoesNotExist if it is deleted meanwhile."""
    async with aclosing(follow(turn.reply)) as events:
        async for event in events:
            if event["type"] == "reply.delta":
                yield event["text"]
    reply = await patiently(Message.objects.get, pk=turn.reply.pk)
    await patiently(turn.reply.chat.see)  # it is read where it was asked for
    yield Ended(reply.status, reply.failure, reply.receipt.get("tokens", {}))


def unstored(
    user: User, said: Sequence[Said], question: str, wishes: Wishes
) -> tuple[TemporaryChat, Turn]:
    """A turn of a temporary chat in which all this was said before. Raises TooManyReplies."""
    temporary.refuse_too_many(user)
    chat = TemporaryChat(user)
    for each in (*said, Said("user", checked_body(question))):
        chat.add(each.role, each.body)
    return chat, replace(chat.answer(), wishes=wishes)


async def from_nowhere(reply: Message, writing: asyncio.Task[None]) -> Answer:
    """A reply that is stored nowhere, not even its failure's own words in a log."""
    shown = 0
    while not writing.done():
        await asyncio.wait({writing}, timeout=replies.FLUSH_SECONDS)
        if text := reply.body[shown:]:
            shown += len(text)
            yield text
    end = await replies.end_of(writing, lambda: replies.End(Message.Status.STOPPED))
    if end.error is not None:
        logger.error("A reply without memory failed: %s", type(end.error).__name__)
    yield Ended(end.status, end.failure, reply.receipt.get("tokens", {}))
