"""Channels' layer on PostgreSQL's LISTEN and NOTIFY: no rows, no second service.

Each process keeps its groups and queues in memory and hears everything on one LISTEN connection;
what is sent goes out in batches on another. Messages must be JSON. A channel that falls
`capacity` messages behind loses the newest, as the layer specification allows; whoever needs
exact text notices the gap in its offsets. What is sent while PostgreSQL is away is lost as well:
when the layer hears again it says so to every channel of this process, with `RESTORED`.

Channels are those of `new_channel` and groups of them, which is all that consumers need. A named
channel whose messages wait for some worker process would need rows.
"""

import asyncio
import json
import logging
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from channels.exceptions import ChannelFull
from channels.layers import BaseChannelLayer
from django.db import connections

logger = logging.getLogger("memoryapp.bus")

TOPIC = "memoryapp"
PAYLOAD_MAX_CHARS = 7900  # PostgreSQL's limit is 8,000 bytes, and our JSON is ASCII
CONNECTION_LOST = (psycopg.Error, OSError)  # how a connection of our own ends, or isn't made
RECONNECT_SECONDS = (0.1, 5.0)
# A server that is gone without a word is noticed within a minute, and not waited for.
PATIENCE = {
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}

Message = dict[str, Any]
RESTORED: Message = {"type": "bus.restored"}


def conninfo() -> str:
    """How this process reaches the database, in libpq's words."""
    given = connections["default"].get_connection_params()
    # What Django adds besides is for its own connections.
    known = {name: str(value) for name, value in given.items() if isinstance(value, str | int)}
    return psycopg.conninfo.make_conninfo(**PATIENCE | known)


def packed(items: Iterable[str]) -> list[str]:
    """The NOTIFY payloads that carry `items`, in order; one too large for a payload is cut up.

    The id keeps PostgreSQL from merging equal payloads of one transaction.
    """
    payloads: list[str] = []
    batch: list[str] = []
    for text in items:
        if batch and sum(map(len, batch)) + len(batch) + len(text) > PAYLOAD_MAX_CHARS - 64:
            payloads += cut(batch)
            batch = []
        batch.append(text)
    return payloads + (cut(batch) if batch else [])


def cut(batch: list[str]) -> list[str]:
    text, id = f"[{','.join(batch)}]", uuid.uuid4().hex
    step = PAYLOAD_MAX_CHARS - 64
    parts = [text[i : i + step] for i in range(0, len(text), step)]
    return [f"{id} {i} {len(parts)} {part}" for i, part in enumerate(parts)]


class Unpacker:
    """Puts payloads together again."""

    def __init__(self) -> None:
        self.parts: dict[str, list[str]] = defaultdict(list)

    def items(self, payload: str) -> list[list[Any]]:
        id, index, total, part = payload.split(" ", 3)
        if total == "1":
            return list(json.loads(part))
        # One sender's payloads arrive in order, so a whole set ends with its last part.
        self.parts[id].append(part)
        if int(index) + 1 < int(total):
            return []
        parts = self.parts.pop(id)
        # We may have begun to listen in the middle of it.
        return list(json.loads("".join(parts))) if len(parts) == int(total) else []


@dataclass
class Channel:
    """The messages that wait for one receiver."""

    messages: asyncio.Queue[Message]
    num_receivers: int = 0
    used_at: float = field(default_factory=time.monotonic)


