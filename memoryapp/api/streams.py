"""How a client gets a reply: as server-sent events while it is written, or whole at its end."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from contextvars import Context
from typing import Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from ninja.responses import NinjaJSONEncoder

from memoryapp import followers, replies
from memoryapp.api.errors import NOT_FOUND, ApiError
from memoryapp.api.shown import shown
from memoryapp.models import Message
from memoryapp.patience import in_database, let_go, patiently
from memoryapp.schemas.chats import MessageOut
from memoryapp.turns import Turn

# Proxies close a silent connection after 60 seconds, some after 30.
HEARTBEAT_SECONDS = 15.0
EVENT_STREAM = "text/event-stream"
FAILURES = {
    Message.Status.FAILED: "reply_failed",
    Message.Status.INTERRUPTED: "reply_interrupted",
}


async def begin(
    open_turn: Callable[[], Turn], started: Callable[[Turn], None] = lambda turn: None
) -> Turn:
    """Open a turn and start its reply: both, even when the client leaves in between. `started` is
    called as soon as that is done."""

    async def both() -> Turn:
        turn = await in_database(open_turn)
        if turn.is_new:
            await replies.start(turn)
        started(turn)
        return turn

    await let_go()
    # A task that survives the request must not borrow the thread of the request.
    beginning = asyncio.create_task(both(), context=Context())
    try:
        return await asyncio.shield(beginning)
    except asyncio.CancelledError:
        await asyncio.wait({beginning})
        raise


async def ended(reply: Message) -> MessageOut:
    """The reply once nothing more comes, however it ended."""
    try:
        async with aclosing(follow(reply)) as events:
            async for _ in events:
                pass
        return await patiently(last_look, reply)
    except Message.DoesNotExist:
        raise Http404 from None


async def finished(reply: Message) -> MessageOut:
    """The reply once it is written. Raises a 503 if it failed."""
    message = await ended(reply)
    if code := FAILURES.get(Message.Status(message.status)):
        raise ApiError(503, code, message.failure)
    return message


def follow(reply: Message, after: int = 0) -> AsyncGenerator[dict[str, Any], None]:
    return followers.follow(reply.chat_id, reply.pk, after)


def last_look(reply: Message) -> MessageOut:
    return shown([Message.objects.get(pk=reply.pk)])[0]


def prefers_stream(request: HttpRequest) -> bool:
    return request.get_preferred_type(["application/json", EVENT_STREAM]) == EVENT_STREAM


def stream(reply: Message, after: int = 0) -> StreamingHttpResponse:
    return streamed(events(reply, after))


def streamed(
    events: AsyncGenerator[str, None], headers: Mapping[str, str] | None = None
) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        with_heartbeat(events),
        content_type=EVENT_STREAM,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})},
    )


async def events(reply: Message, after: int) -> AsyncGenerator[str, None]:
    yield event("message", {"id": reply.pk, "chat_id": reply.chat_id, "parent": reply.parent_id})
    try:
        async with aclosing(follow(reply, after)) as followed:
            async for told in followed:
                if told["type"] == "reply.recalled":
                    yield event("recall", told["receipt"])
                elif told["type"] == "reply.delta":
                    offset, text = told["offset"], told["text"]
                    yield event("delta", {"offset": offset, "text": text}, offset + len(text))
        yield end(await patiently(last_look, reply))
    except Message.DoesNotExist:
        yield event("error", {"code": "not_found", "detail": NOT_FOUND})


def end(message: MessageOut) -> str:
    if code := FAILURES.get(Message.Status(message.status)):
        return event("error", {"code": code, "detail": message.failure})
    return event("done", {"message": message.model_dump()})


def event(name: str, data: dict[str, Any], id: int | None = None) -> str:
    """One server-sent event. `id`, the offset after it, comes back as Last-Event-ID."""
    head = f"event: {name}\n" if id is None else f"event: {name}\nid: {id}\n"
    return f"{head}data: {json.dumps(data, cls=NinjaJSONEncoder)}\n\n"


async def with_heartbeat(events: AsyncGenerator[str, None]) -> AsyncIterator[str]:
    """`events`, and a comment whenever they are silent for too long."""
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            await asyncio.wait({following}, timeout=HEARTBEAT_SECONDS)
            if not following.done():
                yield ": still here\n\n"
            elif (told := following.result()) is None:
                return
            else:
                yield told
                following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()
        await asyncio.wait({following})
        await events.aclose()
