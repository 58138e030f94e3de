"""Chats from a file as rows: once each, with their own dates, and only ever this person's."""

import uuid
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from memoryapp.ids import as_uuid
from memoryapp.importing.records import ChatRecord, MessageRecord
from memoryapp.memory.language.phrases import is_off_the_record
from memoryapp.models import Chat, Message, User
from memoryapp.models.chats import TITLE_MAX_CHARS, UNTITLED

AT_ONCE = 500
TICK = timedelta(microseconds=1)
NAME_CHARS = 60  # of the first message, for a chat without a title

Role = Message.Role


class Ids:
    """The ids that a chat from a file and its messages have here.

    Those of a chat that is still here are its own. All others are made of this person's id and
    the ones in the file: the same each time, and never those of somebody else's rows.
    """

    def __init__(self, user: User, record: ChatRecord) -> None:
        self._origin = f"{user.pk}/{record.source}/{record.id}"
        self.chat, self._own = uuid.uuid5(uuid.NAMESPACE_OID, self._origin), set[str]()
        own = as_uuid(record.id)
        chat = Chat.objects.for_user(user).filter(pk=own).first() if own else None
        if chat is not None:
            self.chat = chat.pk
            self._own = {str(id) for id in chat.messages.values_list("pk", flat=True)}

    def message(self, id: str) -> uuid.UUID:
        if id in self._own:
            return uuid.UUID(id)
        return uuid.uuid5(uuid.NAMESPACE_OID, f"{self._origin}/{id}")


def store(user: User, record: ChatRecord, ids: Ids, is_forgotten: Callable[[str], bool]) -> int:
    """Write what isn't here yet of a chat, and say how many messages that is.

    What was said on elsewhere follows where the chat ended here, unless it has gone on here too:
    then it is another version. What says something that was forgotten can't be recalled, nor what
    its author asked not to remember and the replies to that.
    """
    with transaction.atomic():
        User.objects.select_for_update().only("pk").get(pk=user.pk)  # imports take turns
        here = set(Message.objects.filter(chat=ids.chat).values_list("pk", flat=True))
        new = [each for each in record.messages if ids.message(each.id) not in here]
        if not new:
            return 0
        said_at, branch = times(record), set(record.branch)
        summaries = {each.id for each in record.messages if each.role == Role.SUMMARY}
        chat = Chat.objects.for_user(user).filter(pk=ids.chat).first()
        if chat is None:
            chat = _chat(user, record, ids, min(said_at.values()), is_forgotten)
        elif not _goes_on(chat, {ids.message(id) for id in branch}):
            branch = set()
        rows = [
            Message(
                id=ids.message(each.id),
                chat=chat,
                user=user,
                parent_id=each.parent and ids.message(each.parent),
                role=each.role,
                body=each.body,
                created_at=said_at[each.id],
                config=user.search_config,
                is_imported=True,
                **_columns(each, summaries, ids, is_shown=each.id in branch),
            )
            for each in new
        ]
        private = {row.pk for row in rows if row.role == Role.USER and is_off_the_record(row.body)}
        for row in rows:
            row.is_recallable = row.is_recallable and not is_forgotten(row.body)
            row.is_on_record = row.is_on_record and private.isdisjoint((row.pk, row.parent_id))
        Message.objects.bulk_create(rows, batch_size=AT_ONCE)
        chat.last_message_at = max(chat.last_message_at, *(row.created_at for row in rows))
        chat.save(update_fields=["last_message_at"])
    return len(rows)


def _goes_on(chat: Chat, branch: set[uuid.UUID]) -> bool:
    """Whether the chat ends here at a message of this branch."""
    chat.lock()
    end = chat.archive.spoken().on_branch().last()
    return end is None or end.pk in branch


def _chat(
    user: User,
    record: ChatRecord,
    ids: Ids,
    began_at: datetime,
    is_forgotten: Callable[[str], bool],
) -> Chat:
    title = "" if is_forgotten(record.title) else record.title[:TITLE_MAX_CHARS]
    said = next((each.body for each in record.messages if each.role == Role.USER), "")
    name = "" if is_forgotten(said) else " ".join(said.split())[:NAME_CHARS]
    source = Chat.TitleSource.MANUAL if title else Chat.TitleSource.AUTO
    return Chat.objects.create(
        id=ids.chat,
        user=user,
        title=title or name or UNTITLED,
        created_at=min(record.began_at or began_at, began_at),
        last_message_at=began_at,
        **{"title_source": source, **record.columns},
    )


def times(record: ChatRecord) -> dict[str, datetime]:
    """When each message was said: as the file has it, but never before what it follows, at the
    moment of another, or in the future. A summary keeps the time of what it covers."""
    now, said_at = timezone.now(), dict[str, datetime]()
    for each in record.messages:
        before = said_at[each.parent] + TICK if each.parent else record.began_at or now
        at = each.said_at or before
        said_at[each.id] = min(max(at, before) if each.parent else at, now)
    latest = datetime.min.replace(tzinfo=UTC)
    spoken = [each.id for each in record.messages if each.role != Role.SUMMARY]
    for id in sorted(spoken, key=said_at.__getitem__):
        latest = said_at[id] = max(said_at[id], latest + TICK)
    return said_at


def _columns(
    each: MessageRecord, summaries: Collection[str], ids: Ids, *, is_shown: bool
) -> dict[str, Any]:
    """The further columns of a message. Summaries stand beside the branch, and only replies have
    a status other than complete."""
    columns = dict(each.columns)
    summary = columns.pop("evicted_by", None)
    if summary in summaries:
        columns["evicted_by_id"] = ids.message(summary)
    if each.role != Role.SUMMARY:
        columns["is_active"] = is_shown
    if each.role != Role.ASSISTANT:
        columns["status"], columns["failure"] = Message.Status.COMPLETE, ""
    return columns
