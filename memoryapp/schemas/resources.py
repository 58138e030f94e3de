"""Resources and their passages as JSON."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from memoryapp.documents.addresses import URL_MAX_CHARS
from memoryapp.models.resources import NAME_MAX_CHARS
from memoryapp.schemas.fields import Given, Moment, Shown


class ResourceOut(Shown):
    id: UUID
    name: str
    url: str = Field(description="The address that it was fetched from; empty for a file.")
    shared: bool = Field(validation_alias="is_shared", description="Everyone may search it.")
    status: Literal["reading", "ready", "failed"]
    progress: int = Field(description="Per cent that can be searched already.")
    error: str = Field(description="Why it failed, and what to do.")
    created_at: Moment


class ResourceForm(Given):
    url: str = Field("", max_length=URL_MAX_CHARS, description="Of a page, instead of a file.")
    name: str = Field(
        "",
        max_length=NAME_MAX_CHARS,
        description="Left out, it is the file's name or the page's title.",
    )
    shared: bool = Field(False, description="With everyone; administrators only.")


class ResourceQuery(Given):
    q: str = Field(min_length=1, max_length=2000)
    limit: int = Field(5, ge=1, le=50)


class FoundOut(Shown):
    resource_id: UUID
    resource_name: str
    passage_id: int
    position: int
    page: int | None = Field(description="Of a text that has pages, from 1.")
    text: str
    score: float
