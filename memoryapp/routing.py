"""The websocket's addresses."""

from django.urls import path

from memoryapp.consumers.chat import ChatConsumer
from memoryapp.consumers.temporary import TemporaryConsumer

websocket_urlpatterns = [
    path("ws/chats/<uuid:chat_id>/", ChatConsumer.as_asgi()),
    path("ws/temporary/", TemporaryConsumer.as_asgi()),
]
