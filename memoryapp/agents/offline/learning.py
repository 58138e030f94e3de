"""The extractor's work without a language model: from messages to operations on what is known."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters

from memoryapp.agents.offline import dates, statements, wishes
from memoryapp.agents.offline.dictionary import in_english
from memoryapp.agents.offline.language import Clause, clauses, slug
from memoryapp.agents.offline.reading import last_prompt
from memoryapp.agents.offline.spelling import spelled_out
from memoryapp.memory.language.endings import ends_of_itself, says_it_ended
from memoryapp.memory.language.phrases import is_off_the_record, looks_like_secret
from memoryapp.memory.language.wording import content, said
from memoryapp.memory.operations import Operation, same_value

VALUE_MAX_CHARS = 300

# Somebody else's words, something unreal, or the talk of a figure: what follows is no statement.
FRAMES = re.compile(
    r"\b(?:said|says?|told|tells|wrote|writes|asked|claims?|thinks?|thought|believes?|heard|if|when|"
    r"unless|novel|story|book|dream|game|film|movie|song|lyrics|poem|scenario|character|quote|"
    r"sagt\w*|meint\w*|behauptet\w*|schrieb|schreibt|fragt\w*|glaubt|denkt|dachte|wenn|falls|"
    r"als ob|roman|geschichte|traum|spiel|lied|gedicht|figur|zitat)\b|"
    r"^\W*(?!(?:also|fyi|note|update|remember|info|hinweis|notiz|merke|ps|correction|korrektur):)"
    r"(?-i:[A-Z])[\w.]+:",
    re.IGNORECASE,
)
# From here on a message speaks of a text or of something imagined.
ENDS_READING = re.compile(
    r"(?:(?:please|can you|could you|bitte|kannst du) )*(?:translate|rewrite|rephrase|paraphrase|"
    r"summari[sz]e|proofread|correct(?!ion)|edit|polish|write (?:me )?an? |übersetz|korrigier|"
    r"umformulier|formulier|fasse? (?!dich\b)|verbesser|schreibe? (?:mir )?ein)|"
    r".*\b(?:imagine|pretend|suppose|let's say|role-?play|for example|for instance|hypothetically|"
    r"stell dir vor|angenommen|nehmen wir an|zum beispiel|beispielsweise|z\. ?b)\b",
    re.IGNORECASE,
)
TAKES_IT_BACK = re.compile(
    r"\b(?:just|only) (?:kidding|joking)\b|\bthat(?:'s| is) not (?:really )?true\b|"
    r"\b(?:that|this|it)(?:'s| is| was) (?:just|only) a (?:joke|test)\b|"
    r"\bnur (?:ein |einen )?(?:spaß|scherz|witz|test)\b",
    re.IGNORECASE,
)
GREETS = re.compile(
    r"\W*(?:hi|hello|hey|hallo|servus|moin|grüß gott|good (?:morning|evening|afternoon)|"
    r"guten (?:morgen|tag|abend))\b",
    re.IGNORECASE,
)
OPPOSITES = {"likes_": "dislikes_", "dislikes_": "likes_"}


@dataclass(frozen=True)
class Proposal:
    """What a clause means for memory, before it is compared with what is known."""

    key: str
    value: str
    quote: str
    kind: str = "fact"
    table: str = "fact"
    subject: str = ""
    was: str = ""
    due_at: datetime | None = None
    is_retracted: bool = False


@dataclass(frozen=True)
class Row:
    """A current memory, of the prompt or of this very batch (then without a number)."""

    row: int | None
    table: str
    kind: str
    key: str
    value: str
    subject: str
    quote: str = ""

    @property
    def text(self) -> str:
        return f"{self.subject} {self.key.replace('_', ' ')}: {self.value}"

    def is_about(self, proposal: Proposal, key: str) -> bool:
        return (self.table, self.subject, self.key) == (proposal.table, proposal.subject, key)


def operations(
    messages: list[ModelMessage], parameters: ModelRequestParameters
) -> TextPart | ToolCallPart:
    """The extractor's answer, by its output tool when it has one."""
    document = json.loads(last_prompt(messages))
    known = [Row(**row) for row in document["known"]]
    answer: dict[str, Any] = {"operations": []}
    for message in document["messages"]:
        if message["source"]:
            said_at = datetime.fromisoformat(message["said_at"].partition(" ")[2])
            proposals = [*heard(message["body"], said_at), *over(message["body"], known)]
            for proposal in _without_replaced(proposals):
                answer["operations"] += _compared(proposal, known)
    if parameters.output_tools:
        return ToolCallPart(parameters.output_tools[0].name, answer)
    return TextPart(json.dumps(answer))


def stated(body: str) -> Iterator[Clause]:
    """The clauses of a message in which its writer states something."""
    if is_off_the_record(body) or TAKES_IT_BACK.search(body):
        return
    for clause in clauses(body):
        if ENDS_READING.match(clause.text):
            return
        before = spelled_out(clause.before)
        is_framed = FRAMES.search(before) or before.count('"') % 2
        if not (clause.is_asked or is_framed or looks_like_secret(clause.quote)):
            yield clause


