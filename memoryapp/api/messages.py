"""Messages: read a chat, say something in it, and follow, stop or repeat a reply."""

import asyncio
import re
from functools import partial
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router, Status

from memoryapp import branches, replies, tasks, turns
from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.api.paging import cut
from memoryapp.api.params import Asked
from memoryapp.api.shown import shown
from memoryapp.api.streams import (
    EVENT_STREAM,
    begin,
    ended,
    finished,
    last_look,
    prefers_stream,
    stream,
)
from memoryapp.models import Chat, Fact, Message, User
from memoryapp.patience import let_go
from memoryapp.schemas.chats import (
    MessageChanges,
    MessageFilter,
    MessageOut,
    NewMessage,
    ReceiptOut,
    Regenerate,
    StreamFrom,
)
from memoryapp.schemas.fields import Page
from memoryapp.turns import Turn

router = Router(tags=["messages"])
# A reply whose process died can't obey; the sweep ends it within a minute.
STOP_TRIES, STOP_SECONDS = 5, 1.0
OFFSET = re.compile("[0-9]{1,9}")
EVENTS = {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}}
STREAMED = {"responses": {200: EVENTS}}
ALSO_STREAMED = {"responses": {200: {"description": "OK", **EVENTS}}}
Role = Message.Role


@router.get("/chats/{chat_id}/messages", response=Page[MessageOut], summary="Read a chat")
def message_list(
    request: ApiRequest, chat_id: UUID, asked: Asked[MessageFilter]
) -> Page[MessageOut]:
    """The history of the active branch, or with `archive=true` everything; oldest first."""
    chat = get_object_or_404(Chat.objects.for_user(request.user), pk=chat_id)
    messages = chat.archive if asked.archive else chat.history
    if asked.after:
        last_seen: Message = get_object_or_404(chat.messages, pk=asked.after)
        messages = messages.filter(created_at__gt=last_seen.created_at)
    return Page[MessageOut](items=shown(list(cut(messages, asked))), count=messages.count())


@router.post(
    "/chats/{chat_id}/messages",
    response={200: MessageOut, 201: MessageOut},
    openapi_extra=STREAMED,
    summary="Say something, and wait for the reply or stream it",
)
async def message_add(
    request: ApiRequest, chat_id: UUID, data: NewMessage
) -> Status[MessageOut] | StreamingHttpResponse:
    """One turn. `Accept: text/event-stream` streams the events `message`, `recall`, `delta`,
    `done` and `error`; otherwise the answer is the finished reply, 201 for a new turn and 200
    for one whose `id` was sent before. The reply is written to its end even if you leave.
    """
    return await answered(request, await begin(partial(opened, request.user, chat_id, data)))


def opened(user: User, chat_id: UUID, data: NewMessage) -> Turn:
    chat = get_object_or_404(user.chats, pk=chat_id)
    parent = None
    if data.parent is not None:
        parent = get_object_or_404(chat.messages.spoken(), pk=data.parent)
    return turns.open_turn(
        chat=chat,
        body=data.body,
        id=data.id,
        fork="parent" in data.model_fields_set,
        parent=parent,
    )


async def answered(request: ApiRequest, turn: Turn) -> Status[MessageOut] | StreamingHttpResponse:
    if prefers_stream(request):
        return stream(turn.reply)
    return Status(201 if turn.is_new else 200, await finished(turn.reply))


@router.get(
    "/messages/{message_id}/stream",
    summary="The rest of a reply, as it comes",
    openapi_extra=STREAMED,
)
async def message_stream(
    request: ApiRequest, message_id: UUID, asked: Asked[StreamFrom]
) -> StreamingHttpResponse:
    """Events as of POST, the text from the code point `after` on. A browser that reconnects
    says where it was by itself, in Last-Event-ID."""
    reply = await sync_to_async(found_reply)(request.user, message_id)
    await let_go()
    last_seen = OFFSET.fullmatch(request.headers.get("Last-Event-ID", ""))
    return stream(reply, int(last_seen[0]) if last_seen else asked.after)


