"""The socket of a chat's page: events of the chat in, fragments out."""

import asyncio
import time
from typing import Any, NoReturn
from uuid import UUID

from asgiref.sync import sync_to_async
from channels.exceptions import StopConsumer
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp import followers, fragments, replies, turns
from memoryapp.bus import chat_group, person_group, unless_bus_is_away
from memoryapp.consumers.page import GONE, UNREADABLE, Event, PageConsumer, Screen, text_in
from memoryapp.models import Chat, Message, User


class Stream:
    """One reply that this tab follows."""

    def __init__(self, reply_id: str, channel: str) -> None:
        self.reply_id = reply_id
        self.heard_at = time.monotonic()
        self.follower = followers.Follower(reply_id, channel)
        self.screen = Screen(reply_id)

    async def take(self, event: Event) -> tuple[str, Event] | None:
        """The template and context that bring the page up to date; None if nothing is new."""
        self.heard_at = time.monotonic()
        text = await self.follower.take(event)
        if self.follower.is_waiting or not (text or event["type"] == "reply.snapshot"):
            return None
        return self.screen.add(text)

    async def has_ended(self) -> bool:
        """Whether it ended and that was never told; it is looked at when long nothing was."""
        if time.monotonic() - self.heard_at < followers.LOOK_SECONDS:
            return False
        try:
            return not await self.follower.look()
        except Message.DoesNotExist:
            return True


