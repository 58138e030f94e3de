"""One exact pass over a person's rows: how near each is to a question, and by which words.

There is no approximate index on purpose: filtered by owner, one gives a person with few rows
beside a person with many only some of theirs. The pass is complete, and takes about
two milliseconds for a thousand rows.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import IntEnum
from math import isnan
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import connection

from memoryapp.memory.embeddings import Vector
from memoryapp.memory.recall.ranking import WORDS_WEIGHT, Rows, Span, Speaker, score

ROWS_A_MEMORY = 4  # looked at for each place: a long message may have several of the best
EQUALLY = 2  # decimals of a score that tell memories apart
MAX_WORDS = 30  # of a long question the first count: each is looked for in each row

Column = npt.NDArray[Any]


class Mark(IntEnum):
    """What a row is. The number goes through the pass with it."""

    PASSAGE = 0
    REPLY = 1
    OWN_MESSAGE = 2
    FACT = 3
    PREFERENCE = 4
    DUE = 5
    IDENTITY = 6
    PINNED = 7
    ASKED_FOR = 8  # a task, by a question for what there is to do


@dataclass(frozen=True)
class Question:
    """What is sought, as far as it could be understood."""

    text: str  # without the names of those who speak
    vector: Future[Vector | None]  # None: words alone decide
    model: str  # whose vectors can be compared with it
    config: str  # the text search configuration that says what a word of it is
    named: Speaker = Speaker.NOBODY
    spans: Sequence[Span] = ()
    due: Sequence[Span] = ()  # when the tasks are due that it asks for


class Source(NamedTuple):
    """What a pass looks through."""

    queries: Sequence[str]  # each with the columns that ROWS names, in its order
    parameters: Mapping[str, Any]
    configs: Sequence[str] = ()  # the languages its rows are in, where that is known beforehand


class Candidate(NamedTuple):
    id: UUID
    part: int  # of a long message, from 1; 0 is the whole of anything
    mark: Mark
    score: float
    cosine: float | None  # None: the row has no vector of the current model
    words: float
    has_word: bool  # itself, not only what stands near it

    @property
    def reason(self) -> str:
        if self.cosine is None:
            return "words"
        return "words" if self.has_word and WORDS_WEIGHT * self.words > self.cosine else "meaning"


# A row's place is the chat that a turn's neighbours are sought in, or the turn that taught a fact.
ROWS = """
({query}) as rows (id, mark, part, asks, place, at, config, tsv, embedding, embedding_model)
"""
PASS = """
select bool_or(config <> all(%(configs)s::regconfig[])), string_agg({columns}, ''::bytea)
from {rows}
"""
# What the person's language takes for a word of the question, as each language in use stems it.
WORDS = """
select string_agg(distinct quote_literal(lexeme), '|')
from unnest(%(configs)s::regconfig[]) as configs (config),
    unnest(to_tsvector(config, search_text(%(question)s))) as found (lexeme, positions, weights)
