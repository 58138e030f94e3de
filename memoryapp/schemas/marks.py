"""Marks of used memories as JSON."""

from uuid import UUID

from pydantic import Field

from memoryapp.schemas.fields import Body, Id, Shown


class NewMark(Body):
    memory_id: Id = Field(description="Of a fact or turn on the reply's receipt.")
    is_useful: bool


class MarkOut(Shown):
    message_id: UUID
    memory_id: UUID
    is_useful: bool