class ChatConsumer(PageConsumer):
    """One tab at one chat. Methods are named after the events of the chat's group."""

    chat: Chat
    is_joined = False
    stamp: Any = None  # of the thread as the page has read it

    @property
    def here(self) -> str:
        return reverse("chat-detail", args=[self.scope["url_route"]["kwargs"]["chat_id"]])

    @property
    def groups_heard(self) -> tuple[str, str]:
        return chat_group(self.chat.pk), person_group(self.user.pk)

    async def connect(self) -> None:
        self.streams: dict[str, Stream] = {}
        self.user: User = self.scope["user"]
        if not self.user.is_authenticated:
            await self.turn_away()
        chat_id = self.scope["url_route"]["kwargs"]["chat_id"]
        chat = await self._find_chat(chat_id)
        if chat is None:
            await self.accept()
            await self._say_it_is_gone()
        self.chat = chat
        for group in self.groups_heard:
            await self.channel_layer.group_add(group, self.channel_name)
        await self.accept()
        self.looking = asyncio.create_task(self._ask_oneself_to_look())

    async def dispatch(self, message: Event) -> None:
        # What happens in the chat before the page has joined, it has read or reads when it joins.
        if self.is_joined or message["type"].startswith(("websocket.", "session.")):
            await super().dispatch(message)

    async def left(self) -> None:
        if hasattr(self, "chat"):
            for group in self.groups_heard:
                await self.channel_layer.group_discard(group, self.channel_name)
        if hasattr(self, "looking"):
            self.looking.cancel()

    async def _ask_oneself_to_look(self) -> None:
        while True:
            await asyncio.sleep(followers.LOOK_SECONDS)
            if not self.streams:
                continue
            with unless_bus_is_away("A tab can't look whether its replies have ended"):
                await self.channel_layer.send(self.channel_name, {"type": "reply.look"})

    async def do(self, action: str, asked: Event) -> None:
        if action == "send":
            await self._send_message(asked)
        elif action == "stop":
            async for reply in self.chat.messages.streaming():
                await replies.stop(reply.pk)
        elif action == "join":
            await self._join(asked.get("stamp"))
        elif action == "leave":
            self._leave()
        else:
            await self.complain(_(UNREADABLE))

    async def _send_message(self, asked: Event) -> None:
        try:
            id = UUID(str(asked["id"])) if asked.get("id") else None
            turn = await sync_to_async(turns.open_turn)(
                chat=self.chat, body=text_in(asked, "body"), id=id
            )
        except turns.ReplyStreaming as error:
            await self.complain(str(error))
        except Chat.DoesNotExist:
            await self._say_it_is_gone()
        except ValidationError as error:
            await self.complain(" ".join(error.messages))
        except ValueError:
            await self.complain(_(UNREADABLE))
        else:
            if turn.is_new:
                await replies.start(turn)

    async def _join(self, stamp: Any) -> None:
        """Bring a page that was rendered some time ago up to date."""
        chat = await self._find_chat(self.chat.pk)
        if chat is None:
            await self._say_it_is_gone()
        self.chat = chat
        # Before the stamp: one that begins after it is told as news, for the page doesn't show it.
        streaming = [str(reply.pk) async for reply in self.chat.messages.streaming()]
        if stamp != await sync_to_async(fragments.stamp)(self.chat):
            await self._have_it_read_again()
            return
        self.is_joined, self.stamp = True, stamp
        for reply_id in streaming:
            self.streams[reply_id] = stream = Stream(reply_id, self.channel_name)
            await stream.follower.join()

    def _leave(self) -> None:
        self.is_joined = False
        self.streams.clear()

    async def _have_it_read_again(self) -> None:
        """Let the page load its thread anew. It joins again when it has; nothing until then."""
        self._leave()
        await self.push("chats/_stale.html", {})

    async def _have_news_read(self) -> None:
        """As `_have_it_read_again`, unless the page has read what it is told of only now."""
        chat = await self._find_chat(self.chat.pk)
        if chat is None or self.stamp != await sync_to_async(fragments.stamp)(chat):
            await self._have_it_read_again()

    async def _say_it_is_gone(self) -> NoReturn:
        """The chat was deleted, so the page is told how to go on without it, and left alone."""
        await self.push("chats/_gone.html", {})
        await self.close(GONE)
        raise StopConsumer

    async def chat_deleted(self, event: Event) -> None:
        await self._say_it_is_gone()

    async def reply_started(self, event: Event) -> None:
        if event["reply"] in self.streams:
            return
        messages = [
            message
            async for message in self.chat.messages.filter(
                pk__in=[event["user_message"], event["reply"]]
            ).order_by("created_at")
        ]
        if len(messages) < 2 or await sync_to_async(fragments.is_branch)(messages):
            await self._have_news_read()
            return
        self.streams[event["reply"]] = Stream(event["reply"], self.channel_name)
        await self.push("chats/_turn.html", lambda: fragments.turn(self.chat, messages))

    async def reply_recalled(self, event: Event) -> None:
        if event["reply"] in self.streams:
            reply = Message(pk=event["reply"], receipt=event["receipt"], status="streaming")
            entry = fragments.Entry(reply)
            await self.push("chats/_receipt.html", {"entry": entry, "oob": True})

    async def reply_delta(self, event: Event) -> None:
        stream = self.streams.get(event["reply"])
        if stream and (news := await stream.take(event)):
            await self.push(*news)

    reply_snapshot = reply_delta

    async def reply_look(self, event: Event) -> None:
        for reply_id, stream in list(self.streams.items()):
            if await stream.has_ended():
                await self.reply_finished({"reply": reply_id})

    async def bus_restored(self, event: Event) -> None:
        """Whatever was told while the bus was away is lost, so the page begins anew."""
        await self._have_it_read_again()

    async def reply_finished(self, event: Event) -> None:
        is_followed = self.streams.pop(event["reply"], None) is not None
        reply = await self._find_reply(pk=event["reply"])
        if reply is None or not is_followed:
            await self._have_news_read()
        else:
            await sync_to_async(reply.chat.see)()
            await self.push("chats/_finished.html", lambda: fragments.finished(reply))

    async def chat_named(self, event: Event) -> None:
        """This chat or another one of the list has a title now."""
        if chat := await self._find_chat(event["chat"]):
            template = "chats/_titles.html" if chat == self.chat else "chats/_listed.html"
            await self.push(template, lambda: fragments.listed(chat))

    async def chat_changed(self, event: Event) -> None:
        if event["what"] in ("condensed", "branch"):
            await self._have_news_read()
        elif event["what"] == "rewritten":
            await self._push_summary(event["message"])
        elif event["what"] == "learned" and event["message"]:
            await self._push_learned(event["message"])

    async def _push_summary(self, message_id: str) -> None:
        summaries = self.chat.messages.filter(role=Message.Role.SUMMARY).select_related("chat")
        if summary := await summaries.filter(pk=message_id).afirst():
            await self.push(
                "chats/_summary.html", lambda: {**fragments.condensed(summary), "oob": True}
            )

    async def _push_learned(self, message_id: str) -> None:
        reply = await self._find_reply(parent_id=message_id, is_active=True)
        if reply is not None and reply.status != Message.Status.STREAMING:
            await self.push(
                "chats/_learned.html",
                lambda: {**fragments.taught_before(reply), "is_news": self.user.notify_learned},
            )

    async def _find_chat(self, chat_id: UUID) -> Chat | None:
        chats = Chat.objects.for_user(self.user).select_related("user")
        return await chats.filter(pk=chat_id).afirst()

    async def _find_reply(self, **which: Any) -> Message | None:
        replies_ = self.chat.messages.filter(role=Message.Role.ASSISTANT, **which)
        return await replies_.select_related("chat__user", "user").afirst()
