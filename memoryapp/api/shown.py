"""Messages as they are shown, each with its versions: one query for a whole page of them."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from memoryapp.models import Message
from memoryapp.schemas.chats import MessageOut

Role = Message.Role
Place = tuple[UUID, UUID | None, str]


def shown(messages: Sequence[Message]) -> list[MessageOut]:
    versions = versions_of(messages)
    return [
        MessageOut(
            id=message.pk,
            chat_id=message.chat_id,
            parent=message.parent_id,
            role=message.role,
            body=message.body,
            status=message.status,
            failure=message.failure,
            is_active=message.is_active,
            is_evicted=message.evicted_by_id is not None,
            created_at=message.created_at,
            siblings=versions.get(place(message)) or [message.pk],
            receipt=message.receipt if message.role == Role.ASSISTANT else None,
        )
        for message in messages
    ]


def place(message: Message) -> Place:
    return message.chat_id, message.parent_id, message.role


def versions_of(messages: Sequence[Message]) -> dict[Place, list[UUID]]:
    """The ids at each of the messages' places, oldest first. A summary has no other version."""
    chats = {message.chat_id for message in messages}
    parents = {message.parent_id for message in messages}
    rows = (
        Message.objects.spoken()
        .filter(Q(parent_id__in=parents - {None}) | Q(parent_id=None), chat_id__in=chats)
        .order_by("created_at")
        .values_list("chat_id", "parent_id", "role", "pk")
    )
    found: dict[Place, list[UUID]] = defaultdict(list)
    for *at, id in rows:
        found[tuple(at)].append(id)
    return found
