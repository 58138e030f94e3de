"""How a tool is called: with a key that may, arguments that fit, and a sentence if it can't be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ninja.errors import ValidationError as ParameterError
from pydantic import BaseModel, ValidationError

from memoryapp.api.auth import check_scope
from memoryapp.api.errors import REFUSALS, ApiError, why_refused
from memoryapp.models import ApiKey
from memoryapp.schemas.fields import Body

MEMORY_OFF = (
    "This person has memory switched off, so it is neither read nor written. They can switch it on "
    "in their settings."
)

Taken = TypeVar("Taken", bound=Body)


@dataclass(frozen=True)
class Answer:
    text: str
    data: BaseModel | None = None  # None: it can't be done, and the text says why


@dataclass(frozen=True)
class Tool:
    name: str
    title: str
    does: str  # as models are told
    takes: type[Body]
    gives: type[BaseModel]
    work: Callable[[ApiKey, Any], Answer]
    scope: str
    is_destructive: bool
    needs_memory: bool

    def call(self, key: ApiKey, arguments: Mapping[str, Any]) -> Answer:
        """What the tool gives to the holder of the key, or in a sentence why it doesn't."""
        try:
            check_scope(key, self.scope)
            if self.needs_memory and not key.user.memory_on:
                raise ApiError(403, "memory_off", MEMORY_OFF)
            return self.work(key, read(self.takes, arguments))
        except tuple(REFUSALS) as error:
            return Answer(why_refused(error).detail)


def read(takes: type[Taken], arguments: Mapping[str, Any]) -> Taken:
    try:
        return takes.model_validate(arguments)
    except ValidationError as error:
        found = [{**each, "loc": ("arguments", *each["loc"])} for each in error.errors()]
        raise ParameterError(found) from error


def tool(
    title: str,
    *,
    takes: type[Taken],
    gives: type[BaseModel],
    scope: str = "read",
    is_destructive: bool = False,
    needs_memory: bool = True,
) -> Callable[[Callable[[ApiKey, Taken], Answer]], Tool]:
    """A function as a tool of its name; its docstring is what models are told of it."""

    def made(work: Callable[[ApiKey, Taken], Answer]) -> Tool:
        return Tool(
            name=work.__name__,
            title=title,
            does=" ".join((work.__doc__ or "").split()),
            takes=takes,
            gives=gives,
            work=work,
            scope=scope,
            is_destructive=is_destructive,
            needs_memory=needs_memory,
        )

    return made
