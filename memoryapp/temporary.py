"""A chat that is written down nowhere: here while its page is open, and in that page.

Its messages are rows that are never saved. The page holds each of them too, signed, so that it
can hand them back to any process: to go on after a lost connection, or to have the chat kept.
"""

import asyncio
import logging
import time
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from memoryapp.agents import llm, summarizer, talker
from memoryapp.memory import eviction
from memoryapp.memory.language.phrases import is_off_the_record
from memoryapp.memory.recall.choosing import Recalled
from memoryapp.models import Chat, Message, User
from memoryapp.models.chats import next_moment
from memoryapp.models.messages import INTERRUPTED
from memoryapp.patience import patiently
from memoryapp.receipts import Receipt, nothing_found
from memoryapp.replies import End
from memoryapp.turns import (
    Known,
    ReplyStreaming,
    TooManyReplies,
    Turn,
    answered,
    checked_body,
    persona,
    spoken,
    told,
)

logger = logging.getLogger(__name__)

# All of it travels in one request when it is kept, which may have two megabytes and is signed.
MOST_CHARS, MOST_MESSAGES = 300_000, 400
MOST_PACKED_CHARS = 2_000_000
WRITING: Counter[Any] = Counter()  # replies that this process writes, by person
FIELDS = ("role", "body", "status", "failure", "receipt", "is_on_record")

Role, Status = Message.Role, Message.Status


