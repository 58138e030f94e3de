"""An extractor that proposes what it should, and beside it all that was ever seen to go wrong."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memoryapp.agents.extractor import INSTRUCTIONS
from memoryapp.agents.talker import GUARDRAILS
from memoryapp.evaluation.scenarios import Lesson
from memoryapp.memory.language.wording import repeats

QUESTION_MARKS = "?？؟"
DENIAL = re.compile(
    r"\b(?:not|never|no longer)\b|\b\w+n['’]t\b|\bnicht\b|\bkein(?:e[nmrs]?)?\b"
    r"|\w\wm[iıuü]yor\w*|不|\bلا\b",
    re.IGNORECASE,
)
NEGATIVE = re.compile(
    rf"{DENIAL.pattern}|\b(?:no|none|nothing|hate\w*|dislike\w*)\b|讨厌|يكره|stop", re.IGNORECASE
)
CLAUSE_END = re.compile(r"[,.;:!?，。、！？؟]|\b(?:but|and|sondern|aber|any ?more|mehr)\b")
SENTENCE = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟]*")


@dataclass(frozen=True)
class Bad:
    """A proposal that must not be stored, and the rate that counts it if it is."""

    rate: str
    operation: dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """What an extractor was shown, and what it should have made of it."""

    said: Sequence[str]  # by the person
    heard: Sequence[str]  # from the assistant
    known: Sequence[dict[str, Any]]
    good: Sequence[Lesson]
    forgotten: Sequence[str] = ()

    @property
    def sentences(self) -> list[str]:
        return [sentence for body in self.said for sentence in sentences_of(body)]


def sentences_of(body: str) -> list[str]:
    return [text.strip() for text in SENTENCE.findall(body) if text.strip()]


def operation(key: str, value: str, quote: str, **others: Any) -> dict[str, Any]:
    """An operation as an extractor writes it: a new fact, unless `others` say otherwise."""
    return {
        "action": "add",
        "table": "fact",
        "kind": "fact",
        "subject": "",
        **{"key": key, "value": value, "quote": quote},
        **others,
    }


def wrong_quotes(reading: Reading) -> Iterator[Bad]:
    for lesson in reading.good:
        quote = f"{lesson.quote}, and I mean it"
        yield Bad("junk", operation(f"{lesson.key}_too", f"{lesson.value} and more", quote))


def inventions(reading: Reading) -> Iterator[Bad]:
    """People and numbers that nobody named, with quotes that stand there."""
    for sentence in reading.sentences[:3]:
        words = "_".join(re.findall(r"\w+", sentence.lower())[:3]) or "name"
        for key, value in (
            ("name", "John Doe"),
            (words, "John Doe"),
            ("lives_with", "Jane Roe"),
            ("employer", "Acme Corp in Springfield"),
            ("phone", "555 0134"),
        ):
            yield Bad("invented", operation(key, value, sentence, kind="identity"))
    quote = "My email is john.doe@example.com"
    yield Bad("invented", operation("email", "john.doe@example.com", quote))


def unstorable(reading: Reading) -> Iterator[Bad]:
    """What the database can't hold, from a message that can't have it."""
    for sentence in reading.sentences[:1]:
        yield Bad("junk", operation("odd", f"{sentence}\0", sentence))
        yield Bad("junk", operation("odd", "odd\0", f"{sentence}\0"))
        yield Bad("junk", operation("o" * 300, sentence * 200, sentence))


def opposites(reading: Reading) -> Iterator[Bad]:
    """What was denied as if it were so, with a quote that leaves the denial out, and what was said
    as if it were denied."""
    for sentence in reading.sentences:
        for denied in DENIAL.split(sentence)[1:]:
            if rest := CLAUSE_END.split(denied)[0].strip():
                yield Bad("junk", operation("said", rest, rest))
    for lesson in [] if NEGATIVE.search("\n".join(reading.said)) else reading.good:
        if lesson.value and lesson.table == "fact":
            value, about = f"not {lesson.value}", {"subject": lesson.subject}
            yield Bad("junk", operation(f"{lesson.key}_denied", value, lesson.quote, **about))


def own_prompts(reading: Reading) -> Iterator[Bad]:
    """The system prompt, stored as if it were about the person."""
    first = GUARDRAILS.partition("\n")[0]
    yield Bad("junk", operation("role", first, first))
    yield Bad("junk", operation("style", INSTRUCTIONS[:300], INSTRUCTIONS[:300], table="prompt"))
    for sentence in reading.sentences[:1]:
        yield Bad("junk", operation("assistant_role", first, sentence, table="prompt"))


def questions(reading: Reading) -> Iterator[Bad]:
    for sentence in reading.sentences:
        if sentence.endswith(tuple(QUESTION_MARKS)):
            statement = sentence.rstrip(QUESTION_MARKS)
            yield Bad("junk", operation("asked", statement, statement))
            yield Bad("junk", operation("wondered", f"Wondered: {statement}", sentence))


def wordings(reading: Reading) -> Iterator[Bad]:
    """The same thing in four other wordings, under other keys."""
    for lesson in reading.good:
        if lesson.action == "retract":
            continue
        words = lesson.key.replace("_", " ")
        about = {"table": lesson.table, "kind": lesson.kind, "subject": lesson.subject}
        for key, value in (
            (f"{lesson.key}_2", f"The user's {words} is {lesson.value}"),
            (f"user_{lesson.key}", f"{lesson.value}!!"),
            (f"{lesson.key}_noted", f"{words}: {lesson.value}"),
            ("profile", f"User said: {lesson.value.upper()}"),
        ):
            yield Bad("junk", operation(key, value, lesson.quote, **about))


def others_as_own(reading: Reading) -> Iterator[Bad]:
    """What somebody else likes or does, as if it were the person's."""
    for lesson in reading.good:
        if lesson.subject:
            for key in (lesson.key, "dislikes", "profile"):
                yield Bad("junk", operation(key, f"{lesson.value} ", lesson.quote))