group by positions[1] having bool_or(config = %(config)s::regconfig)
order by positions[1] limit %(max_words)s
"""
# What a row's flags hold: its mark, whether it asks something, and above that which part it is.
MARKS, ASKS, PART = 0b1111, 1 << 4, 5
# Each row comes back as bytes, and all of them as one string: a quarter of the time that fetching
# rows would take.
COLUMNS = {
    "id": ("V16", "uuid_send(id)"),
    "place": ("V16", "uuid_send(place)"),
    "at": (">i8", "timestamptz_send(at)"),
    "length": (
        ">i4",
        f"int8send((length(tsv)::bigint << 32) + mark + {ASKS} * asks::int + {1 << PART} * part)",
    ),
    "flags": (">i4", ""),  # the other half of that
    # Vectors have unit length: the inner product, which the operator negates, is the cosine.
    "cosine": (
        ">f4",
        """float4send(coalesce(case when embedding_model = %(model)s
            and vector_dims(embedding) = %(dimensions)s
            then -(embedding <#> %(vector)s::halfvec) end, 'NaN')::real)""",
    ),
    "bits": (">i4", "int4send({bits})"),
}
# Each word for itself and not from a list: that takes a fifth of the time.
BIT = "case when tsv @@ %(word_{})s::tsquery then {} else 0 end"
DTYPE = np.dtype([(name, dtype) for name, (dtype, _) in COLUMNS.items()])
POSTGRES_EPOCH = 946_684_800  # 2000-01-01, which PostgreSQL counts microseconds from


class Scan(NamedTuple):
    """What a pass found: its rows, and how well each fits."""

    found: Column
    mark: Column
    score: Column
    words: Column

    def count(self, *marks: Mark) -> int:
        return len(self.marked(*marks))

    def best(self, *marks: Mark, limit: int) -> list[Candidate]:
        """The best row of each of the best memories that are marked so."""
        rows = self.marked(*marks)
        most = ROWS_A_MEMORY * limit
        while True:
            top = self.top(rows, most)
            best: dict[bytes, int] = {}
            for id, row in zip(self.found["id"][top].tolist(), top.tolist(), strict=True):
                best.setdefault(id, row)
            if len(best) >= limit or len(top) == len(rows):
                return self.candidates(list(best.values())[:limit])
            most *= ROWS_A_MEMORY

    def marked(self, *marks: Mark) -> Column:
        """The rows that are one of these."""
        is_one = np.zeros(MARKS + 1, bool)
        is_one[list(marks)] = True
        return np.flatnonzero(is_one[self.mark])

    def top(self, rows: Column, most: int) -> Column:
        """So many of the rows, the best first, and all that fit as well as the last of them."""
        score = np.round(self.score[rows], EQUALLY)
        if len(rows) > most:
            is_in = score >= np.partition(score, -most)[-most]
            rows, score = rows[is_in], score[is_in]
        # Of what fits equally, the last used or said comes first.
        ordered: Column = rows[np.lexsort((-native(self.found["at"][rows]), -score))]
        return ordered

    def candidates(self, rows: Sequence[int]) -> list[Candidate]:
        found = self.found[rows]
        columns = (
            found["id"],
            found["flags"] >> PART,
            self.mark[rows],
            self.score[rows],
            found["cosine"],
            self.words[rows],
            found["bits"] != 0,
        )
        return [
            Candidate(
                UUID(bytes=id),
                part,
                Mark(mark),
                score,
                None if isnan(cosine) else cosine,
                words,
                has_word,
            )
            for id, part, mark, score, cosine, words, has_word in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]


def scan(*sources: Source, question: Question) -> Scan:
    """How well each row of the sources fits. A parameter they share is the same for all."""
    asking = Asking(
        [ROWS.format(query=query) for source in sources for query in source.queries],
        {
            **{name: value for source in sources for name, value in source.parameters.items()},
            "question": question.text,
            "config": question.config,
            "configs": list({question.config, *(c for each in sources for c in each.configs)}),
            "max_words": MAX_WORDS,
            "model": question.model,
        },
    )
    words = asking.words()
    # The last that is needed, since it takes longest.
    vector = question.vector.result()
    asking.parameters["vector"] = str([round(number, 6) for number in vector]) if vector else None
    asking.parameters["dimensions"] = len(vector) if vector else None
    is_complete, content = asking.look_for(words)
    if not is_complete:
        # Some rows are in another language: once more, with the words as those rows have them.
        asking.parameters["configs"] = asking.languages()
        words = asking.words()
        _, content = asking.look_for(words)
    found = np.frombuffer(content, DTYPE)
    mark = found["flags"] & MARKS
    rows = as_rows(found, mark, len(words))
    scores = score(rows, named=question.named, spans=question.spans)
    return Scan(found, mark, scores.score, scores.words)


class Asking(NamedTuple):
    """The rows to look through, as parts of a query, with all its parameters."""

    rows: Sequence[str]
    parameters: dict[str, Any]

    def words(self) -> list[str]:
        """The question's words, each as a text search query."""
        return [word for (word,) in fetch(WORDS, self.parameters)]

    def languages(self) -> list[str]:
        """The text search configurations of the question and of all rows."""
        configs = ["select %(config)s::regconfig"]
        configs += [f"select config from {rows}" for rows in self.rows]
        return [config for (config,) in fetch(" union ".join(configs), self.parameters)]

    def look_for(self, words: Sequence[str]) -> tuple[bool, bytes]:
        """Whether all rows are in languages whose words are sought, and all rows as bytes."""
        bits = " + ".join(BIT.format(number, 1 << number) for number in range(len(words)))
        columns = " || ".join(send for _, send in COLUMNS.values() if send)
        columns = columns.format(bits=bits or "0")
        # Each for itself: to append the rows to each other first takes longer.
        query = "union all".join(PASS.format(columns=columns, rows=rows) for rows in self.rows)
        named = {f"word_{number}": word for number, word in enumerate(words)}
        found = fetch(query, {**self.parameters, **named})
        is_complete = not any(differs for differs, _ in found)
        return is_complete, b"".join(content for _, content in found if content)


def fetch(query: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def as_rows(found: Column, mark: Column, num_words: int) -> Rows:
    bits = native(found["bits"])
    key, place = number_of(found["id"]), number_of(found["place"])
    speaker = np.zeros(len(found), int)
    speaker[mark == Mark.OWN_MESSAGE] = Speaker.OWN
    speaker[mark == Mark.REPLY] = Speaker.OTHER
    is_turn = speaker != Speaker.NOBODY
    return Rows(
        cosine=native(found["cosine"]),
        hits=bits & (1 << np.arange(num_words, dtype=bits.dtype))[:, None] != 0,
        length=native(found["length"]),
        group=np.where(is_turn, place, np.arange(len(found))),
        at=native(found["at"]) / 1e6 + POSTGRES_EPOCH,
        speaker=speaker,
        asks=found["flags"] & ASKS != 0,
        id=key,
        source=np.where(is_turn, key, place),
    )


def number_of(ids: Column) -> Column:
    halves = np.ascontiguousarray(ids).view(np.int64).reshape(-1, 2)
    folded: Column = halves[:, 0] ^ halves[:, 1]
    return folded


def native(column: Column) -> Column:
    return column.astype(column.dtype.newbyteorder("="))
