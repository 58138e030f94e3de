"""What the tools for other programs' models take and give."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from memoryapp.models.memory import VALUE_MAX_CHARS
from memoryapp.schemas.fields import MAX_LIMIT, Body, Id, Shown
from memoryapp.schemas.memory import Key, Kind, Subject, Value

Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=VALUE_MAX_CHARS,
        description="A question or a few words, in the person's language.",
    ),
]


class Recall(Body):
    query: Query


class Search(Body):
    query: Query
    limit: int = Field(5, ge=1, le=20)


class Listing(Body):
    kind: Kind | None = Field(None, description="Only facts of this kind.")
    limit: int = Field(50, ge=1, le=MAX_LIMIT)
    offset: int = Field(0, ge=0, le=10**9)


class Telling(Body):
    key: Key = Field(
        description="What it is about, in a word or two, such as 'city' or 'favourite tea'. It "
        "takes the place of what was known under this key."
    )
    value: Value = Field(description="What is so, in as few words as say it.")
    kind: Kind = "fact"
    subject: Subject = Field(
        "", description="Whom it is about, such as 'my sister Maria'; empty for the person."
    )


class Forgetting(Body):
    id: Id = Field(description="The fact's id, as recall and list_facts give it.")


class FactTold(Shown):
    id: UUID
    kind: Kind
    text: str


class TurnTold(Shown):
    text: str
    said_at: str | None = Field(description="In the person's time zone.")
    said_by: Literal["", "user", "assistant"]
    since: str = Field(description="What holds instead by now.")
    ended: str = Field(description="The keys under which nothing holds any more.")


class PassageTold(Shown):
    source: str = Field(description="The resource, and its page if it has pages.")
    text: str


class Recalled(BaseModel):
    facts: list[FactTold]
    turns: list[TurnTold]


class Facts(BaseModel):
    facts: list[FactTold]
    count: int = Field(description="How many there are in all.")


class Turns(BaseModel):
    turns: list[TurnTold]


class Passages(BaseModel):
    passages: list[PassageTold]


class Remembered(BaseModel):
    outcome: Literal["remembered", "waits", "unchanged"]
    id: UUID | None = Field(description="Of what is remembered or waits.")
    reason: str = Field(description="Why it waits for the person's decision, or changes nothing.")
