"""One exact pass over a person's rows: how near each is to a question, and by which words.

There is no approximate index on purpose: filtered by owner, one gives a person with few rows
beside a person with many only some of theirs. The pass is complete, and takes about two
milliseconds for a thousand rows.
"""

from enum import IntEnum
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.db.models import QuerySet

from memoryapp.memory.embeddings import MAX_CHARS, Vector, model_name
from memoryapp.memory.ranking import WORDS_WEIGHT, Rows, score

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


class Candidate(NamedTuple):
    id: UUID
    mark: Mark
    score: float
    cosine: float | None  # None: the row has no vector of the current model
    words: float

    @property
    def reason(self) -> str:
        return "words" if WORDS_WEIGHT * self.words > (self.cosine or 0) else "meaning"


# A row's group is what its neighbours are sought in: the chat of a turn, else the row itself.
SQL = """
with rows (id, mark, "group", at, config, tsv, embedding, embedding_model) as not materialized (
    {rows}
), configs as (
    select config from rows where %(is_mixed)s union select %(config)s::regconfig
), lexemes as (
    select config, lexeme, positions[1] as position
    from configs, unnest(to_tsvector(config, %(question)s))
), words as materialized (
    -- What the person's language takes for a word, as each language in use stems it.
    select row_number() over (order by position)::int - 1 as number,
        string_agg(distinct quote_literal(lexeme), '|')::tsquery as query
    from lexemes group by position having bool_or(config = %(config)s::regconfig)
    order by position limit %(max_words)s
), any_word as materialized (
    select string_agg(query::text, '|')::tsquery as query from words
)
select (select count(*) from words), bool_or(config <> %(config)s::regconfig), {columns} from rows
"""
# Each column comes back as one string of bytes, in a quarter of the time that rows would take.
COLUMNS = {
    "id": ("V16", "uuid_send(id)"),
    "mark": (">i4", "int4send(mark)"),
    "group": (">i8", 'int8send(uuid_hash_extended("group", 0))'),
    "at": (">f8", "float8send(date_part('epoch', at))"),
    "length": (">i4", "int4send(length(tsv))"),
    # Vectors have unit length: the inner product, which the operator negates, is the cosine.
    "cosine": (
        ">f4",
        """float4send(coalesce(case when embedding_model = %(model)s
            and vector_dims(embedding) = vector_dims(%(vector)s::halfvec)
            then -(embedding <#> %(vector)s::halfvec) end, 'NaN')::real)""",
    ),
    "bits": (
        ">i8",
        """int8send(case when tsv @@ (select query from any_word)
            then (select bit_or(1::bigint << number) from words where tsv @@ words.query)
            else 0 end)""",
    ),
}


class Scan(NamedTuple):
    """What a pass found: one column for each property, the best row first."""

    id: Column
    mark: Column
    score: Column
    cosine: Column
    words: Column

    def count(self, mark: Mark) -> int:
        return int(np.count_nonzero(self.mark == mark))

    def best(self, *marks: Mark, limit: int) -> list[Candidate]:
        chosen = np.flatnonzero(np.isin(self.mark, marks))[:limit]
        return [
            Candidate(
                UUID(bytes=self.id[row].tobytes()),
                Mark(self.mark[row]),
                float(self.score[row]),
                None if np.isnan(self.cosine[row]) else float(self.cosine[row]),
                float(self.words[row]),
            )
            for row in chosen
        ]


def scan(*rows: QuerySet[Any, Any], question: str, vector: Vector | None, config: str) -> Scan:
    """How well each of `rows` fits. They must have the columns of the query above, in its order.

    `vector` is the question's; without one only its words count. `config` is the text search
    configuration that says what a word of the question is.
    """
    parts, values = zip(*(each.query.sql_with_params() for each in rows), strict=True)
    names = [f"row_{number}" for number in range(sum(map(len, values)))]
    query = SQL.format(
        rows=" union all ".join(parts) % tuple(f"%({name})s" for name in names),
        columns=", ".join(f"string_agg({send}, ''::bytea)" for _, send in COLUMNS.values()),
    )
    parameters = {
        **dict(zip(names, chain(*values), strict=True)),
        "question": question[:MAX_CHARS],
        "config": config,
        "is_mixed": False,
        "max_words": MAX_WORDS,
        "model": model_name(),
        "vector": str([round(number, 6) for number in vector]) if vector else None,
    }
    num_words, is_mixed, *found = run(query, parameters)
    if is_mixed:
        # Some rows are in another language: once more, with the words as those rows have them.
        num_words, _, *found = run(query, {**parameters, "is_mixed": True})
    column = {
        name: as_column(content, dtype)
        for (name, (dtype, _)), content in zip(COLUMNS.items(), found, strict=True)
    }
    return ranked(column, num_words)


def run(query: str, parameters: dict[str, Any]) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
    return row


def as_column(content: bytes | None, dtype: str) -> Column:
    column = np.frombuffer(content or b"", dtype)
    return column.astype(column.dtype.newbyteorder("="))


def ranked(column: dict[str, Column], num_words: int) -> Scan:
    scores = score(
        Rows(
            cosine=column["cosine"],
            hits=(column["bits"][:, None] >> np.arange(num_words)) & 1 == 1,
            length=column["length"],
            group=column["group"],
            at=column["at"],
            is_own=column["mark"] == Mark.OWN_MESSAGE,
        )
    )
    order = np.argsort(-scores.score, kind="stable")
    return Scan(
        column["id"][order],
        column["mark"][order],
        scores.score[order],
        column["cosine"][order],
        scores.words[order],
    )
