"""Versions of a message, and which branch of a chat is shown."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from memoryapp.agents.continuing import taken_up
from memoryapp.models import Chat, Message
from memoryapp.models.messages import Place
from memoryapp.turns import Turn, new_reply, refuse_while_streaming

Role, Status = Message.Role, Message.Status


def reopen(*, message: Message, without: Collection[str] = ()) -> Turn:
    """Begin another reply to the message that `message`, a reply, answers.

    Raises ValidationError if it is no reply, and ReplyStreaming as `turns.open_turn` does.
    """
    question = _question_of(message, _("Only a reply can be written again."))
    with _alone_in(message.chat):
        message.chat.fork_at(question)
        return Turn(question, new_reply(message.chat), without=frozenset(without))


def resume(*, message: Message) -> Turn:
    """Begin a version of `message`, an unfinished reply, that goes on from the text it has.

    `message` stays as it is. Raises ValidationError if it is no reply, is complete or has no text,
    and ReplyStreaming as `turns.open_turn` does.
    """
    question = _question_of(message, _("Only a reply can be continued."))
    with _alone_in(message.chat):
        message.refresh_from_db(fields=["body", "status"])  # it may have ended just now
        if message.status == Status.COMPLETE:
            raise ValidationError(
                _("This reply is complete. Ask for more, or have it answered again."),
                code="reply_complete",
            )
        if not message.body:
            raise ValidationError(
                _("Nothing of this reply had arrived to go on from. Have it answered again."),
                code="reply_empty",
            )
        message.chat.fork_at(question)
        begun = new_reply(message.chat, body=taken_up(message.body))
        return Turn(question, begun, continues=message)


def switch_to(message: Message) -> None:
    """Show the branch through `message`. Raises ReplyStreaming while the chat is answering."""
    with _alone_in(message.chat):
        message.chat.switch_to(message)


def versions_of(messages: Sequence[Message]) -> dict[Place, tuple[UUID, ...]]:
    """By place, the ids of all versions, oldest first, in one query. A summary has none."""
    chats = {message.chat_id for message in messages}
    parents = {message.parent_id for message in messages}
    rows = (
        Message.objects.spoken()
        .filter(Q(parent_id__in=parents - {None}) | Q(parent_id=None), chat_id__in=chats)
        .order_by("created_at")
        .values_list("chat_id", "parent_id", "role", "pk")
    )
    found: dict[Place, tuple[UUID, ...]] = defaultdict(tuple)
    for chat_id, parent_id, role, pk in rows:
        found[chat_id, parent_id, role] += (pk,)
    return found


def _question_of(message: Message, refusal: str) -> Message:
    if message.role != Role.ASSISTANT or message.parent is None:
        raise ValidationError(refusal, code="not_a_reply")
    return message.parent


@contextmanager
def _alone_in(chat: Chat) -> Iterator[None]:
    """A transaction in which nobody else writes in the chat, and no reply is being written."""
    with transaction.atomic():
        chat.lock()
        refuse_while_streaming(chat)
        yield
