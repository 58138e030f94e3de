"""What every page's socket does: hear what is asked for, push fragments, show a growing reply."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from asgiref.sync import sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext_noop

from memoryapp import markdown
from memoryapp.accounts import holder_of
from memoryapp.models import User

Event = dict[str, Any]
UNREADABLE = gettext_noop("That couldn't be read. Load the page again.")
# Why a page isn't connected. It can read the code only of a connection that was let in first.
SIGNED_OUT, GONE = 4401, 4404
CONNECT_AGAIN = 1012


def text_in(asked: Event, name: str) -> str:
    """What the page says under this name; nothing if it isn't text."""
    value = asked.get(name)
    return value if isinstance(value, str) else ""


class Screen:
    """A reply as one tab shows it: final blocks once, the growing rest as plain text."""

    def __init__(self, reply_id: str) -> None:
        self.reply_id = reply_id
        self.rest = ""
        self.is_shown = False

    def add(self, text: str) -> tuple[str, Event]:
        """The template and context that bring the page up to date."""
        is_first, self.is_shown = not self.is_shown, True
        # Only the beginning of another line can make a block final.
        is_new_line = "\n" in self.rest[-1:] + text
        may_end = is_new_line and not markdown.only_grows(self.rest, text)
        self.rest += text
        final = markdown.final_chars(self.rest) if may_end else 0
        blocks, self.rest = self.rest[:final], self.rest[final:]
        context = {"reply_id": self.reply_id, "final": blocks, "rest": self.rest, "text": text}
        return "chats/_live.html" if is_first else "chats/_delta.html", {**context, "oob": True}


class PageConsumer(AsyncWebsocketConsumer, ABC):
    """One tab at one page."""

    user: User

    @property
    @abstractmethod
    def here(self) -> str:
        """The address of the page."""

    async def turn_away(self) -> NoReturn:
        """Nobody is signed in here, perhaps any more."""
        await self.accept()
        await self.close(SIGNED_OUT)
        raise StopConsumer

    async def session_ended(self, event: Event) -> None:
        """A session of this person has ended. If it was this page's, the page connects again, and
        is turned away unless its browser has a new one."""
        holder = await sync_to_async(holder_of)(self.scope["session"].session_key)
        if holder != self.user:
            await self.close(CONNECT_AGAIN)

    @abstractmethod
    async def left(self) -> None:
        """The page is gone, however that came about; it may not even have been let in."""

    async def __call__(self, *connection: Any) -> None:
        try:
            await super().__call__(*connection)
        finally:
            # Channels' `disconnect` isn't called where a page goes while it is let in, nor where
            # something else fails.
            await self.left()

    @abstractmethod
    async def do(self, action: str, asked: Event) -> None:
        """What the page asks for; an unknown action is answered in a sentence."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        asked: Event = {}
        try:
            asked = json.loads(text_data or "")
            action = asked["action"]
        except (ValueError, TypeError, KeyError, RecursionError):
            action = ""
        with translation.override(self.user.language):
            await self.do(action, asked)

    async def complain(self, sentence: str) -> None:
        await self.push("chats/_composer_error.html", {"sentence": sentence, "oob": True})

    async def push(self, template: str, context: Event | Callable[[], Event]) -> None:
        # What needs no query stays off the one thread that all queries of this process share.
        render = sync_to_async(self._rendered, thread_sensitive=callable(context))
        await self.send(text_data=await render(template, context))

    def _rendered(self, template: str, context: Event | Callable[[], Event]) -> str:
        """A fragment as this person reads it; a callable context may query."""
        with timezone.override(self.user.zone), translation.override(self.user.language):
            values = context() if callable(context) else context
            return render_to_string(template, {**values, "user": self.user, "here": self.here})
