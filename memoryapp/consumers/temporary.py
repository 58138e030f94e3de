"""The socket of a temporary chat, which lives here and in its page and nowhere else."""

import asyncio
import logging
import traceback
import uuid
from collections import Counter
from typing import Any

from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp import temporary
from memoryapp.bus import person_group
from memoryapp.consumers.page import UNREADABLE, Event, PageConsumer, Screen, text_in
from memoryapp.fragments import Entry
from memoryapp.models import Message, User
from memoryapp.replies import FLUSH_SECONDS, End, end_of
from memoryapp.turns import ReplyStreaming, Turn

logger = logging.getLogger(__name__)

MOST_OPEN = 20  # of one person in one process, so that nobody fills its memory
OPEN: Counter[Any] = Counter()


class TemporaryConsumer(PageConsumer):
    """One tab at a temporary chat."""

    @property
    def here(self) -> str:
        return reverse("chat-temporary")

    async def connect(self) -> None:
        user = self.scope["user"]
        if not isinstance(user, User):
            await self.turn_away()
        self.user = user
        OPEN[user.pk] += 1
        self.temporary = temporary.TemporaryChat(self.user)
        self.message_id = ""  # of the last send, so that a double click is one message
        self.writing: asyncio.Task[None] | None = None
        self.working: set[asyncio.Task[None]] = set()
        self.condensing = asyncio.Lock()
        await self.channel_layer.group_add(person_group(user.pk), self.channel_name)
        await self.accept()

    async def dispatch(self, message: Event) -> None:
        # Nothing else that a person's pages hear is for one that no other knows of.
        if message["type"].startswith(("websocket.", "session.")):
            await super().dispatch(message)

    async def left(self) -> None:
        if not hasattr(self, "temporary"):
            return
        await self.channel_layer.group_discard(person_group(self.user.pk), self.channel_name)
        OPEN[self.user.pk] -= 1
        if not OPEN[self.user.pk]:
            del OPEN[self.user.pk]
        for task in self.working:
            task.cancel()
        self._stop()

    async def do(self, action: str, asked: Event) -> None:
        try:
            if action == "join":
                await self._take_up(asked.get("said"))
            elif action == "send":
                await self._ask(text_in(asked, "body"), text_in(asked, "id"))
            elif action == "again":
                await self._answer_again()
            elif action == "stop":
                self._stop()
            else:
                await self.complain(_(UNREADABLE))
        except ReplyStreaming as error:
            await self.complain(str(error))
        except ValidationError as error:
            await self.complain(" ".join(error.messages))

    async def _take_up(self, said: Any) -> None:
        """Go on with the chat that a page has from before its connection was lost."""
        if not isinstance(said, list) or not said or self.temporary.messages:
            return
        self.temporary = temporary.unpacked(self.user, list(map(str, said)))
        turn = None
        try:
            if self.temporary.needs_answer:
                self._refuse_too_many()
                turn = self.temporary.answer()
        finally:
            # With the reply that is to come: without, the page would offer to send for a moment.
            await self._show_all(streaming=turn.reply if turn else None)
        if turn:
            self._begin(turn)

    async def _ask(self, body: str, message_id: str) -> None:
        if message_id and message_id == self.message_id:
            return
        self._refuse_too_many()
        turn = self.temporary.ask(body)
        self.message_id = message_id
        entries = self._entries(turn.user_message, turn.reply)
        await self._show(turn, entries=entries, message_id=uuid.uuid4())
        self._begin(turn)

    async def _answer_again(self) -> None:
        self._refuse_too_many()
        before = self.temporary.spoken[-1:]
        turn = self.temporary.answer()
        await self._show(turn, entries=self._entries(turn.reply), gone=before[0])
        self._begin(turn)

    def _refuse_too_many(self) -> None:
        if OPEN[self.user.pk] > MOST_OPEN:
            raise ValidationError(
                _("You have too many temporary chats open. Close some of them, then send again.")
            )
        temporary.refuse_too_many(self.user)

    def _begin(self, turn: Turn) -> None:
        """Have the reply of a turn written."""
        task = asyncio.create_task(self._answer(turn))
        self.working.add(task)
        task.add_done_callback(self._worked)

    def _worked(self, task: asyncio.Task[None]) -> None:
        self.working.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log(error)

    def _stop(self) -> None:
        if self.writing is not None:
            self.writing.cancel()

    async def _answer(self, turn: Turn) -> None:
        reply, screen, shown = turn.reply, Screen(str(turn.reply.pk)), 0
        self.writing = writing = temporary.start(self.temporary, turn)
        writing.add_done_callback(lambda _: writing.cancelled() or writing.exception())
        while not writing.done():
            await asyncio.wait({writing}, timeout=FLUSH_SECONDS)
            if text := reply.body[shown:]:
                shown += len(text)
                await self.push(*screen.add(text))
        end = await end_of(writing, lambda: End(Message.Status.STOPPED))
        if end.error is not None:
            _log(end.error)
        self.temporary.finish(reply, end)
        [entry] = self._entries(reply)
        await self.push("chats/_finished.html", {"is_temporary": True, "entry": entry})
        async with self.condensing:
            if summary := await temporary.condense(self.temporary):
                await self._show_summary(summary)

    async def _show(self, turn: Turn, **shown: Any) -> None:
        """A turn that has begun."""
        shown |= {"is_temporary": True, "streaming": turn.reply}
        await self.push("chats/_turn.html", shown)

    async def _show_summary(self, summary: Message) -> None:
        covered = self.temporary.covered_by(summary)
        folded = [message for message in covered if message.role == Message.Role.SUMMARY]
        context = {
            "is_temporary": True,
            "num_condensed": self.temporary.num_condensed,
            "summary": self._entries(summary)[0],
            "folded": self._entries(*folded),
            "last": covered[-1],
        }
        await self.push("chats/_temporary_summary.html", context)

    async def _show_all(self, *, streaming: Message | None) -> None:
        """The whole thread anew, in the place of what a lost connection left behind."""
        entries = self._entries(*self.temporary.messages)
        thread = {"entries": entries, "num_condensed": self.temporary.num_condensed}
        context = {"is_temporary": True, "thread": thread, "streaming": streaming}
        await self.push("chats/_temporary_thread.html", context)

    def _entries(self, *messages: Message) -> list[Entry]:
        return [
            Entry(message, packed=temporary.packed(self.temporary, message))
            if message.status != Message.Status.STREAMING
            else Entry(message)
            for message in messages
        ]


def _log(error: BaseException) -> None:
    """Where something went wrong, without the error's own words: they may repeat what was said."""
    where = "".join(traceback.format_tb(error.__traceback__))
    logger.error("A temporary reply failed: %s\n%s", type(error).__name__, where)
