"""Scenarios: what people say and do, what an extractor would learn, and what must hold then.

A file is YAML and holds one scenario or several, divided by `---`:

    title: A move
    steps:
    - say: I live in Berlin.
      learns: [{key: city, value: Berlin, quote: I live in Berlin, kind: identity}]
    - say: I moved to Vienna.
      learns: [{key: city, value: Vienna, quote: I moved to Vienna, kind: identity}]
    - ask: Where do I live?
      recalls: [Vienna]
      stale: [Berlin]
    - expect: {known: [Vienna], stale: [Berlin], history: [Berlin]}

Texts are looked for in what is stored and told, whatever the case. The person is Ada; a step with
`who: ben` is somebody else's. Each step is one of the classes below, by its first word.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

Who = Literal["ada", "ben"]
Answer = Literal["json", "prose", "schema", "thinking", "empty", "cut", "wrong types"]


class ScenarioError(Exception):
    """A scenario can't be read or run; the message says which and why."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Lesson(Strict):
    """An operation that a good extractor proposes after this message."""

    key: str
    value: str = ""
    quote: str
    action: Literal["add", "update", "retract"] = "add"
    table: Literal["fact", "prompt"] = "fact"
    kind: Literal["identity", "preference", "project", "task", "fact"] = "fact"
    subject: str = ""
    replaces: str = ""  # the key of what it updates or retracts
    due_in: int | None = None  # days from now, at 09:00 in the person's zone
    expires_in: int | None = None  # days from now


class Do(Strict):
    """Something that the person does on the page, or that the worker does at its own pace."""

    do: Literal[
        "remember", "edit", "forget", "pause", "restore", "undo", "approve", "turn down",
        "forget chat", "forget everything", "delete chat",
        "memory off", "memory on", "chat memory off", "chat memory on", "ask always", "never ask",
        "deliver", "deliver again", "condense",
    ]  # fmt: skip
    what: str = ""  # a text of the fact or prompt it is done to, or the key of a new one
    to: str = ""  # the new value
    kind: str = "fact"
    who: Who = "ada"


class Say(Strict):
    say: str
    reply: str = "I see."
    chat: str = ""  # the chat it is said in from here on; made when it is new
    who: Who = "ada"
    learns: list[Lesson] = []
    answers: Answer = "json"  # how the extractor answers at first
    later: bool = False  # the worker doesn't come to it until `do: deliver`
    meanwhile: list[Do] = []  # done while the extractor thinks
    takes_back: bool = False  # it takes back what was said before it
    times: int = 1  # said so often, each time with its number
    filler: int = 0  # so many characters of nothing in particular follow
    flood: int = 0  # so many proposals without support come with the extractor's answer


class Ask(Strict):
    """A question that leaves no trace, asked in a new chat unless `chat` names one."""

    ask: str
    chat: str = ""
    who: Who = "ada"
    recalls: list[str] = []
    stale: list[str] = []
    lacks: list[str] = []  # not told at all
    persona: list[str] = []  # in the instructions
    fenced: list[str] = []  # told, but only within the fence
    nothing: bool = False  # nothing is recalled because of the question


class Expected(Strict):
    """Texts that must be found, or must not."""

    known: list[str] = []  # in use
    unknown: list[str] = []  # said, but neither in use nor waiting
    not_own: list[str] = []  # not in use as a fact about the person
    waiting: list[str] = []  # for a decision, and not in use
    invented: list[str] = []  # never said; not stored at all
    stale: list[str] = []  # no longer in use
    history: list[str] = []  # kept as a former value
    forgotten: list[str] = []  # nowhere
    once: list[str] = []  # in use in exactly one row
    disobeyed: list[str] = []  # no prompt in use says it
    rows: int | None = None  # so many in use
    told_of_failure: bool = False  # the log says that something couldn't be learned


class Expect(Strict):
    expect: Expected
    who: Who = "ada"


def first_word(step: Any) -> str | None:
    return next((word for word in ("say", "ask", "do", "expect") if word in step), None)


Step = Annotated[
    Annotated[Say, Tag("say")]
    | Annotated[Ask, Tag("ask")]
    | Annotated[Do, Tag("do")]
    | Annotated[Expect, Tag("expect")],
    Discriminator(first_word),
]


class Scenario(Strict):
    title: str
    language: str = "en"
    timezone: str = "UTC"
    steps: list[Step] = Field(min_length=1)


def read(folder: Path) -> list[Scenario]:
    """All scenarios of a folder. Raises ScenarioError."""
    found = [scenario for path in sorted(folder.glob("*.yaml")) for scenario in read_file(path)]
    if not found:
        raise ScenarioError(f"There is no scenario (*.yaml) in {folder}. Name their folder.")
    return found


def read_file(path: Path) -> Iterator[Scenario]:
    try:
        for number, document in enumerate(yaml.safe_load_all(path.read_text()), 1):
            yield scenario_of(document, f"{path.name}, scenario {number}")
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path.name} is not YAML: {error}") from error


def scenario_of(document: Any, where: str) -> Scenario:
    try:
        return Scenario.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ScenarioError(f"{where}: {place or 'it'}: {first['msg']}") from error