class TemporaryChat:
    """The chat and its messages, oldest first; a summary stands below the last one it covers."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.chat = Chat(user=user, memory_on=False)
        self.messages: list[Message] = []

    @property
    def history(self) -> list[Message]:
        return [message for message in self.messages if message.evicted_by_id is None]

    @property
    def spoken(self) -> list[Message]:
        return [message for message in self.messages if message.role != Role.SUMMARY]

    @property
    def needs_answer(self) -> bool:
        return bool(self.spoken) and self.spoken[-1].role == Role.USER

    @property
    def is_answering(self) -> bool:
        return bool(self.messages) and self.messages[-1].status == Status.STREAMING

    @property
    def num_condensed(self) -> int:
        return sum(message.evicted_by_id is not None for message in self.spoken)

    def ask(self, body: str) -> Turn:
        """Begin a turn. Raises ValidationError for a body or a chat that is too long, and
        ReplyStreaming while it answers."""
        self._refuse_while_answering()
        body = checked_body(body)
        num_chars = sum(len(message.body) for message in self.messages)
        if num_chars + len(body) > MOST_CHARS or len(self.messages) >= MOST_MESSAGES:
            raise ValidationError(
                _("This temporary chat is full. Keep it, or begin another one."), code="full"
            )
        self.add(Role.USER, body, is_on_record=not is_off_the_record(body))
        return self.answer()

    def answer(self) -> Turn:
        """Begin a reply to the last question, in the place of one that there is."""
        self._refuse_while_answering()
        if self.spoken and self.spoken[-1].role == Role.ASSISTANT:
            self.messages.remove(self.spoken[-1])
        if not self.spoken:
            raise ValidationError(_("There is no question to answer yet."), code="no_question")
        question = self.spoken[-1]
        fields = {"status": Status.STREAMING, "is_on_record": question.is_on_record}
        return Turn(question, self.add(Role.ASSISTANT, "", **fields))

    def add(self, role: str, body: str, **fields: Any) -> Message:
        latest = self.messages[-1].created_at if self.messages else None
        self.messages.append(self._row(role, body, created_at=next_moment(latest), **fields))
        return self.messages[-1]

    def finish(self, reply: Message, end: End) -> None:
        reply.status, reply.failure = end.status, end.failure

    def covered_by(self, summary: Message) -> list[Message]:
        return [message for message in self.messages if message.evicted_by_id == summary.pk]

    def put_summary(self, covered: Sequence[Message], body: str) -> Message | None:
        """Put a summary in the place of `covered`; None if these have changed meanwhile."""
        history = {message.pk for message in self.history}
        if not history.issuperset(message.pk for message in covered):
            return None
        last = covered[-1]
        summary = self._row(Role.SUMMARY, body, created_at=last.created_at)
        self.messages.insert(self.messages.index(last) + 1, summary)
        for message in covered:
            message.evicted_by = summary
        return summary

    def _refuse_while_answering(self) -> None:
        if self.is_answering:
            raise ReplyStreaming(_("This chat is still answering. Wait for the reply, or stop it."))

    def _row(self, role: str, body: str, **fields: Any) -> Message:
        config = self.user.search_config
        return Message(
            user=self.user, chat=self.chat, role=role, body=body, config=config, **fields
        )


def refuse_too_many(user: User) -> None:
    """Raise TooManyReplies while this process writes as many for them as may be at once. Replies
    that are stored are counted apart."""
    if WRITING[user.pk] >= settings.REPLIES_AT_ONCE:
        raise TooManyReplies


def start(temporary: TemporaryChat, turn: Turn) -> asyncio.Task[None]:
    """Have the reply of a turn written, as `write` does it."""
    WRITING[temporary.user.pk] += 1
    writing = asyncio.create_task(write(temporary, turn))
    writing.add_done_callback(lambda _: WRITING.subtract([temporary.user.pk]))
    return writing


async def write(temporary: TemporaryChat, turn: Turn) -> None:
    """Write the reply of a turn into its row, word by word, with its receipt."""
    started = time.monotonic()
    async with aclosing(answered(partial(_answer, temporary, turn, started))) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                turn.reply.body += piece
            else:
                turn.reply.receipt = piece.noted()


async def _answer(
    temporary: TemporaryChat, turn: Turn, started: float, choice: llm.Choice, instead_of: str
) -> AsyncGenerator[Receipt | str, None]:
    """One model's try at a turn: it is told the persona and this chat, and nothing else."""
    withheld = turn.withheld_from(choice)
    prompts = await patiently(persona, temporary.user, withheld)
    before = turn.user_message.created_at
    history = [each for each in temporary.history if each.body and each.created_at < before]
    receipt = Receipt(False, choice.name, llm.label(choice), choice.is_offline, instead_of)
    known = Known(prompts, history, embedding_model="")
    context = replace(
        told(turn, Recalled(), known, receipt, withheld),
        search_resources=nothing_found,
        search_archive=nothing_found,
    )
    yield receipt
    question = turn.user_message.body
    async with aclosing(spoken(question, context, choice, receipt, started)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield piece
    yield receipt


async def condense(temporary: TemporaryChat) -> Message | None:
    """Condense the history if it has grown too long; the summary, if there is a new one.

    A model that fails is no reason to disturb anybody: it is tried again after the next reply.
    """
    if not (covered := eviction.surplus(temporary.history)):
        return None
    sources = eviction.sources(covered, temporary.covered_by)
    said = [talker.Said(cast(talker.Role, each.role), each.body) for each in sources if each.body]
    choice = await sync_to_async(llm.choose, thread_sensitive=False)("summarizer")
    try:
        run = await summarizer.summarize(said, choice=choice)
    except llm.MODEL_FAILURES as error:
        logger.warning("A temporary chat is not condensed yet: %s", llm.explain(error))
        return None
    return temporary.put_summary(covered, run.output)


def packed(temporary: TemporaryChat, message: Message) -> str:
    """A message as its page holds it: only its owner can hand it back, and only as it is."""
    fields = {name: getattr(message, name) for name in FIELDS}
    covers = [str(each.pk) for each in temporary.covered_by(message)]
    said = {**fields, "id": str(message.pk), "at": message.created_at.isoformat(), "covers": covers}
    return signing.dumps(said, salt=_salt(temporary.user), compress=True)


def _salt(user: User) -> str:
    return f"memoryapp.temporary.{user.pk}"


def unpacked(user: User, said: Sequence[str]) -> TemporaryChat:
    """The chat that a page holds. Raises ValidationError if it is not as it was given out."""
    if len(said) > 2 * MOST_MESSAGES or sum(map(len, said)) > MOST_PACKED_CHARS:
        raise ValidationError(_("This temporary chat is too long to be taken up."), code="too_long")
    try:
        return _put_together(user, [signing.loads(each, salt=_salt(user)) for each in said])
    except (signing.BadSignature, KeyError):  # KeyError: a summary came without what it covers
        raise ValidationError(
            _("This temporary chat can't be taken up. What stands here can still be copied."),
            code="not_ours",
        ) from None


def _put_together(user: User, entries: Sequence[dict[str, Any]]) -> TemporaryChat:
    temporary = TemporaryChat(user)
    by_id: dict[str, Message] = {}
    for entry in entries:
        at = datetime.fromisoformat(entry["at"])
        fields = {name: entry[name] for name in FIELDS}
        message = temporary._row(id=uuid.UUID(entry["id"]), created_at=at, **fields)
        for covered in entry["covers"]:
            by_id[covered].evicted_by = message
        by_id[entry["id"]] = message
    temporary.messages = list(by_id.values())
    return temporary


def keep(temporary: TemporaryChat) -> Chat:
    """Make an ordinary chat of it, which remembers as its owner's others do.

    The same chat kept twice is one. Raises ValidationError if there is nothing to keep.
    """
    if not (said := temporary.spoken):
        raise ValidationError(_("There is nothing to keep yet. Say something first."), code="empty")
    with transaction.atomic():
        # Whoever comes second waits here, and finds the chat.
        User.objects.select_for_update().get(pk=temporary.user.pk)
        kept = Chat.objects.for_user(temporary.user).filter(messages=said[0].pk).first()
        if kept is not None:
            return kept
        if temporary.needs_answer:
            temporary.finish(temporary.answer().reply, End(Status.INTERRUPTED, INTERRUPTED))
        *earlier, last = temporary.spoken
        chat = temporary.chat
        chat.memory_on = True
        chat.created_at, chat.last_message_at = said[0].created_at, last.created_at
        chat.save(force_insert=True)
        for before, message in pairwise(temporary.spoken):
            message.parent = before
        summaries = [each for each in temporary.messages if each.role == Role.SUMMARY]
        Message.objects.bulk_create([*earlier, *summaries])
        # One event for all of it: the tasks read whatever is new in the chat.
        last.save(force_insert=True)
    return chat
