"""The websocket's addresses."""

from django.urls import path

from memoryapp.consumers import ChatConsumer

websocket_urlpatterns = [path("ws/chats/<uuid:chat_id>/", ChatConsumer.as_asgi())]
