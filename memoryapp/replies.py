"""A turn that runs detached from any socket: who streams it, who follows it, how it ends."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextvars import Context
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.utils import timezone
from pydantic_ai import CancellationToken, RunCancelled

from memoryapp.agents import llm
from memoryapp.channel_layer import chat_group
from memoryapp.memory import embeddings
from memoryapp.models import Message
from memoryapp.models.chats import INTERRUPTED
from memoryapp.turns import Receipt, Turn, take_turn

logger = logging.getLogger("memoryapp.replies")

FLUSH_SECONDS = 0.04  # what arrives within a frame or two of the screen goes out together
SAVE_SECONDS = 1.0
DRAIN_SECONDS = 5.0
LOOK_SECONDS = 5.0  # a follower looks at the row this often, in case the end was never told

Event = dict[str, Any]
Status = Message.Status


def reply_group(reply_id: UUID | str) -> str:
    return f"reply.{reply_id}"


@dataclass
class Live:
    """A reply while this process writes it."""

    turn: Turn
    token: CancellationToken = field(default_factory=CancellationToken)
    text: str = ""
    sent: int = 0  # how many code points of the text have been published
    receipt: Receipt | None = None
    is_draining: bool = False
    task: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        return str(self.turn.reply.pk)


LIVE: dict[str, Live] = {}


async def start(turn: Turn) -> None:
    """Answer `turn` in this process, whatever becomes of the request that asked for it."""
    live = Live(turn)
    layer = get_channel_layer()
    channel = await layer.new_channel("reply")
    await layer.group_add(reply_group(live.id), channel)
    LIVE[live.id] = live
    # In a context of its own: a request's context holds asgiref's threads, which end with it.
    live.task = asyncio.create_task(_write(live, channel), context=Context())
    live.task.add_done_callback(lambda _: LIVE.pop(live.id, None))


async def stop(reply_id: UUID | str) -> None:
    """Stop a reply in whatever process writes it; its text so far is kept."""
    await get_channel_layer().group_send(reply_group(reply_id), {"type": "reply.stop"})


async def ask_for_snapshot(reply_id: UUID | str, channel: str) -> None:
    """Have the whole text so far sent to `channel` by the process that writes the reply."""
    await get_channel_layer().group_send(
        reply_group(reply_id), {"type": "reply.ask", "channel": channel}
    )


async def _write(live: Live, channel: str) -> None:
    """Write one reply from its first token to its saved end."""
    status, failure = Status.INTERRUPTED, INTERRUPTED
    helpers = [
        asyncio.create_task(_obey(live, channel)),
        asyncio.create_task(_publish_and_save(live)),
    ]
    try:
        await _stream(live)
        status, failure = Status.COMPLETE, ""
    except RunCancelled:
        if not live.is_draining:
            status, failure = Status.STOPPED, ""
    except Exception as error:  # whatever went wrong, the person must be told
        logger.exception("The reply %s failed", live.id)
        status, failure = Status.FAILED, llm.explain(error)
    finally:
        for helper in helpers:
            helper.cancel()
        await get_channel_layer().group_discard(reply_group(live.id), channel)
        await _finish(live, status, failure)


async def _stream(live: Live) -> None:
    await _tell(live, "reply.started", user_message=str(live.turn.user_message.pk))
    async for piece in take_turn(live.turn, live.token):
        if isinstance(piece, Receipt):
            live.receipt = piece
            await _tell(live, "reply.recalled", receipt=asdict(piece))
            continue
        live.text += piece
        if live.sent == 0:
            await _flush(live)


async def _obey(live: Live, channel: str) -> None:
    """Do what other processes and tabs ask of this reply: stop, or tell the whole text."""
    layer = get_channel_layer()
    while True:
        event = await layer.receive(channel)
        if event["type"] == "reply.stop":
            live.token.cancel()
        elif event["type"] == "reply.ask":
            await _flush(live)
            snapshot = {"type": "reply.snapshot", "reply": live.id, "text": live.text}
            if live.receipt is not None:
                recalled = {"type": "reply.recalled", "reply": live.id}
                await layer.send(event["channel"], recalled | {"receipt": asdict(live.receipt)})
            await layer.send(event["channel"], snapshot)


async def _publish_and_save(live: Live) -> None:
    """Publish what has arrived each few milliseconds, and save it about each second."""
    saved = asyncio.get_running_loop().time()
    while True:
        await asyncio.sleep(FLUSH_SECONDS)
        await _flush(live)
        if asyncio.get_running_loop().time() - saved >= SAVE_SECONDS:
            await Message.objects.filter(pk=live.id).aupdate(
                body=live.text, streaming_beat=timezone.now()
            )
            saved = asyncio.get_running_loop().time()


async def _flush(live: Live) -> None:
    text, offset = live.text[live.sent :], live.sent
    if text:
        live.sent += len(text)
        await _tell(live, "reply.delta", offset=offset, text=text)


async def _tell(live: Live, type: str, **fields: Any) -> None:
    await get_channel_layer().group_send(
        chat_group(live.turn.reply.chat_id), {"type": type, "reply": live.id, **fields}
    )


async def _finish(live: Live, status: str, failure: str) -> None:
    await _flush(live)
    reply = await Message.objects.aget(pk=live.id)
    reply.body = live.text
    if live.receipt is not None:
        reply.receipt = asdict(live.receipt)
    await sync_to_async(reply.finish)(status, failure)
    await _tell(live, "reply.finished", status=status)


class Follower:
    """Makes the exact text of one reply out of its deltas, whenever one joins.

    Feed it each event of the chat's group; it answers with the text to add to what it has given
    so far. A gap makes it ask for a snapshot, and until that comes it gives nothing.
    """

    def __init__(self, reply_id: str, channel: str, after: int = 0) -> None:
        self.reply_id, self.channel, self.offset = reply_id, channel, after
        self.is_waiting = False

    async def join(self) -> None:
        self.is_waiting = True
        await ask_for_snapshot(self.reply_id, self.channel)

    async def take(self, event: Event) -> str:
        if event.get("reply") != self.reply_id:
            return ""
        if event["type"] == "reply.snapshot":
            self.is_waiting = False
            return self._from(0, event["text"])
        if event["type"] != "reply.delta" or self.is_waiting:
            return ""
        if event["offset"] > self.offset:
            await self.join()
            return ""
        return self._from(event["offset"], event["text"])

    def _from(self, offset: int, text: str) -> str:
        new = text[max(0, self.offset - offset) :]
        self.offset += len(new)
        return new


async def follow(chat_id: UUID, reply_id: UUID, after: int = 0) -> AsyncGenerator[Event, None]:
    """The events of a reply until it is finished, its text exactly once from offset `after` on.

    Yields `reply.recalled`, `reply.delta` with its `offset`, and last `reply.finished`.
    """
    layer = get_channel_layer()
    channel = await layer.new_channel("follow")
    await layer.group_add(chat_group(chat_id), channel)
    follower = Follower(str(reply_id), channel, after)
    try:
        reply = await _look_at(reply_id)
        if reply.status == Status.STREAMING:
            await follower.join()
            async for event in _until_finished(layer, channel, follower):
                yield event
            reply = await _look_at(reply_id)
        if rest := reply.body[follower.offset :]:
            yield _delta(reply_id, follower.offset, rest)
        yield {"type": "reply.finished", "reply": str(reply_id), "status": reply.status}
    finally:
        await layer.group_discard(chat_group(chat_id), channel)


# A request that follows a reply lives as long as the reply, and would hold its connection as long:
# this gives it back to the pool.
@database_sync_to_async
def _look_at(reply_id: UUID | str) -> Message:
    return Message.objects.get(pk=reply_id)


async def _until_finished(layer: Any, channel: str, follower: Follower) -> AsyncIterator[Event]:
    receiving = asyncio.create_task(layer.receive(channel))
    try:
        while True:
            await asyncio.wait({receiving}, timeout=LOOK_SECONDS)
            if not receiving.done():
                reply = await _look_at(follower.reply_id)
                if reply.status != Status.STREAMING:
                    return
                continue
            event, receiving = receiving.result(), asyncio.create_task(layer.receive(channel))
            offset = follower.offset
            if text := await follower.take(event):
                yield _delta(follower.reply_id, offset, text)
            elif event.get("reply") == follower.reply_id and event["type"] == "reply.recalled":
                yield event
            elif event.get("reply") == follower.reply_id and event["type"] == "reply.finished":
                return
    finally:
        receiving.cancel()


def _delta(reply_id: UUID | str, offset: int, text: str) -> Event:
    return {"type": "reply.delta", "reply": str(reply_id), "offset": offset, "text": text}


async def lifespan(scope: Any, receive: Callable[[], Awaitable[Event]], send: Any) -> None:
    """ASGI's lifespan: when the server stops, replies save what they have and end."""
    while True:
        event = await receive()
        if event["type"] == "lifespan.startup":
            # The first question shall not wait for the embedder to load, nor do without memory.
            asyncio.get_running_loop().run_in_executor(None, embeddings.prepare)
            await send({"type": "lifespan.startup.complete"})
        elif event["type"] == "lifespan.shutdown":
            await drain()
            await get_channel_layer().flush()
            await send({"type": "lifespan.shutdown.complete"})
            return


async def drain() -> None:
    """End every reply of this process as interrupted, with the text it has."""
    tasks = [live.task for live in LIVE.values() if live.task is not None]
    for live in LIVE.values():
        live.is_draining = True
        live.token.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
