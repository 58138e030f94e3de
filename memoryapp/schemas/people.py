"""A person's settings, keys and usage as JSON."""

from datetime import date
from decimal import Decimal
from typing import Literal
from uuid import UUID

from pydantic import Field

from memoryapp.models.accounts import KEY_NAME_MAX_CHARS
from memoryapp.schemas.fields import Body, Changes, Given, Moment, Shown, TimeZone

Scope = Literal["read", "write"]
Language = Literal["en", "de"]


class MeOut(Shown):
    username: str
    memory_on: bool
    timezone: str
    language: str
    local_models_only: bool
    notify_learned: bool
    is_administrator: bool = Field(validation_alias="is_staff")


class MeChanges(Changes):
    memory_on: bool | None = None
    timezone: TimeZone | None = None
    language: Language | None = None
    local_models_only: bool | None = None
    notify_learned: bool | None = None


class KeyOut(Shown):
    id: UUID
    name: str
    prefix: str = Field(description="How the key begins; the rest is never shown again.")
    scopes: list[Scope]
    created_at: Moment
    expires_at: Moment | None
    last_used_at: Moment | None


class MadeKey(KeyOut):
    key: str = Field(description="The key itself. It is shown this once.")


class NewKey(Body):
    name: str = Field(min_length=1, max_length=KEY_NAME_MAX_CHARS)
    scopes: list[Scope] = Field(["read", "write"], min_length=1, max_length=2)
    expires_at: Moment | None = None


class UsageQuery(Given):
    days: int = Field(30, ge=1, le=366, description="How many days back, today included.")


class UsageOut(Shown):
    day: date
    agent: str
    runs: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None = Field(description="US dollars; null where no price is known.")


class ExportQuery(Given):
    format: Literal["json", "markdown"] = Field(
        "json", description="markdown is to be read: what holds, the chats and the resources."
    )


class SkippedOut(Shown):
    reason: str
    count: int
    names: list[str] = Field(description="The first few of them.")


class ImportOut(Shown):
    chats: int = Field(description="Those that something was added to.")
    messages: int
    waiting: int = Field(description="Facts and prompts that wait in the inbox now.")
    skipped: list[SkippedOut]
    trouble: str = Field(description="Why the file wasn't read to its end; empty if it was.")


class ImportQuery(Given):
    learn: bool = Field(False, description="Learn from the chats, too: `POST /import/learning`.")


class LearningOut(Shown):
    going_on: bool = Field(validation_alias="is_going_on")
    read: int = Field(validation_alias="num_read", description="Of your own messages, so many.")
    messages: int = Field(validation_alias="num_messages")
    questions: int = Field(validation_alias="num_questions", description="About so many are left.")
    failure: str = Field(description="Why it can't go on; empty if it can.")
