"""A turn, asked for and answered in OpenAI's protocol."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router

from memoryapp import replies, temporary, turns
from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import NOT_FOUND, ApiError
from memoryapp.api.openai import histories, models
from memoryapp.api.openai.answers import Answer, Ended, from_chat, from_nowhere, unstored
from memoryapp.api.openai.shapes import Shape, error_of
from memoryapp.api.openai.side_requests import is_side_request
from memoryapp.api.streams import FAILURES, begin, streamed
from memoryapp.hanging_up import when_over
from memoryapp.models import Chat, Message, User
from memoryapp.patience import let_go
from memoryapp.schemas.openai import Completion

router = Router()

# What was tried again and answered by another model already is not made better by a client that
# does all of it twice more: OpenAI's own clients obey this header.
ENOUGH = {"x-should-retry": "false"}


@router.post("/chat/completions")
async def completion(request: ApiRequest, data: Completion) -> JsonResponse | StreamingHttpResponse:
    """One turn with memory, in the chat that is named, or where the history that comes along was
    said. Without memory it is a turn of a temporary chat, and stored nowhere.

    A program that goes away ends the writing, at whatever instant: it is its way to say stop."""
    models.check(data.model)
    chat_id, headers = chat_id_of(request, data), dict[str, str]()
    if is_with_memory(request, data, chat_id):
        turn = await begin(
            partial(opened, request.user, data, chat_id),
            lambda turn: when_over(request, partial(replies.stop_here, turn.reply.pk)),
        )
        headers["X-Chat-Id"] = str(turn.reply.chat_id)
        answer = from_chat(turn)
    else:
        await let_go()
        chat, turn = unstored(request.user, data.said, data.question, data.wishes)
        writing = temporary.start(chat, turn)
        when_over(request, writing.cancel)
        answer = from_nowhere(turn.reply, writing)
    options = data.stream_options
    has_usage = bool(options and options.include_usage)
    shape = Shape(turn.reply, data.model, data.most_tokens, has_usage)
    if data.stream:
        return streamed(events(shape, answer), headers)
    return JsonResponse(await whole(shape, answer), headers=headers)


def chat_id_of(request: ApiRequest, data: Completion) -> UUID | None:
    given = (data.metadata or {}).get("chat_id") or request.headers.get("X-Chat-Id")
    try:
        return UUID(str(given)) if given else None
    except ValueError:
        raise Http404 from None


def is_with_memory(request: ApiRequest, data: Completion, chat_id: UUID | None) -> bool:
    wanted = request.headers.get("X-Memory", "on").lower()
    if wanted not in ("on", "off"):
        raise ApiError(400, "invalid", "The header X-Memory can be 'on' or 'off'.")
    is_off = wanted == "off" or data.model == models.TEMPORARY
    if is_off and chat_id:
        raise ApiError(
            400,
            "chat_without_memory",
            "What is asked without memory is stored nowhere, so it can't be part of a chat. Leave "
            "out the chat's id, or switch memory off in that chat.",
        )
    return not is_off and (chat_id is not None or not is_side_request(data.question))


def opened(user: User, data: Completion, chat_id: UUID | None) -> turns.Turn:
    """A chat that is named has a history of its own, so the one that comes along isn't read."""
    if chat_id is None:
        turn = histories.open_turn(user, data.said, data.question)
    else:
        own = Chat.objects.for_user(user).select_related("user")
        chat = get_object_or_404(own, pk=chat_id)
        turn = turns.open_turn(chat=chat, body=data.question)
    return replace(turn, wishes=data.wishes)


async def whole(shape: Shape, answer: Answer) -> dict[str, Any]:
    """The finished answer. Raises a 503 if it failed."""
    text = ""
    async with aclosing(answer) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                text += piece
            elif code := FAILURES.get(Message.Status(piece.status)):
                raise ApiError(503, code, piece.failure, ENOUGH)
            else:
                return shape.whole(text, piece)
    raise AssertionError("an answer tells how it ended")


async def events(shape: Shape, answer: Answer) -> AsyncGenerator[str, None]:
    """The answer as server-sent events. A failure is one, too, since the status is out by then."""
    yield event(shape.piece({"role": "assistant", "content": ""}))
    try:
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield event(shape.piece({"content": piece}))
                else:
                    for told in ending(shape, piece):
                        yield event(told)
    except Message.DoesNotExist:
        yield event(error_of(404, "not_found", NOT_FOUND))
    yield "data: [DONE]\n\n"


def ending(shape: Shape, ended: Ended) -> list[dict[str, Any]]:
    if code := FAILURES.get(Message.Status(ended.status)):
        return [error_of(503, code, ended.failure)]
    last = shape.piece({}, ended)
    return [last, shape.usage_piece(ended)] if shape.has_usage else [last]


def event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"
