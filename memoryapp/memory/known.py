"""What is known already, as far as a proposal has to do with it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
from django.contrib.postgres.search import SearchQuery
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from memoryapp.memory.embeddings import MINILM, EmbeddingUnavailable, embed
from memoryapp.memory.language.endings import ends_of_itself, says_it_ended
from memoryapp.memory.language.feelings import leaning
from memoryapp.memory.language.wording import (
    FUNCTION_WORDS,
    LIGHT_WORDS,
    PLEASANTRIES,
    adds_nothing,
    content,
    has_name,
    is_same_content,
    is_same_key,
    is_same_saying,
    said,
    spellings,
    stems,
    words,
)
from memoryapp.memory.operations import Operation, quote_start, same_value
from memoryapp.models import Fact, MemoryEvent, Message, Prompt, User
from memoryapp.models.memory import TABLES, RememberedQuerySet, Status

Row = Fact | Prompt

# Of MiniLM's cosines between what ends something and what it is about: pairs that belong together
# ("I quit my job" and "employer: Siemens") have .26 to .5, others up to .21.
NEAR = 0.25
NEAR_IN = "english"  # in a language that MiniLM doesn't know, all sentences are near to each other
NEAREST_OF = 40  # current rows; so many are what an extractor is shown
MANY = 200  # rows that share a word, among which a repetition is looked for
NOTHING = FUNCTION_WORDS | PLEASANTRIES

OLDER = gettext_noop("Something newer is known: this was said before it.")
GOES_BACK = gettext_noop("The same message took it back.")
NOT_OF_IT = gettext_noop("Its quote doesn't speak of what would be taken back.")
TAUGHT = gettext_noop("The same message taught it already.")
NO_END = gettext_noop("Its quote doesn't say that anything has ended.")
UNSEEN_END = gettext_noop("It would end what I know, and it comes from a file that you imported.")


def current(user: User, operation: Operation, source: Message) -> Row | None:
    """The row that a proposal is about: the one with its key, else the one it names.

    Under another key it may name only a row whose value its quote mentions. To what is imported
    a row that waits is one as well, and of several the latest.
    """
    rows = rows_about(user, operation).filter(valid_to=None)
    if not source.is_imported:
        rows = rows.exclude(status=Status.PENDING)
    named = rows.filter(pk=operation.replaces).first() if operation.replaces else None
    if operation.action == "retract" and operation.replaces:
        return named
    same = list(rows.filter(key__in=spellings(operation.key)))
    same.sort(key=said_at, reverse=True)
    same.sort(key=lambda row: row.key != operation.key)
    if same or named is None or same_value(named.value, operation.value):
        return same[0] if same else None
    return named if said(named.value, operation.quote) == content(named.value) else None


def rows_about(user: User, operation: Operation) -> RememberedQuerySet[Any]:
    rows: RememberedQuerySet[Any] = TABLES[operation.table].objects.for_user(user)
    return rows.filter(subject=operation.subject) if operation.table == "fact" else rows


def objection(operation: Operation, row: Row | None, source: Message) -> str:
    """Why the proposal must leave what is known alone; empty if it may change `row`."""
    took_back = (MemoryEvent.Action.CHANGED, MemoryEvent.Action.CLOSED)
    gone = source.memory_events.filter(Q(action__in=took_back) | Q(reason__in=[OLDER, GOES_BACK]))
    for before, after, action in gone.values_list("before", "after", "action"):
        value = after if action == MemoryEvent.Action.REFUSED else before
        if operation.value and is_same_content(operation.value, value, operation.key):
            return GOES_BACK
    if row is not None and source.created_at < said_at(row):
        return OLDER
    if source.is_imported and has_ended_since(operation, source):
        return OLDER
    if operation.action == "retract":
        return objection_to_retracting(operation, row, source) if row else ""
    is_other_words = is_taught(operation, source) and not is_known(source.user, operation)
    return TAUGHT if is_other_words else ""


def has_ended_since(operation: Operation, source: Message) -> bool:
    """Whether what a proposal is about has come to an end after this was said."""
    ended = rows_about(source.user, operation).filter(valid_to__gt=source.created_at)
    return ended.filter(key__in=spellings(operation.key)).exists()


def said_at(row: Row) -> datetime:
    return row.source_message.created_at if row.source_message else row.recorded_at


def objection_to_retracting(operation: Operation, row: Row, source: Message) -> str:
    if row.source_message_id == source.pk:
        return GOES_BACK
    if source.is_imported and row.status != Status.PENDING:
        return UNSEEN_END
    if not says_it_ended(row, operation, source.body):
        return NO_END
    if said(f"{row.text} {row.quote}", operation.quote) or ends_of_itself(row, operation.quote):
        return ""
    if source.config == NEAR_IN and is_nearest(row, operation.quote):
        return ""
    return NOT_OF_IT


def is_nearest(row: Row, quote: str) -> bool:
    """Whether of all that is current the quote means this row, as far as that can be told."""
    current_rows = type(row).objects.filter(user=row.user, valid_to=None).exclude(pk=row.pk)
    others = [other.text for other in current_rows[:NEAREST_OF]]
    try:
        this, *rest = cosines(quote, [row.text, *others])
    except EmbeddingUnavailable:
        return False
    return this >= NEAR and this >= max(rest, default=0.0)


def cosines(quote: str, lines: list[str]) -> list[float]:
    this, *others = np.array(embed("document", [quote, *lines], MINILM, seconds=10))
    return [float(this @ other) for other in others]


def is_taught(operation: Operation, source: Message) -> bool:
    """Whether this message taught it, in other words or in several facts.

    What it taught once, it doesn't teach again, whatever became of it.
    """
    taught = [
        row
        for row in rows_about(source.user, operation).filter(source_message=source)
        if overlap(operation, row, source) and not brings_date(operation, row)
    ]
    names_its_key = content(operation.value) <= stems(operation.key)  # "car: yes" for has_car
    if names_its_key and any(is_same_key(row.key, operation.key) for row in taught):
        return True
    values = [row.value for row in taught]
    return adds_nothing(operation.value, values, source.body, operation.key)


def is_known(user: User, operation: Operation) -> bool:
    """Whether the value is stored already, waits or is paused, under its key or another one."""
    rows = alike(rows_about(user, operation).current(), operation, user.search_config)
    return any(is_repeated(operation, row) for row in rows)


def alike(rows: QuerySet[Any], operation: Operation, config: str) -> Iterator[Row]:
    """Rows with the same key or some of the same words."""
    alike = Q(key__in=spellings(operation.key))
    query = " or ".join(word for word in words(operation.value) if word not in LIGHT_WORDS)
    if query:
        alike |= Q(tsv=SearchQuery(query, search_type="websearch", config=config))
    yield from rows.filter(alike)[:MANY]


def brings_date(operation: Operation, row: Row) -> bool:
    return operation.due_at is not None and operation.due_at != getattr(row, "due_at", None)


def is_repeated(operation: Operation, row: Row) -> bool:
    """Whether the proposal is what `row` says, once more."""
    if brings_date(operation, row) or is_spelled_anew(operation, row):
        return False
    if leaning(operation.key.replace("_", " ")) * leaning(row.key.replace("_", " ")) < 0:
        return False
    if not is_same_content(operation.value, row.value, operation.key):
        return False
    return (
        operation.table == "prompt"
        or is_same_key(row.key, operation.key)
        or is_same_saying(row.quote or row.text, operation.quote)
        or stems(operation.quote, NOTHING) <= stems(row.value)  # it says nothing of another matter
        or said(row.key, operation.quote) == content(row.key)
    )


def is_spelled_anew(operation: Operation, row: Row) -> bool:
    """Whether it is another name that begins alike: "Hanna" for "Hannah"."""
    if not has_name(row.key) or not is_same_key(row.key, operation.key):
        return False
    return not {*words(row.value)} & {*words(operation.value)} - LIGHT_WORDS


def overlap(operation: Operation, row: Row, source: Message) -> bool:
    """Whether both quotes have some of the message's words in common."""
    start = quote_start(source.body, operation.quote)
    if start is None or row.quote_start is None:
        return False
    end, row_end = start + len(operation.quote), row.quote_start + len(row.quote)
    return start < row_end and row.quote_start < end
