"""Two people with nothing in common, a chat with history, and no real model anywhere."""

import pytest
from pydantic_ai import models as pydantic_ai_models

from memoryapp.models import Chat, Message, User

pydantic_ai_models.ALLOW_MODEL_REQUESTS = False


@pytest.fixture
def ada(db):
    return User.objects.create_user("ada", password="a-long-password", first_name="Ada")


@pytest.fixture
def ben(db):
    return User.objects.create_user("ben", password="a-long-password", first_name="Ben")


@pytest.fixture
def chat(ada):
    """A chat of Ada's with one finished turn."""
    chat = Chat.objects.create(user=ada)
    chat.add_message(Message.Role.USER, "Hello there")
    chat.add_message(Message.Role.ASSISTANT, "Good morning.")
    return chat
