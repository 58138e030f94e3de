"""The websocket's addresses."""

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path, re_path

from memoryapp.consumers.chat import ChatConsumer
from memoryapp.consumers.temporary import TemporaryConsumer


class NotHere(AsyncWebsocketConsumer):
    """Refuses a socket at any other address."""

    async def connect(self) -> None:
        await self.close()


websocket_urlpatterns = [
    path("ws/chats/<uuid:chat_id>/", ChatConsumer.as_asgi()),
    path("ws/temporary/", TemporaryConsumer.as_asgi()),
    re_path("", NotHere.as_asgi()),
]
