"""HOT PATH: what happens while the person waits, from the saved message to the last token."""

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from memoryapp import writers
from memoryapp.agents import llm, talker
from memoryapp.agents.continuing import taken_up
from memoryapp.memory import embeddings, eviction, recall, resources
from memoryapp.memory.language.phrases import is_off_the_record
from memoryapp.memory.recall.choosing import Recalled
from memoryapp.memory.recall.scan import Question
from memoryapp.memory.recall.withheld import Withheld
from memoryapp.models import Chat, Message, Prompt, Usage, User
from memoryapp.patience import in_database, patiently
from memoryapp.receipts import Receipt
from memoryapp.tokens import num_tokens
from memoryapp.visible import visible

logger = logging.getLogger(__name__)

Role, Status = Message.Role, Message.Status


class ReplyStreaming(Exception):
    """A chat answers one message at a time, and it is still answering the last one."""


class TooManyReplies(ReplyStreaming):
    """As many replies are being written for one person as may be at once."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "%(most)s of your replies are being written already, which is the most at once. "
                "Wait until one is done, or stop one."
            )
            % {"most": settings.REPLIES_AT_ONCE}
        )


@dataclass(frozen=True)
class Turn:
    """A user message and its reply, which may not be written yet."""

    user_message: Message
    reply: Message
    is_new: bool = True
    asked: Question | None = None  # what recall has begun to make of the question
    without: frozenset[str] = frozenset()  # ids of facts that recall leaves out
    continues: Message | None = None  # the unfinished version whose text this reply begins with
    wishes: talker.Wishes = field(default_factory=talker.Wishes)

    @property
    def begun(self) -> str:
        """What the reply says before its model has its say."""
        return taken_up(self.continues.body) if self.continues else ""

    def withheld_from(self, choice: llm.Choice) -> Withheld:
        return Withheld(self.without, local_only=not choice.is_local)


Answer = Callable[[llm.Choice, str], AsyncGenerator[Receipt | str, None]]


def checked_body(body: str) -> str:
    """`body` as it is stored; raises ValidationError with a sentence if it can't be."""
    body = visible(body)
    if not body:
        raise ValidationError(_("The message is empty. Write something first."), code="empty")
    if len(body) > settings.MESSAGE_MAX_CHARS:
        raise ValidationError(
            _(
                "The message has %(n)s characters, and %(most)s is the most. Shorten it, or add "
                "the text as a resource."
            )
            % {
                "n": number_format(len(body), force_grouping=True),
                "most": number_format(settings.MESSAGE_MAX_CHARS, force_grouping=True),
            },
            code="too_long",
        )
    if "\0" in body or any("\ud800" <= char <= "\udfff" for char in body):
        raise ValidationError(
            _(
                "The message has a NUL or a broken character in it, which can't be stored. "
                "Remove it."
            ),
            code="unstorable",
        )
    return body


def open_turn(
    *,
    chat: Chat,
    body: str,
    id: uuid.UUID | None = None,
    fork: bool = False,
    parent: Message | None = None,
) -> Turn:
    """Save the user's message and the row of its reply.

    `id` is made by the client: the same id again is the same turn, with `is_new` False. With
    `fork` the message follows `parent` (None: it begins the chat anew) on a branch of its own.
    Raises ValidationError for a body that can't be stored or an id that is taken, ReplyStreaming
    while the chat is answering, and TooManyReplies while too many other chats of its owner are.
    """
    body = checked_body(body)
    try:
        with transaction.atomic():
            chat.lock()
            if id is not None and (known := Message.objects.filter(pk=id).first()):
                return _known_turn(chat, known)
            refuse_while_streaming(chat)
            if fork:
                chat.fork_at(parent)
            is_on_record = not is_off_the_record(body)
            asked = recall.begin(chat, body)
            user_message = Message(
                id=id or uuid.uuid4(), role=Role.USER, body=body, is_on_record=is_on_record
            )
            return Turn(user_message, new_reply(chat, user_message), asked=asked)
    except IntegrityError:
        # At the same moment this id was used in another chat, which is locked by another row.
        if id is not None and Message.objects.filter(pk=id).exists():
            raise _id_taken() from None
        raise


