"""Messages as they are shown, each with its versions: one query for a whole page of them."""

from collections.abc import Sequence

from memoryapp.branches import versions_of
from memoryapp.models import Message
from memoryapp.schemas.chats import MessageOut

Role = Message.Role


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
            siblings=list(versions[message.place]) or [message.pk],
            receipt=message.receipt if message.role == Role.ASSISTANT else None,
        )
        for message in messages
    ]
