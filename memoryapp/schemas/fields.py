"""The kinds of values that JSON carries here, and the bases of what comes in and goes out."""

from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Generic, TypeVar
from uuid import UUID

from django.core.exceptions import ValidationError
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from memoryapp.models.accounts import check_timezone
from memoryapp.visible import visible

T = TypeVar("T")
MAX_LIMIT = 200


def read_moment(value: Any) -> Any:
    """A time with its offset, as UTC. Numbers and naive times are refused: they are guesses."""
    if value is None or isinstance(value, datetime):
        return value
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError
        return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("must be a time with its offset, such as 2026-01-31T09:00:00Z") from None


def spell_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def known_timezone(name: str) -> str:
    try:
        check_timezone(name)
    except ValidationError as error:
        raise ValueError(error.message) from None
    return name


Moment = Annotated[
    datetime,
    BeforeValidator(read_moment),
    PlainSerializer(spell_moment, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
# Bodies are strict, and JSON has no type of its own for an id.
Id = Annotated[UUID, Field(strict=False)]
TimeZone = Annotated[str, Field(max_length=64), AfterValidator(known_timezone)]


def storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("a NUL character can't be stored; remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half of a character can't be stored; remove it") from None
    return text


class Given(BaseModel):
    """What comes in. What can't be seen doesn't count as text, and a text can be stored."""

    model_config = ConfigDict(str_strip_whitespace=True)

    @field_validator("*", mode="before")
    @classmethod
    def visible_and_storable(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return value if visible(storable(value)) else ""


class Body(Given):
    """A JSON body: its types are exact and unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Changes(Body):
    """A PATCH: what is left out stays as it is. Only `clearable` fields may be null."""

    clearable: ClassVar[frozenset[str]] = frozenset()

    @field_validator("*", mode="before")
    @classmethod
    def refuse_null(cls, value: Any, info: ValidationInfo) -> Any:
        if value is None and info.field_name not in cls.clearable:
            raise ValueError("leave it out instead of sending null")
        return value

    def given(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)


class Paging(Given):
    limit: int = Field(50, ge=1, le=MAX_LIMIT)
    offset: int = Field(0, ge=0, le=10**9)


class Shown(BaseModel):
    """What goes out, read from a row or a value of the same field names."""

    model_config = ConfigDict(from_attributes=True)


class Page(BaseModel, Generic[T]):
    items: list[T]
    count: int = Field(description="How many there are in all, not only on this page.")