def _known_turn(chat: Chat, message: Message) -> Turn:
    reply = message.children.filter(role=Role.ASSISTANT).order_by("created_at").last()
    if message.chat_id != chat.pk or message.role != Role.USER or reply is None:
        raise _id_taken()
    return Turn(message, reply, is_new=False)


def _id_taken() -> ValidationError:
    return ValidationError(_("This id is taken. Make a new one."), code="id_taken")


def refuse_while_streaming(chat: Chat) -> None:
    if chat.messages.streaming().exists():
        raise ReplyStreaming(_("This chat is still answering. Wait for the reply, or stop it."))


def new_reply(chat: Chat, *said: Message, body: str = "") -> Message:
    """The row of a reply that is to be written, saved with what was just `said` before it.

    Raises TooManyReplies. Call it in a transaction that holds the chat's lock.
    """
    writing = Message.objects.for_user(chat.user).streaming()
    if writing.count() >= settings.REPLIES_AT_ONCE:
        raise TooManyReplies
    reply = Message(
        role=Role.ASSISTANT,
        body=body,
        status=Status.STREAMING,
        streaming_beat=timezone.now(),
        writer=writers.this.number,
    )
    chat.add_messages(*said, reply)
    return reply


async def take_turn(turn: Turn) -> AsyncGenerator[Receipt | str, None]:
    """Answer: first the receipt of what was recalled, then the text as it comes, then the
    receipt again, complete.

    A model that fails before its first word is replaced by FALLBACK_MODEL, with a receipt of its
    own. Cancel the task that reads this to end it, at whatever point it is.
    """
    async with aclosing(answered(partial(_answer, turn, time.monotonic()))) as pieces:
        async for piece in pieces:
            yield piece


async def answered(answer: Answer) -> AsyncGenerator[Receipt | str, None]:
    """What `answer` gives with the model that is set, or else with FALLBACK_MODEL."""
    choice, instead_of = await llm.achoose("talker"), ""
    has_spoken = False
    while True:
        try:
            async with aclosing(answer(choice, instead_of)) as pieces:
                async for piece in pieces:
                    has_spoken |= isinstance(piece, str)
                    yield piece
            return
        except llm.MODEL_FAILURES as error:
            fallback = llm.fallback(choice)
            if has_spoken or fallback is None:
                raise
            why = llm.explain(error)  # the error's own text may repeat what somebody wrote
            logger.warning("%s failed, so %s answers: %s", choice.name, fallback.name, why)
            choice, instead_of = fallback, choice.name


