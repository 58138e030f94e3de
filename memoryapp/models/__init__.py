"""Rows and the rules that concern one row."""

from memoryapp.models.accounts import ApiKey, Usage, User
from memoryapp.models.chats import Chat, Message
from memoryapp.models.marks import MemoryMark, RecallFloor
from memoryapp.models.memory import Fact, Forgotten, MemoryEvent, Prompt
from memoryapp.models.resources import Passage, Resource
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
    "Usage",
    "User",
]