def heard(body: str, said_at: datetime) -> Iterator[Proposal]:
    """What a message teaches, in order; only what it plainly states about its writer."""
    manner = statements.Manner(is_casual=body.islower(), is_greeting=bool(GREETS.match(body)))
    for clause in stated(body):
        for proposal in _read(spelled_out(clause.text), said_at, manner):
            is_said = proposal.value or proposal.is_retracted
            if proposal.key and is_said and len(proposal.value) <= VALUE_MAX_CHARS:
                yield replace(proposal, quote=clause.quote)


def over(body: str, known: Iterable[Row]) -> Iterator[Proposal]:
    """What of that is known a message says has ended, in whatever words."""
    rows = list(known)
    for clause in stated(body):
        for row in rows:
            ending = Operation("retract", "fact", row.key, "", clause.quote, subject=row.subject)
            is_meant = said(row.value, clause.quote) == content(row.value)
            is_meant |= ends_of_itself(row, clause.quote)
            if row.table == "fact" and is_meant and says_it_ended(row, ending, body):
                yield Proposal(
                    row.key, row.value, clause.quote, row.kind, subject=row.subject,
                    is_retracted=True,
                )  # fmt: skip


def _without_replaced(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Without retractions of what the same message gives a new value: that is a change."""
    proposals = list(proposals)
    renewed = {(each.subject, each.key) for each in proposals if not each.is_retracted}
    return [
        each
        for each in proposals
        if not each.is_retracted or (each.subject, each.key) not in renewed
    ]


def _read(text: str, said_at: datetime, manner: statements.Manner) -> list[Proposal]:
    """The meaning of one clause: the first reading that fits."""
    if (task := wishes.reminder(text, said_at)) is not None:
        return [_task(*task)]
    if (wanted := wishes.instruction(text)) is not None:
        key, value = wanted
        return [Proposal(key, value, "", table="prompt")]
    if (gone := wishes.retracted(text)) is not None:
        return [replace(each, is_retracted=True) for each in _stated(gone, manner)]
    if key := wishes.ended(text):
        return [Proposal(key, "", "", is_retracted=True)]
    if (note := wishes.remembered(text)) is not None:
        return _stated(note, manner) or [_note(note, said_at)]
    if not statements.DOUBT.search(text) and (task := wishes.duty(text, said_at)) is not None:
        return [_task(*task)]
    return _stated(text, manner)


def _task(what: str, due_at: datetime | None) -> Proposal:
    return Proposal(slug(what, 5), what, "", kind="task", due_at=due_at)


def _note(note: str, said_at: datetime) -> Proposal:
    """Something to remember in their own words; with a day that passes it is to be raised then."""
    if statements.PASSING.search(note):
        return _task(*dates.due(note, said_at))
    return Proposal(slug(note, 5), note, "")


def _stated(text: str, manner: statements.Manner) -> list[Proposal]:
    return [Proposal(**asdict(each), quote="") for each in statements.own(text, manner)]


def _compared(proposal: Proposal, known: list[Row]) -> Iterator[dict[str, Any]]:
    """The operations that a proposal comes to; `known` then is what holds after them."""
    if proposal.is_retracted:
        for row in [row for row in known if _is_meant(row, proposal)]:
            yield _retract(row, proposal, known)
        return
    for prefix, opposite in OPPOSITES.items():
        if proposal.key.startswith(prefix):
            other = opposite + proposal.key.removeprefix(prefix)
            for row in [row for row in known if row.is_about(proposal, other)]:
                yield _retract(row, proposal, known)
    current = next((row for row in known if row.is_about(proposal, proposal.key)), None)
    current = current or next((row for row in known if _is_before(row, proposal)), None)
    # A task that is known may get another date, which isn't in what is known.
    if current and _is_same(current.value, proposal.value) and not proposal.due_at:
        return
    if current is not None:
        known.remove(current)
    key = current.key if current else proposal.key
    known.append(Row(None, proposal.table, proposal.kind, key, proposal.value, proposal.subject))
    yield _operation("update" if current else "add", proposal, key, proposal.value, current)


def _is_same(value: str, other: str) -> bool:
    """Whether two values say the same, in one language or two."""
    return same_value(in_english(value), in_english(other))


def _is_meant(row: Row, proposal: Proposal) -> bool:
    """Whether a retraction is about this row: its key and value, or its value at least."""
    if row.table != proposal.table or row.subject != proposal.subject:
        return False
    is_same_key = row.key == proposal.key and in_english(proposal.value) in in_english(row.value)
    return is_same_key or (row.kind == proposal.kind and _is_same(row.value, proposal.value))


def _is_before(row: Row, proposal: Proposal) -> bool:
    """Whether the row holds the value that the proposal says was true before."""
    return bool(
        proposal.was
        and row.table == proposal.table
        and row.subject == proposal.subject
        and same_value(row.value, proposal.was)
    )


def _retract(row: Row, proposal: Proposal, known: list[Row]) -> dict[str, Any]:
    known.remove(row)
    return _operation("retract", proposal, row.key, "", row)


def _operation(
    action: str, proposal: Proposal, key: str, value: str, row: Row | None
) -> dict[str, Any]:
    due_at = proposal.due_at
    return {
        "action": action,
        "table": proposal.table,
        "kind": proposal.kind,
        "key": key,
        "value": value,
        "subject": proposal.subject,
        "quote": proposal.quote,
        "replaces": row.row if row else None,
        "valid_from": None,
        "due_at": due_at.isoformat(timespec="minutes") if due_at and value else None,
        "expires_at": None,
    }
