"""Resources and their passages as JSON."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from memoryapp.models.resources import NAME_MAX_CHARS
from memoryapp.schemas.fields import Given, Moment, Shown


class ResourceOut(Shown):
    id: UUID
    name: str
    shared: bool = Field(validation_alias="is_shared", description="Everyone may search it.")
    status: Literal["reading", "ready", "failed"]
    progress: int = Field(description="Per cent that can be searched already.")
    error: str
    created_at: Moment


class ResourceForm(Given):
    name: str = Field("", max_length=NAME_MAX_CHARS, description="Left out, it is the file's name.")
    shared: bool = Field(False, description="With everyone; administrators only.")


class ResourceQuery(Given):
    q: str = Field(min_length=1, max_length=2000)
    limit: int = Field(5, ge=1, le=50)


class FoundOut(Shown):
    resource_id: UUID
    resource_name: str
    passage_id: int
    position: int
    text: str
    score: float