class Loop:
    """What one event loop of this process holds: channels, groups and two connections."""

    def __init__(self, capacity: int, expiry: float) -> None:
        self.capacity = capacity
        self.expiry = expiry
        self.channels: dict[str, Channel] = {}
        self.groups: dict[str, set[str]] = defaultdict(set)
        self.is_listening = asyncio.Event()
        self.was_listening = False
        self.listener: asyncio.Task[None] | None = None
        self.sender: psycopg.AsyncConnection[Any] | None = None
        self.outgoing: list[tuple[str, asyncio.Future[None]]] = []
        self.sending: asyncio.Task[None] | None = None

    def channel(self, name: str) -> Channel:
        if name not in self.channels:
            self.drop_abandoned()
            self.channels[name] = Channel(asyncio.Queue(self.capacity))
        return self.channels[name]

    def drop_abandoned(self) -> None:
        """A receiver that ended with a message in its hand was never told to leave."""
        latest = time.monotonic() - self.expiry
        idle = [
            name
            for name, channel in self.channels.items()
            if not channel.num_receivers and channel.used_at < latest
        ]
        members = set().union(*self.groups.values()) if idle else set()
        for name in idle:
            # Who is in a group may only be slow; who has not read a thousand messages is gone.
            if name not in members or self.channels[name].messages.full():
                self.drop(name)

    def leave(self, group: str, channel: str) -> None:
        members = self.groups.get(group, set())
        members.discard(channel)
        if not members:
            self.groups.pop(group, None)

    def drop(self, channel: str) -> None:
        self.channels.pop(channel, None)
        for group in [name for name, channels in self.groups.items() if channel in channels]:
            self.leave(group, channel)

    def deliver(self, target: str, is_group: bool, message: Message) -> None:
        for name in list(self.groups.get(target, ())) if is_group else [target]:
            channel = self.channels.get(name)
            if channel is not None and not channel.messages.full():
                channel.messages.put_nowait(dict(message))

    async def listen(self) -> None:
        wait, longest = RECONNECT_SECONDS
        while True:
            try:
                await self.hear()
            except CONNECTION_LOST as error:
                logger.warning("The bus lost its connection and tries again: %s", error)
            if self.is_listening.is_set():
                self.is_listening.clear()
                # Most likely gone too, which otherwise only its next use would tell.
                await self.drop_sender()
                wait = RECONNECT_SECONDS[0]
            await asyncio.sleep(wait)
            wait = min(2 * wait, longest)

    async def hear(self) -> None:
        """Deliver what is sent until the connection is lost."""
        async with await psycopg.AsyncConnection.connect(conninfo(), autocommit=True) as listening:
            await listening.execute(f"listen {TOPIC}")
            self.is_listening.set()
            if self.was_listening:
                for name in list(self.channels):
                    self.deliver(name, False, RESTORED)
            self.was_listening = True
            unpacker = Unpacker()
            async for notice in listening.notifies():
                try:
                    for target, is_group, message in unpacker.items(notice.payload):
                        self.deliver(target, is_group, message)
                except (ValueError, TypeError):
                    logger.warning("The bus heard something that isn't a message of its own")

    async def send_all(self) -> None:
        while self.outgoing:
            batch, self.outgoing = self.outgoing, []
            try:
                await self.notify([item for item, _ in batch])
            except CONNECTION_LOST as error:
                await self.drop_sender()
                for _, sent in batch:
                    if not sent.done():
                        sent.set_exception(error)
                continue
            for _, sent in batch:
                if not sent.done():
                    sent.set_result(None)

    async def notify(self, items: Iterable[str]) -> None:
        if self.sender is None or self.sender.closed:
            self.sender = await psycopg.AsyncConnection.connect(conninfo(), autocommit=True)
        async with self.sender.pipeline():
            for payload in packed(items):
                await self.sender.execute("select pg_notify(%s, %s)", [TOPIC, payload])

    async def drop_sender(self) -> None:
        sender, self.sender = self.sender, None
        if sender is not None:
            await sender.close()

    async def close(self) -> None:
        for task in (self.listener, self.sending):
            if task is not None:
                task.cancel()
        for _, sent in self.outgoing:
            sent.cancel()
        await self.drop_sender()
        self.channels.clear()
        self.groups.clear()


class PostgresChannelLayer(BaseChannelLayer):
    """See the module. `capacity` is the number of messages a channel may be behind."""

    extensions = ["groups", "flush"]

    def __init__(self, expiry: int = 60, capacity: int = 1000, **kwargs: Any) -> None:
        super().__init__(expiry=expiry, capacity=capacity, **kwargs)
        self.loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Loop] = WeakKeyDictionary()

    def here(self) -> Loop:
        loop = asyncio.get_running_loop()
        if loop not in self.loops:
            self.loops[loop] = Loop(self.capacity, self.expiry)
        return self.loops[loop]

    async def listening(self) -> Loop:
        here = self.here()
        if here.listener is None or here.listener.done():
            here.listener = asyncio.create_task(here.listen())
        await here.is_listening.wait()
        return here

    async def new_channel(self, prefix: str = "specific") -> str:
        channel = f"{prefix}.{uuid.uuid4().hex}!{uuid.uuid4().hex}"
        (await self.listening()).channel(channel)
        return channel

    async def receive(self, channel: str) -> Message:
        """The next message of a channel. A cancelled receiver is one that leaves for good."""
        here = await self.listening()
        received = here.channel(channel)
        received.num_receivers += 1
        try:
            return await received.messages.get()
        except asyncio.CancelledError:
            here.drop(channel)
            raise
        finally:
            received.num_receivers -= 1
            received.used_at = time.monotonic()

    async def send(self, channel: str, message: Message) -> None:
        """Raises ChannelFull if the channel is of this process and has no room."""
        self.require_valid_channel_name(channel)
        target = self.here().channels.get(channel)
        if target is not None and target.messages.full():
            raise ChannelFull(channel)
        await self.out([channel, False, message])

    async def group_add(self, group: str, channel: str) -> None:
        self.require_valid_group_name(group)
        here = await self.listening()
        here.channel(channel)
        here.groups[group].add(channel)

    async def group_discard(self, group: str, channel: str) -> None:
        self.require_valid_group_name(group)
        self.here().leave(group, channel)

    async def group_send(self, group: str, message: Message) -> None:
        self.require_valid_group_name(group)
        await self.out([group, True, message])

    async def flush(self) -> None:
        """Forget every group and queue of this event loop and close its connections."""
        if here := self.loops.pop(asyncio.get_running_loop(), None):
            await here.close()

    async def out(self, item: list[Any]) -> None:
        here, sent = self.here(), asyncio.get_running_loop().create_future()
        here.outgoing.append((json.dumps(item), sent))
        if here.sending is None or here.sending.done():
            here.sending = asyncio.create_task(here.send_all())
        await sent
