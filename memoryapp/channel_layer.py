"""Channels' layer on PostgreSQL's LISTEN and NOTIFY: no rows, no second service.

Each process keeps its groups and queues in memory and hears everything on one LISTEN connection;
what is sent goes out in batches on another. Messages must be JSON. A channel that falls
`capacity` messages behind loses the newest, as the layer specification allows; whoever needs
exact text notices the gap in its offsets.
"""

import asyncio
import json
import logging
import uuid
from collections import defaultdict
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from asgiref.sync import async_to_sync
from channels.exceptions import ChannelFull
from channels.layers import BaseChannelLayer, get_channel_layer
from django.db import connection, connections

logger = logging.getLogger("memoryapp.bus")

TOPIC = "memoryapp"
PAYLOAD_MAX_CHARS = 7900  # PostgreSQL's limit is 8,000 bytes, and our JSON is ASCII
RECONNECT_SECONDS = (0.1, 5.0)

Message = dict[str, Any]


def conninfo() -> str:
    """How this process reaches the database, in libpq's words."""
    settings = connections["default"].settings_dict
    return psycopg.conninfo.make_conninfo(
        dbname=settings["NAME"],
        user=settings["USER"] or None,
        password=settings["PASSWORD"] or None,
        host=settings["HOST"] or None,
        port=settings["PORT"] or None,
    )


def packed(items: list[list[Any]]) -> list[str]:
    """The NOTIFY payloads that carry `items`, in order; one too large for a payload is cut up.

    The id keeps PostgreSQL from merging equal payloads of one transaction.
    """
    payloads: list[str] = []
    batch: list[str] = []
    for text in (json.dumps(item) for item in items):
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


class Loop:
    """What one event loop of this process holds: queues, groups and two connections."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.queues: dict[str, asyncio.Queue[Message]] = {}
        self.groups: dict[str, set[str]] = defaultdict(set)
        self.is_listening = asyncio.Event()
        self.listener: asyncio.Task[None] | None = None
        self.sender: psycopg.AsyncConnection[Any] | None = None
        self.outgoing: list[tuple[list[Any], asyncio.Future[None]]] = []
        self.sending: asyncio.Task[None] | None = None

    def queue(self, channel: str) -> asyncio.Queue[Message]:
        if channel not in self.queues:
            self.queues[channel] = asyncio.Queue(self.capacity)
        return self.queues[channel]

    def leave(self, group: str, channel: str) -> None:
        self.groups[group].discard(channel)
        if not self.groups[group]:
            del self.groups[group]

    def drop(self, channel: str) -> None:
        self.queues.pop(channel, None)
        for group in [name for name, channels in self.groups.items() if channel in channels]:
            self.leave(group, channel)

    def deliver(self, target: str, is_group: bool, message: Message) -> None:
        for channel in list(self.groups.get(target, ())) if is_group else [target]:
            queue = self.queues.get(channel)
            if queue is not None and not queue.full():
                queue.put_nowait(dict(message))

    async def listen(self) -> None:
        wait, longest = RECONNECT_SECONDS
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    conninfo(), autocommit=True
                ) as listening:
                    await listening.execute(f"listen {TOPIC}")
                    self.is_listening.set()
                    wait, unpacker = RECONNECT_SECONDS[0], Unpacker()
                    async for notice in listening.notifies():
                        for target, is_group, message in unpacker.items(notice.payload):
                            self.deliver(target, is_group, message)
            except (psycopg.OperationalError, OSError) as error:
                logger.warning("The bus lost its connection and tries again: %s", error)
            self.is_listening.clear()
            await asyncio.sleep(wait)
            wait = min(2 * wait, longest)

    async def send_all(self) -> None:
        while self.outgoing:
            batch, self.outgoing = self.outgoing, []
            try:
                await self.notify([item for item, _ in batch])
            except psycopg.OperationalError as error:
                self.sender = None
                for _, sent in batch:
                    sent.set_exception(error)
                continue
            for _, sent in batch:
                if not sent.done():
                    sent.set_result(None)

    async def notify(self, items: list[list[Any]]) -> None:
        if self.sender is None or self.sender.closed:
            self.sender = await psycopg.AsyncConnection.connect(conninfo(), autocommit=True)
        async with self.sender.pipeline():
            for payload in packed(items):
                await self.sender.execute("select pg_notify(%s, %s)", [TOPIC, payload])

    async def close(self) -> None:
        for task in (self.listener, self.sending):
            if task is not None:
                task.cancel()
        if self.sender is not None:
            await self.sender.close()
        self.queues.clear()
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
            self.loops[loop] = Loop(self.capacity)
        return self.loops[loop]

    async def listening(self) -> Loop:
        here = self.here()
        if here.listener is None or here.listener.done():
            here.listener = asyncio.create_task(here.listen())
        await here.is_listening.wait()
        return here

    async def new_channel(self, prefix: str = "specific") -> str:
        channel = f"{prefix}.{uuid.uuid4().hex}!{uuid.uuid4().hex}"
        (await self.listening()).queue(channel)
        return channel

    async def receive(self, channel: str) -> Message:
        """The next message of a channel. A cancelled receiver is one that leaves for good."""
        here = await self.listening()
        try:
            return await here.queue(channel).get()
        except asyncio.CancelledError:
            here.drop(channel)
            raise

    async def send(self, channel: str, message: Message) -> None:
        """Raises ChannelFull if the channel is of this process and has no room."""
        self.require_valid_channel_name(channel)
        queue = self.here().queues.get(channel)
        if queue is not None and queue.full():
            raise ChannelFull(channel)
        await self.out([channel, False, message])

    async def group_add(self, group: str, channel: str) -> None:
        self.require_valid_group_name(group)
        here = await self.listening()
        here.queue(channel)
        here.groups[group].add(channel)

    async def group_discard(self, group: str, channel: str) -> None:
        self.require_valid_group_name(group)
        here = self.here()
        here.leave(group, channel)

    async def group_send(self, group: str, message: Message) -> None:
        self.require_valid_group_name(group)
        await self.out([group, True, message])

    async def flush(self) -> None:
        """Forget every group and queue of this event loop and close its connections."""
        if here := self.loops.pop(asyncio.get_running_loop(), None):
            await here.close()

    async def out(self, item: list[Any]) -> None:
        here, sent = self.here(), asyncio.get_running_loop().create_future()
        here.outgoing.append((item, sent))
        if here.sending is None or here.sending.done():
            here.sending = asyncio.create_task(here.send_all())
        await sent


def chat_group(chat_id: uuid.UUID | str) -> str:
    """The group that hears all that happens in a chat."""
    return f"chat.{chat_id}"


def publish(group: str, message: Message) -> None:
    """Send to a group from synchronous code, when the current transaction commits."""
    layer = get_channel_layer()
    if not isinstance(layer, PostgresChannelLayer):
        async_to_sync(layer.group_send)(group, message)
        return
    with connection.cursor() as cursor:
        for payload in packed([[group, True, message]]):
            cursor.execute("select pg_notify(%s, %s)", [TOPIC, payload])
