"""What a page's socket leaves behind where it breaks in the middle of something: nothing."""

import asyncio
import json

import pytest
from channels.layers import get_channel_layer
from channels.routing import URLRouter

from memoryapp.consumers.temporary import OPEN
from memoryapp.models import Chat
from memoryapp.routing import websocket_urlpatterns

pytestmark = pytest.mark.django_db(transaction=True)


async def broken(user, path, *, at):
    """A page asks for nonsense, and is gone when it is sent its first message of type `at`."""
    inbox = asyncio.Queue()
    inbox.put_nowait({"type": "websocket.connect"})
    inbox.put_nowait({"type": "websocket.receive", "text": json.dumps({"action": "nonsense"})})

    async def send(message):
        if message["type"] == at:
            raise OSError("The page is gone.")

    scope = {"type": "websocket", "path": path, "user": user, "headers": []}
    with pytest.raises(OSError, match="gone"):
        await asyncio.wait_for(URLRouter(websocket_urlpatterns)(scope, inbox.get, send), 5)
    await asyncio.sleep(0)  # what was cancelled ends


@pytest.mark.parametrize("at", ["websocket.accept", "websocket.send"])
async def test_a_temporary_chat_is_open_no_longer(ada, at):
    await broken(ada, "/ws/temporary/", at=at)
    assert not OPEN


@pytest.mark.parametrize("at", ["websocket.accept", "websocket.send"])
async def test_nothing_looks_after_the_replies_of_a_chat_and_nobody_is_in_its_group(ada, at):
    chat = await Chat.objects.acreate(user=ada)
    before = asyncio.all_tasks()
    await broken(ada, f"/ws/chats/{chat.pk}/", at=at)
    started = asyncio.all_tasks() - before
    assert [task for task in started if "look" in repr(task)] == []
    assert not (await get_channel_layer().listening()).groups
    await get_channel_layer().flush()