@router.patch(
    "/messages/{message_id}", response=MessageOut, summary="Show another version of a message"
)
def message_change(request: ApiRequest, message_id: UUID, data: MessageChanges) -> MessageOut:
    """The branch through this message is shown from now on, to its newest end: history, recall
    and what is learned follow it. Nothing is deleted. 409 while the chat answers."""
    own = Message.objects.for_user(request.user).spoken().select_related("chat__user")
    message: Message = get_object_or_404(own, pk=message_id)
    branches.switch_to(message)
    message.refresh_from_db()
    return shown([message])[0]


@router.post("/messages/{message_id}/stop", response=MessageOut, summary="Stop a reply")
async def message_stop(request: ApiRequest, message_id: UUID) -> MessageOut:
    """Its text so far is kept. Nothing happens to a reply that is finished."""
    reply = await sync_to_async(found_reply)(request.user, message_id)
    await let_go()
    for _ in range(STOP_TRIES):
        await replies.stop(reply.pk)
        try:
            async with asyncio.timeout(STOP_SECONDS):
                return await ended(reply)
        except TimeoutError:
            continue  # on its way to another process it may have been lost
    return await sync_to_async(last_look)(reply)


@router.post(
    "/messages/{message_id}/regenerate",
    response={201: MessageOut},
    summary="Answer again, perhaps without some facts",
    openapi_extra=ALSO_STREAMED,
)
async def message_regenerate(
    request: ApiRequest, message_id: UUID, data: Regenerate | None = None
) -> Status[MessageOut] | StreamingHttpResponse:
    """A new version beside the reply, which stays. Waits or streams, as POST of a message."""
    without = data.without if data else []
    return await answered(
        request, await begin(partial(reopened, request.user, message_id, without))
    )


@router.post(
    "/messages/{message_id}/continue",
    response={201: MessageOut},
    summary="Go on with a reply that ended too early",
    openapi_extra=ALSO_STREAMED,
)
async def message_continue(
    request: ApiRequest, message_id: UUID
) -> Status[MessageOut] | StreamingHttpResponse:
    """A new version that begins with the text there is; the old one stays. For a reply that was
    stopped, failed or was interrupted: 422 for a complete one, 409 while the chat answers. Waits
    or streams, as POST of a message; a stream begins with the text there is."""
    return await answered(request, await begin(partial(resumed, request.user, message_id)))


def resumed(user: User, message_id: UUID) -> Turn:
    return branches.resume(message=found_reply(user, message_id))


def reopened(user: User, message_id: UUID, without: list[UUID]) -> Turn:
    reply = found_reply(user, message_id)
    if Fact.objects.for_user(user).filter(pk__in=without).count() < len(set(without)):
        raise Http404
    return branches.reopen(message=reply, without=[str(id) for id in without])


@router.post(
    "/messages/{message_id}/redo", response={202: MessageOut}, summary="Write a summary again"
)
def message_redo(request: ApiRequest, message_id: UUID) -> Status[MessageOut]:
    """From the messages it covers, in the background; it changes when that is done."""
    messages = Message.objects.for_user(request.user).select_related("chat__user")
    summary: Message = get_object_or_404(messages, pk=message_id)
    if summary.role != Role.SUMMARY:
        raise ApiError(422, "not_a_summary", "Only a summary can be written again like this.")
    tasks.enqueue(tasks.redo_summary, summary.pk)
    return Status(202, shown([summary])[0])


@router.get("/messages/{message_id}/receipt", response=ReceiptOut, summary="What went into a reply")
def message_receipt(request: ApiRequest, message_id: UUID) -> ReceiptOut:
    return ReceiptOut(found_reply(request.user, message_id).receipt)


def found_reply(user: User, message_id: UUID) -> Message:
    """The reply with this id, or the newest one to the user's message with this id."""
    messages = Message.objects.for_user(user).select_related("chat__user", "parent")
    message: Message | None = get_object_or_404(messages, pk=message_id)
    if message is not None and message.role == Role.USER:
        message = messages.filter(parent=message, role=Role.ASSISTANT).order_by("created_at").last()
    if message is None or message.role != Role.ASSISTANT:
        raise ApiError(422, "not_a_reply", "This message is not a reply, and has none.")
    return message
