"""Chats: list, make, name, pin, archive, delete."""

from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.shortcuts import get_object_or_404
from ninja import Router, Status

from memoryapp.api.auth import ApiRequest
from memoryapp.api.facts import told
from memoryapp.api.paging import page
from memoryapp.api.params import Asked
from memoryapp.memory import scopes
from memoryapp.models import Chat, Message, User
from memoryapp.schemas.chats import ChatChanges, ChatFilter, ChatOut, Forget, NewChat
from memoryapp.schemas.fields import Page
from memoryapp.schemas.memory import Forgotten

router = Router(tags=["chats"])
COLUMNS = {"pinned": "is_pinned", "archived": "is_archived"}


def named(fields: dict[str, Any]) -> dict[str, Any]:
    """Columns of a chat from fields of the API. A title that somebody gives is theirs to keep."""
    columns = {COLUMNS.get(name, name): value for name, value in fields.items()}
    if "title" in columns:
        columns["title_source"] = Chat.TitleSource.MANUAL
    return columns


def holding(user: User, words: str) -> Q:
    """Chats with these words in their title or in one of their messages."""
    said = Message.objects.for_user(user).filter(
        chat=OuterRef("pk"),
        tsv=SearchQuery(words, config=user.search_config, search_type="websearch"),
    )
    return Q(title__icontains=words) | Q(Exists(said))


@router.get("", response=Page[ChatOut], summary="List chats")
def chat_list(request: ApiRequest, asked: Asked[ChatFilter]) -> Page[ChatOut]:
    """Pinned ones first, then by their last message."""
    chats = Chat.objects.for_user(request.user).filter(is_archived=asked.archived)
    if asked.pinned is not None:
        chats = chats.filter(is_pinned=asked.pinned)
    if asked.q:
        chats = chats.filter(holding(request.user, asked.q))
    return page(chats.newest_first(), asked, ChatOut)


@router.post("", response={201: ChatOut}, summary="Make a chat")
def chat_add(request: ApiRequest, data: NewChat) -> Status[ChatOut]:
    fields = named(data.model_dump(exclude_none=True))
    return Status(201, ChatOut.model_validate(Chat.objects.create(user=request.user, **fields)))


@router.get("/{chat_id}", response=ChatOut, summary="One chat")
def chat_detail(request: ApiRequest, chat_id: UUID) -> ChatOut:
    chat = get_object_or_404(Chat.objects.for_user(request.user), pk=chat_id)
    return ChatOut.model_validate(chat)


@router.patch("/{chat_id}", response=ChatOut, summary="Rename, pin, archive, or leave memory out")
def chat_edit(request: ApiRequest, chat_id: UUID, data: ChatChanges) -> ChatOut:
    chat = get_object_or_404(Chat.objects.for_user(request.user), pk=chat_id)
    changes = named(data.given())
    for column, value in changes.items():
        setattr(chat, column, value)
    chat.save(update_fields=list(changes))
    return ChatOut.model_validate(chat)


@router.delete("/{chat_id}", response=Forgotten, summary="Delete a chat")
def chat_delete(request: ApiRequest, chat_id: UUID, asked: Asked[Forget]) -> Forgotten:
    """With `forget=true` also what it taught; otherwise that stays known."""
    chat = get_object_or_404(Chat.objects.for_user(request.user), pk=chat_id)
    with transaction.atomic():
        scope = scopes.taught_by(chat) if asked.forget else []
        report = scopes.forget(scope, actor=request.user.username)
        chat.delete()
    return told(report)
