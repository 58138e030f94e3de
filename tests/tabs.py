"""A chat's page as its socket sees it."""

import json
import re
from html import unescape

from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from channels.routing import URLRouter

from memoryapp import fragments
from memoryapp.bus import chat_group, person_group
from memoryapp.routing import websocket_urlpatterns

SECONDS = 20  # until a test fails
FINISHED = 'title="Send"'
APPENDED = re.compile(r'<span hx-swap-oob="beforeend:#rest-[^"]+">(.*?)</span>', re.DOTALL)
LEFT = re.compile(
    r'<span (?:hx-swap-oob="innerHTML:#rest-[^"]+"|id="rest-[^"]+")>(.*?)</span>', re.S
)


class Tab:
    """A page's socket without the page: what it sends, and the fragments that come."""

    def __init__(self, user, chat_id, **scope):
        path = f"/ws/chats/{chat_id}/"
        scope = {"type": "websocket", "path": path, "user": user, "headers": [], **scope}
        self.app = ApplicationCommunicator(URLRouter(websocket_urlpatterns), scope)
        self.frames = []

    async def connect(self):
        """Whether the server accepts."""
        await self.app.send_input({"type": "websocket.connect"})
        return (await self.app.receive_output(SECONDS))["type"] == "websocket.accept"

    async def send(self, **asked):
        await self.app.send_input({"type": "websocket.receive", "text": json.dumps(asked)})

    async def until(self, text):
        """The frame that holds `text`; those before it are kept in `frames`."""
        while True:
            frame = (await self.app.receive_output(SECONDS))["text"]
            self.frames.append(frame)
            if text in frame:
                return frame

    async def closed(self):
        """The code with which the server closes."""
        return (await self.app.receive_output(SECONDS))["code"]

    async def close(self):
        await self.app.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.app.wait(SECONDS)

    @property
    def rest(self):
        """The plain text at the end of the reply, as the page would show it."""
        shown = ""
        for frame in self.frames:
            if left := LEFT.search(frame):
                shown = left.group(1)
            elif appended := APPENDED.search(frame):
                shown += appended.group(1)
        return unescape(shown)


async def join(tab, chat):
    await chat.arefresh_from_db()
    await tab.send(action="join", stamp=await sync_to_async(fragments.stamp)(chat))


async def tell(chat, what, message=""):
    event = {"type": "chat.changed", "what": what, "message": str(message)}
    await get_channel_layer().group_send(chat_group(chat.pk), event)


async def tell_of_title(user, chat):
    event = {"type": "chat.named", "chat": str(chat.pk)}
    await get_channel_layer().group_send(person_group(user.pk), event)
