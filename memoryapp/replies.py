"""A turn that runs detached from any socket: who writes it, how it is stopped, how it ends."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from contextvars import Context
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer
from django.db import Error, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from memoryapp import writers
from memoryapp.accounting import account_for_part
from memoryapp.agents import llm
from memoryapp.bus import chat_group, reply_group, unless_bus_is_away
from memoryapp.models import Message
from memoryapp.models.messages import INTERRUPTED
from memoryapp.patience import AWAY, cancel, in_database, patiently
from memoryapp.receipts import Receipt
from memoryapp.turns import Turn, take_turn

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 0.04  # what arrives within a frame or two of the screen goes out together
SAVE_SECONDS = 1.0
FIRST_SAVE_SECONDS = 0.1  # of the first words: a crash shall not take all there is
DATABASE_AWAY = gettext_noop(
    "The database couldn't be reached. Wait a minute and try again; if it happens often, an "
    "administrator should look at PostgreSQL."
)
DRAIN_SECONDS = 5.0
KEEP = """
    update memoryapp_message as message
    set body = told.body, streaming_beat = %s, writer = %s
    from unnest(%s::uuid[], %s::text[]) as told (id, body)
    where message.id = told.id and message.status = 'streaming' returning message.id
"""

Event = dict[str, Any]
Status = Message.Status


@dataclass(frozen=True)
class End:
    """How a reply ended; `failure` is told to its owner and `error` to the log."""

    status: str
    failure: str = ""
    error: Exception | None = None


@dataclass
class Live:
    """A reply while this process writes it."""

    turn: Turn
    text: str
    sent: int  # how many code points of the text have been published
    is_saved: bool = False  # some of the text is in its row
    receipt: Receipt | None = None
    # How it ends when the writing is cut off: by somebody who says so first, or by the server.
    cut_off: End = End(Status.INTERRUPTED, INTERRUPTED)
    writing: asyncio.Task[None] | None = None
    task: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        return str(self.turn.reply.pk)

    @property
    def has_news(self) -> bool:
        return self.sent < len(self.text)

    def cut(self, end: End) -> None:
        """End the writing at once, wherever it is; nothing happens when it is over."""
        if self.writing is not None and not self.writing.done():
            self.cut_off = end
            self.writing.cancel()


LIVE: dict[str, Live] = {}
TELLING: set[asyncio.Task[None]] = set()  # else nothing would hold them
# What is done for all of them together, as long as there are any.
FOR_ALL: dict[Callable[[], Awaitable[None]], asyncio.Task[None]] = {}


async def start(turn: Turn) -> None:
    """Answer `turn` in this process, whatever becomes of the request that asked for it."""
    live = LIVE[str(turn.reply.pk)] = Live(turn, turn.begun, len(turn.begun))
    # In a context of its own: a request's context holds asgiref's threads, which end with it.
    live.writing = asyncio.create_task(_stream(live), context=Context())
    live.task = asyncio.create_task(_write(live, live.writing), context=Context())
    live.task.add_done_callback(lambda _: LIVE.pop(live.id, None))
    for work in (_publish, _save):
        if work not in FOR_ALL or FOR_ALL[work].done():
            FOR_ALL[work] = asyncio.create_task(whatever_happens(work), context=Context())


async def stop(reply_id: UUID | str) -> None:
    """Stop a reply in whatever process writes it; its text so far is kept."""
    if not stop_here(reply_id):
        await get_channel_layer().group_send(reply_group(reply_id), {"type": "reply.stop"})


def stop_here(reply_id: UUID | str) -> bool:
    """Stop a reply that this process writes, if it does; its text so far is kept."""
    if live := LIVE.get(str(reply_id)):
        live.cut(End(Status.STOPPED))
    return live is not None


async def ask_for_snapshot(reply_id: UUID | str, channel: str) -> None:
    """Have the whole text so far sent to `channel` by the process that writes the reply."""
    await get_channel_layer().group_send(
        reply_group(reply_id), {"type": "reply.ask", "channel": channel}
    )


async def _write(live: Live, writing: asyncio.Task[None]) -> None:
    """See one reply from its first token to its saved end."""
    obeying = asyncio.create_task(whatever_happens(_obey, live))
    try:
        end = await end_of(writing, lambda: live.cut_off)
        if (before := live.turn.continues) and live.text == live.turn.begun:
            live.text = before.body  # nothing came, so nothing is taken away either
        await _finish(live, end)
    finally:
        await cancel(obeying)


async def _stream(live: Live) -> None:
    _tell_meanwhile(live, "reply.started", user_message=str(live.turn.user_message.pk))
    async with aclosing(take_turn(live.turn)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Receipt):
                live.receipt = piece
                _tell_meanwhile(live, "reply.recalled", receipt=piece.noted())
                continue
            is_first = live.text == live.turn.begun
            live.text += piece
            if is_first:
                await _flush(live)


async def end_of(writing: asyncio.Task[None], cut_off: Callable[[], End]) -> End:
    """How the writing of a reply ends; `cut_off` says it when it was cancelled."""
    try:
        await writing
    except asyncio.CancelledError:
        return cut_off()
    except AWAY as error:
        return End(Status.FAILED, DATABASE_AWAY, error)
    except Exception as error:  # noqa: BLE001 - whatever went wrong, the person is told
        return End(Status.FAILED, llm.explain(error), error)
    return End(Status.COMPLETE)


async def whatever_happens(work: Callable[..., Awaitable[None]], *args: Live) -> None:
    """Do `work` beside the writing of replies: a lost database or bus must not end it for good."""
    while True:
        try:
            return await work(*args)
        except Exception as error:  # noqa: BLE001 - replies go on without
            what = work.__name__.strip("_")
            logger.warning("What is done beside replies is tried again (%s): %s", what, error)
        await asyncio.sleep(SAVE_SECONDS)


async def _obey(live: Live) -> None:
    """Do what other processes and tabs ask of this reply: stop, or tell the whole text."""
    layer, group = get_channel_layer(), reply_group(live.id)
    channel = await layer.new_channel("reply")
    await layer.group_add(group, channel)
    try:
        while True:
            event = await layer.receive(channel)
            if event["type"] == "reply.stop":
                live.cut(End(Status.STOPPED))
            elif event["type"] == "reply.ask":
                await _flush(live)
                await _tell_whole(live, event["channel"])
    finally:
        await layer.group_discard(group, channel)


async def _tell_whole(live: Live, channel: str) -> None:
    layer, snapshot = get_channel_layer(), {"type": "reply.snapshot", "reply": live.id}
    if live.receipt is not None:
        recalled = {"type": "reply.recalled", "reply": live.id, "receipt": live.receipt.noted()}
        await layer.send(channel, recalled)
    await layer.send(channel, {**snapshot, "text": live.text})


async def _publish() -> None:
    """Publish what has arrived each few milliseconds."""
    while LIVE:
        await asyncio.sleep(FLUSH_SECONDS)
        await asyncio.gather(*(_flush(live) for live in LIVE.values() if live.has_news))


async def _save() -> None:
    """Save the texts so far and a sign of life about each second, and first words sooner."""
    clock = asyncio.get_running_loop().time
    due = clock() + SAVE_SECONDS
    while LIVE:
        await asyncio.sleep(FIRST_SAVE_SECONDS)
        if clock() >= due:
            due = clock() + SAVE_SECONDS
            await _save_texts(list(LIVE.values()))
        elif begun := [live for live in LIVE.values() if live.text and not live.is_saved]:
            await _save_texts(begun)


async def _save_texts(replies: Sequence[Live]) -> None:
    texts = {live.id: live.text for live in replies}
    kept = await in_database(_keep, texts)
    for live in replies:
        live.is_saved = bool(texts[live.id])
        if live.id not in kept:
            live.cut(live.cut_off)  # the chat was deleted


def _keep(texts: dict[str, str]) -> set[str]:
    """Save the texts of replies; the ids of those that are still there to be written."""
    with connection.cursor() as cursor:
        beat, writer = timezone.now(), writers.this.number
        cursor.execute(KEEP, [beat, writer, list(texts), list(texts.values())])
        return {str(id) for (id,) in cursor.fetchall()}


async def _flush(live: Live) -> None:
    text, offset = live.text[live.sent :], live.sent
    if text:
        live.sent += len(text)
        await _tell(live, "reply.delta", offset=offset, text=text)


def _tell_meanwhile(live: Live, type: str, **fields: Any) -> None:
    """As `_tell`, while the reply goes on. What is told later is heard later all the same."""
    telling = asyncio.create_task(_tell(live, type, **fields))
    TELLING.add(telling)
    telling.add_done_callback(TELLING.discard)


async def _tell(live: Live, type: str, **fields: Any) -> None:
    """Tell whoever follows, if that can be done now: offsets show what was missed."""
    event = {"type": type, "reply": live.id, **fields}
    with unless_bus_is_away("The bus doesn't take what a reply tells"):
        await get_channel_layer().group_send(chat_group(live.turn.reply.chat_id), event)


async def _finish(live: Live, end: End) -> None:
    await _flush(live)
    try:
        is_there = await patiently(_keep_end, live, end)
    except Error:
        logger.exception("The end of the reply %s can't be saved; it will be swept", live.id)
        return
    if is_there and end.error is not None:
        logger.error("The reply %s failed", live.id, exc_info=end.error)
    await _tell(live, "reply.finished", status=end.status)
    if end.status != Status.COMPLETE:
        await patiently(account_for_part, live.id)


def _keep_end(live: Live, end: End) -> bool:
    """Save the reply's end; False if it was deleted with its chat in the meantime."""
    with transaction.atomic():
        reply = Message.objects.select_for_update().filter(pk=live.id).first()
        if reply is None:
            return False
        reply.body = live.text
        if live.receipt is not None:
            reply.receipt = live.receipt.noted()
        reply.finish(end.status, end.failure)
    return True


async def drain() -> None:
    """End every reply of this process as interrupted, with the text it has."""
    ending = [live.task for live in LIVE.values() if live.task is not None]
    for live in LIVE.values():
        live.cut(live.cut_off)
    if ending:
        await asyncio.wait(ending, timeout=DRAIN_SECONDS)
