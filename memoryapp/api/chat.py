"""One whole turn in one call, for programs that want nothing but an answer."""

from functools import partial

from django.db import transaction
from django.shortcuts import get_object_or_404
from ninja import Router

from memoryapp import turns
from memoryapp.api.auth import ApiRequest
from memoryapp.api.streams import begin, finished
from memoryapp.memory import ledger
from memoryapp.models import Chat, User
from memoryapp.models.memory import Origin
from memoryapp.schemas import chats

router = Router(tags=["chat"])


@router.post("", response=chats.TurnOut, summary="Say something and get the reply")
async def chat(request: ApiRequest, data: chats.Turn) -> chats.TurnOut:
    """Waits for the reply. `user_name` and `timezone` are remembered before it is written."""
    turn = await begin(partial(opened, request.user, data))
    reply = await finished(turn.reply)
    receipt = reply.receipt or {}
    return chats.TurnOut(
        reply=reply.body,
        chat_id=reply.chat_id,
        message_id=reply.id,
        used_memories=[memory["text"] for memory in receipt.get("memories", [])],
        summary_used=bool(receipt.get("summary_message_id")),
        receipt=receipt,
    )


def opened(user: User, data: chats.Turn) -> turns.Turn:
    """All of it or nothing: a turn that is refused leaves no chat and no fact behind."""
    own = Chat.objects.for_user(user).select_related("user")
    with transaction.atomic():
        chat = get_object_or_404(own, pk=data.chat_id) if data.chat_id else own.create(user=user)
        introduce(chat, data)
        return turns.open_turn(chat=chat, body=data.message)


def introduce(chat: Chat, data: chats.Turn) -> None:
    """Let the user's zone follow, and remember who they say they are if this chat remembers."""
    user = chat.user
    if data.timezone is not None and data.timezone != user.timezone:
        user.timezone = data.timezone
        user.save(update_fields=["timezone"])
    if not chat.remembers:
        return
    for key, value in (("name", data.user_name), ("timezone", data.timezone)):
        if value is not None:
            ledger.remember(
                user=user,
                table="fact",
                key=key,
                value=value,
                kind="identity",
                actor=user.username,
                origin=Origin.API,
            )
