"""What a match of a pattern says: a key and a value for each thing."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoryapp.agents.offline.dates import MONTH
from memoryapp.agents.offline.language import slug
from memoryapp.agents.offline.vocabulary import IDENTITY_KEYS, NO_THINGS, SAME_KEY

MOST_THINGS = 10
IDENTITY, PREFERENCE, PROJECT, FACT = "identity", "preference", "project", "fact"


@dataclass(frozen=True)
class Statement:
    """One thing that is said; `was` is the value it replaces, when that is said as well."""

    key: str
    value: str
    kind: str = FACT
    was: str = ""
    subject: str = ""


# What a value begins with and goes without: "on 3 May", "in February".
BEGINS = re.compile(rf"^(?:(?:on|am|the|der|die|das) |(?:in|im) (?=(?:{MONTH})\b))", re.IGNORECASE)
Meaning = Callable[[re.Match[str], str], Iterator[Statement]]


def by_name(match: re.Match[str], kind: str) -> Iterator[Statement]:
    """Each named group of the pattern is a key."""
    groups = {key: value for key, value in match.groupdict().items() if value}
    was = groups.pop("was", "")
    for key, value in groups.items():
        yield Statement(key, value, kind, was)


def each(prefix: str) -> Meaning:
    """Each thing of a list gets a key of its own."""

    def meaning(match: re.Match[str], kind: str) -> Iterator[Statement]:
        for thing in listed(match["things"]):
            yield Statement(f"{prefix}_{slug(thing)}", thing, kind)

    return meaning


def preferred(match: re.Match[str], kind: str) -> Iterator[Statement]:
    """The last word names what the preference is about: concise *answers*, dark UI *themes*."""
    for thing in listed(match["things"]):
        about = re.split(
            r" (?:over|to|instead|rather|in|for|when|with|than|statt|als|für)\b", thing
        )[0]
        yield Statement(f"preferred_{slug(about.split()[-1])}", thing, kind)


def attribute(match: re.Match[str], kind: str) -> Iterator[Statement]:
    key = slug(match["thing"].replace("'s", ""))
    key = SAME_KEY.get(key, key)
    if key.startswith("favourite"):
        kind = PREFERENCE
    elif key in IDENTITY_KEYS:
        kind = IDENTITY
    if match.groupdict().get("called") and key not in IDENTITY_KEYS:
        key = f"{key}_name"
    yield Statement(key, BEGINS.sub("", match["value"]), kind)


def used(match: re.Match[str], kind: str) -> Iterator[Statement]:
    tools = listed(match["tool"])
    if match["purpose"] and tools:
        yield Statement(slug(match["purpose"]), match["tool"], kind)
    else:
        for tool in tools:
            yield Statement(f"uses_{slug(tool)}", tool, kind)


# "We deploy X with Y" is filed under what is done, so that a new tool takes the old one's place.
DONE = {
    "deploy": "deployment", "build": "build", "test": "testing", "monitor": "monitoring",
    "host": "hosting", "manage": "management", "provision": "provisioning", "store": "storage",
    "track": "tracking", "document": "documentation", "run": "runtime", "ship": "shipping",
    "deployen": "deployment", "bauen": "build", "testen": "testing", "überwachen": "monitoring",
    "hosten": "hosting", "verwalten": "management", "speichern": "storage", "betreiben": "runtime",
}  # fmt: skip


def done(match: re.Match[str], kind: str) -> Iterator[Statement]:
    if not re.match(NO_THINGS, match["what"], re.IGNORECASE):
        key = f"{slug(match['what'], 3)}_{DONE[match['verb'].lower()]}"
        yield Statement(key, match["value"], kind)


SOME = re.compile(
    r"^(?:to|the|both|fluent|a (?:little|bit of)|fließend|etwas|ein (?:bisschen|wenig)) ",
    re.IGNORECASE,
)


def listed(text: str) -> list[str]:
    """The things of "a, b and c", without the article or the "to" that each may begin with.

    What points at something said elsewhere ("it", "the way you write") is left out, and so is a
    sentence ("Kiel is big"). Nobody likes more than ten things in one breath: that is a list of
    something else.
    """
    things = re.split(r"\s*,\s*(?:and |und |or )?|\s+(?:and|und|sowie)\s+", text)
    things = [thing for thing in things if not re.match(NO_THINGS, thing, re.IGNORECASE)]
    things = [thing for thing in things if not re.search(r"\b(?:is|are|ist|sind)\b", thing)]
    things = [SOME.sub("", thing) for thing in things if thing]
    return things if len(things) <= MOST_THINGS else []
