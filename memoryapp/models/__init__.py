"""Rows and the rules that concern one row."""

from memoryapp.models.accounts import ApiKey, User
from memoryapp.models.chats import Chat
from memoryapp.models.marks import MemoryMark, RecallFloor
from memoryapp.models.memory import Fact, Forgotten, MemoryEvent, Prompt
from memoryapp.models.messages import Message
from memoryapp.models.resources import Passage, Resource, ResourceFile
from memoryapp.models.usage import Usage
from memoryapp.models.vectors import (
    EmbeddingChoice,
    FactSpare,
    MessagePart,
    MessagePartSpare,
    MessageSpare,
    PassageSpare,
)

__all__ = [
    "ApiKey",
    "Chat",
    "EmbeddingChoice",
    "Fact",
    "FactSpare",
    "Forgotten",
    "MemoryEvent",
    "MemoryMark",
    "Message",
    "MessagePart",
    "MessagePartSpare",
    "MessageSpare",
    "Passage",
    "PassageSpare",
    "Prompt",
    "RecallFloor",
    "Resource",
    "ResourceFile",
    "Usage",
    "User",
]
