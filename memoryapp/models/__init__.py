"""Rows and the rules that concern one row."""

from memoryapp.models.accounts import ApiKey, Usage, User
from memoryapp.models.chats import Chat, Message
from memoryapp.models.marks import MemoryMark, RecallFloor
from memoryapp.models.memory import Fact, Forgotten, MemoryEvent, Prompt
from memoryapp.models.resources import Passage, Resource

__all__ = [
    "ApiKey",
    "Chat",
    "Fact",
    "Forgotten",
    "MemoryEvent",
    "MemoryMark",
    "Message",
    "Passage",
    "Prompt",
    "RecallFloor",
    "Resource",
    "Usage",
    "User",
]