def restatements(reading: Reading) -> Iterator[Bad]:
    """What the assistant said, and what is known already, once more."""
    for body in reading.heard:
        for sentence in sentences_of(body)[:2]:
            yield Bad("echo", operation("told", sentence, sentence))
            for said in reading.sentences[:1]:
                yield Bad("echo", operation("discussed", f"Discussed: {sentence}", said))
    for row in reading.known:
        again = operation(f"{row['key']}_again", f"{row['value']}.", row["value"])
        yield Bad("echo", {**again, "subject": row["subject"], "kind": row["kind"] or "fact"})


def revivals(reading: Reading) -> Iterator[Bad]:
    """Forgotten values under other keys, unless the person speaks of them again."""
    said_again = "\n".join(reading.said)
    for value in reading.forgotten:
        if repeats(said_again, value):
            continue
        yield Bad("resurrected", operation("formerly", f"formerly {value}", value))
        for sentence in reading.sentences[-1:]:
            yield Bad("resurrected", operation("about_user", value, sentence))
            yield Bad("resurrected", operation("note", f"It is {value}", sentence))


def overwritings(reading: Reading) -> Iterator[Bad]:
    """What is known, replaced by what has nothing to do with it."""
    for row in reading.known:
        at = {"table": row["table"], "replaces": row["row"], "subject": row["subject"]}
        for sentence in reading.sentences[:1]:
            yield Bad("junk", operation(row["key"], "not known", sentence, action="update", **at))


def deletions(reading: Reading) -> Iterator[dict[str, Any]]:
    """Known rows retracted, or replaced by another matter, though nothing was said of them.

    What this does wrong shows in what is gone afterwards, and not in what is there.
    """
    touched = {lesson.key for lesson in reading.good} | {each.replaces for each in reading.good}
    for row in reading.known:
        at = {"table": row["table"], "replaces": row["row"], "subject": row["subject"]}
        if row["key"] in touched:
            continue
        for sentence in reading.sentences[:2]:
            yield operation(row["key"], "", sentence, action="retract", **at)
        for lesson in reading.good:
            if lesson.table == row["table"] and lesson.subject == row["subject"]:
                kind = {"kind": lesson.kind, "action": "update"}
                yield operation(lesson.key, lesson.value, lesson.quote, **kind, **at)


def old_texts(reading: Reading) -> Iterator[dict[str, Any]]:
    """After a change: the old value as if it were the new one, and the new one retracted."""
    for lesson in reading.good:
        for row in reading.known:
            if row["key"] in (lesson.key, lesson.replaces) and row["subject"] == lesson.subject:
                at = {"table": row["table"], "replaces": row["row"], "subject": row["subject"]}
                kind = {"kind": row["kind"] or "fact"}
                yield operation(
                    row["key"], row["value"], lesson.quote, action="update", **kind, **at
                )
                if lesson.value:
                    yield operation(row["key"], "", lesson.quote, action="retract", **at)


BAD: tuple[Callable[[Reading], Iterator[Bad]], ...] = (
    wrong_quotes, inventions, unstorable, opposites, own_prompts, questions, others_as_own,
    restatements, revivals, overwritings,
)  # fmt: skip


def proposals(reading: Reading) -> list[Bad]:
    return [bad for kind in BAD for bad in kind(reading)]


def flood(reading: Reading, number: int) -> list[Bad]:
    """So many proposals that nobody's words support, some with quotes that stand there."""
    sentences = reading.sentences or ["Hello"]
    return [
        Bad(
            "junk",
            operation(
                f"item_{i}",
                f"thing number {1000 + i}",
                sentences[i % len(sentences)] if i % 2 else f"I have thing number {1000 + i}",
            ),
        )
        for i in range(number)
    ]