async def _answer(
    turn: Turn, started: float, choice: llm.Choice, instead_of: str
) -> AsyncGenerator[Receipt | str, None]:
    """One model's try at a turn. Recall comes after the choice: it may withhold from some."""
    chat, user, question = turn.reply.chat, turn.reply.user, turn.user_message.body
    withheld = turn.withheld_from(choice)
    recalled, known = await asyncio.gather(
        recall.arecall(user, chat, question, asked=turn.asked, withheld=withheld),
        patiently(gathered, turn, withheld),
    )
    receipt = Receipt(
        chat.remembers, choice.name, llm.label(choice), choice.is_offline, instead_of=instead_of
    )
    context = told(turn, recalled, known, receipt, withheld)
    yield receipt
    async with aclosing(spoken(question, context, choice, receipt, started)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield piece
            else:
                await patiently(_account, turn, piece)
    yield receipt


async def spoken(
    question: str, context: talker.Context, choice: llm.Choice, receipt: Receipt, started: float
) -> AsyncGenerator[str | llm.Run[str], None]:
    """What the talker says, and its run; how long it took, and of how many tokens, is noted."""
    async with aclosing(talker.stream(question, context, choice=choice)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                receipt.milliseconds.setdefault("first_token", _since(started))
            else:
                receipt.milliseconds["total"] = _since(started)
                receipt.tokens["prompt"] = piece.input_tokens
                receipt.tokens["reply"] = piece.output_tokens
            yield piece


def _since(started: float) -> int:
    return round(1000 * (time.monotonic() - started))


@dataclass(frozen=True)
class Known:
    """What the talker is told whatever the question is."""

    prompts: list[Prompt]
    history: list[Message]
    embedding_model: str


def gathered(turn: Turn, withheld: Withheld) -> Known:
    """Read what recall doesn't bring."""
    # A summary that ends with the question itself has its time.
    past = turn.reply.chat.history.filter(created_at__lte=turn.user_message.created_at)
    past = past.exclude(pk=turn.user_message.pk)
    # A receipt may be longer than all that was said, and a whole row takes long to make.
    past = past.only("chat", "role", "body", "is_recallable")
    history = eviction.tellable([message for message in past if message.body])
    embedding_model = turn.asked.model if turn.asked else embeddings.model_name()
    return Known(persona(turn.reply.user, withheld), history, embedding_model)


def persona(user: User, withheld: Withheld) -> list[Prompt]:
    prompts = Prompt.objects.persona_of(user).only("value")
    return list(prompts.exclude(local_only=True) if withheld.local_only else prompts)


def told(
    turn: Turn, recalled: Recalled, known: Known, receipt: Receipt, withheld: Withheld
) -> talker.Context:
    """Everything the talker is told, noted on the receipt."""
    now, history = timezone.now().astimezone(turn.reply.user.zone), known.history
    summaries = [str(message.pk) for message in history if message.role == Role.SUMMARY]
    receipt.now = now.isoformat()
    receipt.memories = [memory.noted() for memory in recalled.memories]
    receipt.near_misses = [memory.noted() for memory in recalled.near_misses]
    receipt.turns = [memory.noted() for memory in recalled.turns]
    receipt.tokens["memory"] = sum(
        num_tokens(memory.text) for memory in (*recalled.memories, *recalled.turns)
    )
    receipt.prompts = [{"id": str(prompt.pk), "text": prompt.value} for prompt in known.prompts]
    receipt.history = [str(message.pk) for message in history]
    receipt.summary_message_id = summaries[-1] if summaries else None
    receipt.window = len(history)
    receipt.instructions = turn.wishes.instructions
    receipt.without = sorted(turn.without)
    receipt.continues = str(turn.continues.pk) if turn.continues else None
    receipt.begun_chars = len(turn.begun)
    receipt.clear = recalled.clear
    receipt.recall_timed_out = recalled.timed_out
    receipt.embedding_model = known.embedding_model
    receipt.milliseconds["recall"] = recalled.milliseconds
    return talker.Context(
        persona=tuple(prompt["text"] for prompt in receipt.prompts),
        memories=recalled.memories,
        turns=recalled.turns,
        history=tuple(
            talker.Said(cast(talker.Role, message.role), message.told) for message in history
        ),
        now=now,
        search_resources=_resource_search(turn, receipt),
        search_archive=_archive_search(turn, receipt, withheld),
        begun=turn.begun,
        memory_on=receipt.memory_on,
        wishes=turn.wishes,
    )


def _resource_search(turn: Turn, receipt: Receipt) -> Callable[[str], Awaitable[list[str]]]:
    async def search(query: str) -> list[str]:
        found = await in_database(resources.search, turn.reply.user, query)
        receipt.resources += [asdict(passage) for passage in found]
        return [f"{passage.source}: {passage.text}" for passage in found]

    return search


def _archive_search(
    turn: Turn, receipt: Receipt, withheld: Withheld
) -> Callable[[str], Awaitable[list[str]]]:
    async def search(query: str) -> list[str]:
        found = await in_database(
            recall.search_archive,
            turn.reply.user,
            query,
            chat=turn.reply.chat,
            withheld=withheld,
        )
        found = [memory for memory in found if memory.id != str(turn.user_message.pk)]
        receipt.archive += [memory.noted() for memory in found]
        return [
            f"{memory.said_at}, {memory.said_by}: {memory.text}{talker.changes(memory)}"
            for memory in found
        ]

    return search


def _account(turn: Turn, run: llm.Run[str]) -> None:
    reply = turn.reply
    Usage.objects.record(user=reply.user, chat=reply.chat, agent="talker", run=run)
