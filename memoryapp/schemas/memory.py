"""Facts, prompts and what recall finds, as JSON."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field

from memoryapp.models.memory import KEY_MAX_CHARS, SUBJECT_MAX_CHARS, VALUE_MAX_CHARS, as_key
from memoryapp.schemas.fields import MAX_LIMIT, Body, Changes, Given, Moment, Paging, Shown

Kind = Literal["identity", "preference", "project", "task", "fact"]
Status = Literal["active", "pending", "paused"]
Origin = Literal["typed", "pasted", "import", "user", "admin", "api"]
# Whoever writes a memory decides at once; only what was learned can be pending.
OwnStatus = Literal["active", "paused"]


Key = Annotated[str, Field(min_length=1, max_length=KEY_MAX_CHARS), AfterValidator(as_key)]
Value = Annotated[str, Field(min_length=1, max_length=VALUE_MAX_CHARS)]
Subject = Annotated[str, Field(max_length=SUBJECT_MAX_CHARS)]


def is_nobody(user_id: int | None) -> bool:
    return user_id is None


class Remembered(Shown):
    """What facts and prompts have in common."""

    id: UUID
    key: str
    value: str
    status: Status
    valid_from: Moment
    valid_to: Moment | None = Field(description="null while it is current")
    quote: str
    source_message_id: UUID | None
    origin: Origin
    pinned: bool = Field(validation_alias="is_pinned")
    expires_at: Moment | None
    local_only: bool
    use_count: int
    last_used_at: Moment | None


class PromptOut(Remembered):
    is_global: Annotated[bool, BeforeValidator(is_nobody)] = Field(
        validation_alias="user_id", description="Part of the persona of everyone."
    )


class FactOut(Remembered):
    kind: Kind
    subject: str = Field(description="Whom it is about; empty for the person themselves.")
    due_at: Moment | None


class ProposalOut(Shown):
    """What was learned but takes no effect before its owner has decided."""

    id: UUID
    table: Literal["fact", "prompt"] = Field(description="A fact, or a way to answer.")
    kind: Kind | None = Field(None, description="Of a fact; a prompt has none.")
    subject: str = ""
    key: str
    value: str
    instead_of: str = Field(description="The value that it would supersede, if there is one.")
    reason: str = Field(validation_alias="waits_because", description="Why it waits.")
    quote: str
    source_message_id: UUID | None
    origin: Origin
    recorded_at: Moment


class InboxQuery(Paging):
    source: Literal["import", "chats"] | None = Field(
        None, description="Only what was imported, or only what was said here."
    )


class TurnedDown(Shown):
    turned_down: int


class NewPrompt(Body):
    key: Key
    value: Value
    status: OwnStatus = "active"
    pinned: bool = False
    local_only: bool = False
    expires_at: Moment | None = None
    is_global: bool = Field(False, description="Part of the persona of everyone.")


class NewFact(Body):
    key: Key
    value: Value
    kind: Kind = "fact"
    subject: Subject = ""
    status: OwnStatus = "active"
    pinned: bool = False
    local_only: bool = False
    expires_at: Moment | None = None
    due_at: Moment | None = None


class PromptChanges(Changes):
    clearable: ClassVar[frozenset[str]] = frozenset({"expires_at"})

    key: Key | None = None
    value: Value | None = None
    status: OwnStatus | None = None
    pinned: bool | None = None
    local_only: bool | None = None
    expires_at: Moment | None = None


class FactChanges(PromptChanges):
    clearable: ClassVar[frozenset[str]] = frozenset({"expires_at", "due_at"})

    kind: Kind | None = None
    subject: Subject | None = None
    due_at: Moment | None = None


class PromptFilter(Paging):
    status: Status | None = None


class FactFilter(Paging):
    kind: Kind | None = None
    status: Status | None = None
    chat_id: UUID | None = Field(None, description="What this chat taught.")
    as_of: Moment | None = Field(None, description="What was true then, instead of now.")


class Scope(Given):
    chat_id: UUID | None = Field(None, description="What this chat taught, and nothing else.")
    kind: Kind | None = Field(None, description="All facts of this kind.")
    all: bool = Field(False, description="Everything that is known about you.")


class Forgotten(Shown):
    forgotten: int = Field(description="How many facts and prompts are gone, versions aside.")


class RecallQuery(Given):
    q: str = Field(min_length=1, max_length=VALUE_MAX_CHARS)
    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    kind: Kind | Literal["turn"] | None = None
    min_score: float = Field(0.0, ge=0, allow_inf_nan=False)


class RecalledOut(Shown):
    id: str
    kind: Kind | Literal["turn"]
    text: str
    score: float | None
    cosine: float | None
    words: float | None
    source_message_id: str | None
    chat_id: str | None
    said_at: str | None = Field(description="In the person's zone.")
    said_by: Literal["", "user", "assistant"] = Field(description="Of a turn.")
    since: str = Field(description="Of a turn that tells what holds no longer: what does instead.")
    ended: str = Field(description="And the keys under which nothing holds any more.")
