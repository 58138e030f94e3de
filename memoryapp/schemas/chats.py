"""Chats, messages and turns as JSON."""

from typing import Annotated, Any, Literal
from uuid import UUID

from django.conf import settings
from pydantic import Field, RootModel

from memoryapp.models.chats import TITLE_MAX_CHARS
from memoryapp.schemas.fields import Body, Changes, Given, Id, Moment, Paging, Shown, TimeZone

Title = Annotated[str, Field(min_length=1, max_length=TITLE_MAX_CHARS)]
Said = Annotated[str, Field(min_length=1, max_length=settings.MESSAGE_MAX_CHARS)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class ChatOut(Shown):
    id: UUID
    title: str
    memory_on: bool
    pinned: bool = Field(validation_alias="is_pinned")
    archived: bool = Field(validation_alias="is_archived")
    created_at: Moment
    last_message_at: Moment


class ChatFilter(Paging):
    q: str = Field("", max_length=200, description="Words in the title or in a message.")
    archived: bool = Field(False, description="The archived ones instead of the others.")
    pinned: bool | None = None


class NewChat(Body):
    title: Title | None = None
    memory_on: bool = True


class ChatChanges(Changes):
    title: Title | None = None
    memory_on: bool | None = None
    pinned: bool | None = None
    archived: bool | None = None


class Forget(Given):
    forget: bool = Field(False, description="Forget what the chat taught as well.")


class MessageOut(Shown):
    id: UUID
    chat_id: UUID
    parent: UUID | None
    role: Literal["user", "assistant", "summary"]
    body: str
    status: Literal["streaming", "complete", "stopped", "failed", "interrupted"]
    failure: str = Field(description="Why a reply failed, in one sentence.")
    is_active: bool = Field(description="On the branch that is shown.")
    is_evicted: bool = Field(description="Condensed into a summary and out of the history.")
    created_at: Moment
    siblings: list[UUID] = Field(description="The versions of this message, itself included.")
    receipt: dict[str, Any] | None = Field(description="What went into a reply.")


class MessageFilter(Paging):
    after: UUID | None = Field(None, description="Only what follows this message.")
    archive: bool = Field(False, description="All branches and evicted messages as well.")


class NewMessage(Body):
    id: Id | None = Field(None, description="Made by you: sent again, it is the same turn.")
    body: Said
    parent: Id | None = Field(
        None,
        description="The message to follow, on a new branch; null begins the chat anew. "
        "Leave it out to continue the chat.",
    )


class MessageChanges(Body):
    is_active: Literal[True] = Field(description="Show the branch through this message.")


class Regenerate(Body):
    without: list[Id] = Field([], max_length=100, description="Facts to leave out this time.")


class StreamFrom(Given):
    after: int = Field(0, ge=0, le=10**9, description="Code points that are already known.")


class Turn(Body):
    message: Said
    chat_id: Id | None = Field(None, description="Left out, a new chat is made.")
    user_name: Name | None = None
    timezone: TimeZone | None = Field(None, description="An IANA name such as Asia/Kolkata.")


class ReceiptOut(RootModel[dict[str, Any]]):
    """What went into a reply: memories with their scores, prompts, resources, tokens, times."""


class TurnOut(Shown):
    reply: str
    chat_id: UUID
    message_id: UUID = Field(description="The reply's.")
    used_memories: list[str]
    summary_used: bool
    receipt: dict[str, Any]
