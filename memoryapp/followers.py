"""Reading a reply while another task or process writes it: its exact text, whenever one joins."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer

from memoryapp.bus import chat_group, unless_bus_is_away
from memoryapp.channel_layer import RESTORED
from memoryapp.models import Message
from memoryapp.patience import cancel, patiently
from memoryapp.replies import Event, ask_for_snapshot

LOOK_SECONDS = 5.0  # after so long without a word of a reply, its row is looked at
ASK_SECONDS = 1.0  # a question that got lost is asked again after this


class Follower:
    """Makes the exact text of one reply out of its deltas.

    Feed it each event of the chat's group; it answers with the text to add to what it has given
    so far. A gap makes it ask for a snapshot; until that comes, it gives what fits and no more.
    """

    def __init__(self, reply_id: str, channel: str, after: int = 0) -> None:
        self.reply_id, self.channel, self.offset = reply_id, channel, after
        self.is_waiting = False
        self.asked_at = float("-inf")

    async def join(self) -> None:
        """Ask for the text so far, though not more often than it can be told."""
        now = asyncio.get_running_loop().time()
        self.is_waiting = True
        if now - self.asked_at >= ASK_SECONDS:
            self.asked_at = now
            # The row is looked at before long, and brings what nobody could tell.
            with unless_bus_is_away("The text so far of a reply can't be asked for"):
                await ask_for_snapshot(self.reply_id, self.channel)

    async def take(self, event: Event) -> str:
        if event.get("reply") != self.reply_id:
            return ""
        if event["type"] == "reply.snapshot":
            return self._add(0, event["text"])
        if event["type"] != "reply.delta":
            return ""
        if event["offset"] > self.offset:
            await self.join()
            return ""
        return self._add(event["offset"], event["text"])

    def _add(self, offset: int, text: str) -> str:
        self.is_waiting = False
        new = text[max(0, self.offset - offset) :]
        self.offset += len(new)
        return new

    async def look(self) -> bool:
        """Whether the reply is still being written. If so, what may have been missed is asked for.

        Raises Message.DoesNotExist if it was deleted.
        """
        status_of = Message.objects.values_list("status", flat=True).get
        status = await patiently(status_of, pk=self.reply_id)
        if status != Message.Status.STREAMING:
            return False
        await self.join()
        return True


class Ear:
    """One receiver on a channel. Layers forget a channel whose receiver is cancelled as it waits,
    so there is one from the beginning to the end."""

    def __init__(self, layer: Any, channel: str) -> None:
        self.layer, self.channel = layer, channel
        self._begin()

    def _begin(self) -> None:
        self.receiving = asyncio.ensure_future(self.layer.receive(self.channel))

    async def hear(self, seconds: float) -> Event:
        """The next event, or an empty one after so many seconds."""
        await asyncio.wait({self.receiving}, timeout=seconds)
        if not self.receiving.done():
            return {}
        event: Event = self.receiving.result()
        self._begin()
        return event

    async def leave(self, group: str) -> None:
        with unless_bus_is_away("A group can't be left"):
            await self.layer.group_discard(group, self.channel)
            await asyncio.sleep(0)
            while self.receiving.done():
                await self.hear(0)
                await asyncio.sleep(0)
        await cancel(self.receiving)


async def found(reply_id: UUID | str) -> Message:
    reply: Message = await patiently(Message.objects.get, pk=reply_id)
    return reply


async def follow(chat_id: UUID, reply_id: UUID, after: int = 0) -> AsyncGenerator[Event, None]:
    """The events of a reply until it is finished, its text exactly once from offset `after` on.

    Yields `reply.recalled`, `reply.delta` with its `offset`, and last `reply.finished`. Raises
    Message.DoesNotExist if the reply isn't there or is deleted.

    A request lives as long as the reply that it follows: have it let its connection go before.
    """
    layer = get_channel_layer()
    channel = await layer.new_channel("follow")
    ear, follower = Ear(layer, channel), Follower(str(reply_id), channel, after)
    try:
        await layer.group_add(chat_group(chat_id), channel)
        if await follower.look():
            async with aclosing(_until_finished(ear, follower)) as events:
                async for event in events:
                    yield event
        reply = await found(reply_id)
        if rest := reply.body[follower.offset :]:
            yield _delta(reply_id, follower.offset, rest)
        yield {"type": "reply.finished", "reply": str(reply_id), "status": reply.status}
    finally:
        await ear.leave(chat_group(chat_id))


async def _until_finished(ear: Ear, follower: Follower) -> AsyncGenerator[Event, None]:
    """What is told of a reply, until its end was told or is seen in its row."""
    clock = asyncio.get_running_loop().time
    look_at = clock() + LOOK_SECONDS
    while True:
        event = await ear.hear(max(0, look_at - clock()))
        if event == RESTORED or clock() >= look_at:
            if not await follower.look():
                return
        elif event.get("reply") != follower.reply_id:
            continue
        look_at = clock() + LOOK_SECONDS
        if event.get("type") == "reply.finished":
            return
        if told := await _told(follower, event):
            yield told


async def _told(follower: Follower, event: Event) -> Event | None:
    """What an event has for the reader behind this follower, if anything."""
    if event.get("reply") == follower.reply_id and event["type"] == "reply.recalled":
        return event
    offset = follower.offset
    text = await follower.take(event)
    return _delta(follower.reply_id, offset, text) if text else None


def _delta(reply_id: UUID | str, offset: int, text: str) -> Event:
    return {"type": "reply.delta", "reply": str(reply_id), "offset": offset, "text": text}
