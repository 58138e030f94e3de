"""How well each memory fits a question: one score from meaning, words, and where it stands."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]
Span = tuple[float, float]  # from and to, in seconds since 1970

# docs/recall.md says what each of these brought in, and what else was tried.
WORDS_WEIGHT = 0.75
# A word counts in a row whole, and this much of it in other parts of the same message, in the
# turns one or two after, one or two before, and anywhere in the same session: an answer seldom
# repeats the words it answers.
SAME_TURN = 0.6
NEAR = ((1, 0.6), (2, 0.6), (-1, 0.4), (-2, 0.4))
SAME_SESSION = 0.1
SESSION_GAP = 4 * 3600.0  # seconds of silence
FEW = 100  # turns; among fewer, each word that is there at all would look common
TYPICAL_LENGTH = 25  # distinct words; longer rows are damped, for they match nearly everything
# A fact says plainly what its turn only says to who was there. So it lends a fifth of how well it
# fits to the turn that taught it, and once more to all turns of that session; of that counts what
# is within half a point of the best, for where no fact fits there is one that fits best, too.
LENT, LENT_WITHIN = 0.2, 0.5
ANSWER = 0.3  # of how near what the other side asked just before is to the question
DATE_BONUS = 0.3  # said on the day, or in the month or year, that the question names
NAMED_BONUS = 0.25  # said by the one person that the question names
OWN_BONUS = 0.15  # said by the person themselves, when it names neither side


class Speaker(IntEnum):
    NOBODY = 0  # a fact, or outside text
    OWN = 1
    OTHER = 2
    BOTH = 3  # as who is named in a question


class Rows(NamedTuple):
    """One person's memories as columns, in any order. A long message has several rows."""

    cosine: Floats  # NaN where there is no vector to compare
    hits: Bools  # one column for each word of the question: whether the row has it
    length: Ints  # distinct words in the row
    group: Ints  # the chat a turn is from; a number of its own for what stands alone
    at: Floats  # when it was said, in seconds; one message, one moment
    speaker: Ints
    asks: Bools  # whether it asks something
    id: Ints
    source: Ints  # the id of the turn that taught a fact; of other rows, their own


class Scores(NamedTuple):
    score: Floats
    words: Floats  # 0 to 1: how much of the question's words, by weight, is there or near


class Turns:
    """The rows put together to the turns they are of, in the order they were said."""

    def __init__(self, rows: Rows) -> None:
        self.order = np.lexsort((rows.at, rows.group))
        group, at = rows.group[self.order], rows.at[self.order]
        is_other_group = np.diff(group) != 0
        is_first = np.concatenate(([True], is_other_group | (np.diff(at) != 0)))
        self.starts = np.flatnonzero(is_first)
        self.of_row = np.empty(len(self.order), int)
        self.of_row[self.order] = np.cumsum(is_first) - 1
        self.first_row = self.order[self.starts]
        # A session is a stretch of one chat without a long silence.
        group, at = group[self.starts], at[self.starts]
        is_border = (np.diff(group) != 0) | (np.diff(at) > SESSION_GAP)
        self.session = np.concatenate(([0], np.cumsum(is_border)))
        self.session_starts = np.flatnonzero(np.concatenate(([True], is_border)))

    def best_of_session(self, of_turns: Floats) -> Floats:
        """For each turn the highest value in its session."""
        highest: Floats = np.maximum.reduceat(of_turns, self.session_starts)[self.session]
        return highest

    def best(self, of_rows: Floats) -> Floats:
        """For each turn the highest of its rows' values."""
        ordered = of_rows[self.order]
        if len(self.starts) == len(ordered):
            return ordered
        return np.maximum.reduceat(ordered, self.starts)


def score(rows: Rows, *, named: Speaker = Speaker.NOBODY, spans: Sequence[Span] = ()) -> Scores:
    """Each row's score, absolute, so that it can be held against a floor.

    `named` is whom the question names of those who speak, `spans` are the times it names.
    """
    if not len(rows.at):
        return Scores(np.zeros(0), np.zeros(0))
    turns = Turns(rows)
    cosine = np.nan_to_num(rows.cosine)
    words = coverage(rows, turns)
    fit = cosine + WORDS_WEIGHT * words
    bonus = ANSWER * answering(rows, turns, cosine) + speaking(rows.speaker, named)
    bonus += LENT * lent(rows, turns, fit)
    if spans:
        bonus += DATE_BONUS * (within(rows.at, spans) & (rows.speaker != Speaker.NOBODY))
    return Scores(fit + bonus, words)


def coverage(rows: Rows, turns: Turns) -> Floats:
    covered, total = np.zeros(len(rows.length)), 0.0
    damped = damping(rows.length)
    # Word by word, because columns of one word stay in the processor's cache.
    for number in range(rows.hits.shape[1]):
        hits = rows.hits[:, number] * damped
        of_turns = turns.best(hits)
        near = np.maximum(hits, spread(of_turns, turns)[turns.of_row])
        if len(of_turns) < len(hits):
            near = np.maximum(near, SAME_TURN * of_turns[turns.of_row])
        weight = rarity(int(np.count_nonzero(of_turns)), len(of_turns))
        covered += weight * near
        total += weight
    # Words that no row has stay in the sum they are shares of.
    return covered / total if total else covered


def rarity(frequency: int, num_turns: int) -> float:
    """Okapi BM25's weight of a rare word."""
    rest = max(num_turns, FEW) - frequency
    return float(np.log(1 + (rest + 0.5) / (frequency + 0.5)))


def damping(length: Ints) -> Floats:
    return 1 / (0.6 + 0.4 * np.maximum(1, length / TYPICAL_LENGTH))


def spread(hits: Floats, turns: Turns) -> Floats:
    """What reaches each turn from its neighbours and from its session."""
    session = turns.session
    near = SAME_SESSION * turns.best_of_session(hits)
    for distance, share in NEAR:
        to, source = shifted(distance)
        together = session[to] == session[source]
        near[to] = np.maximum(near[to], share * hits[source] * together)
    return near


def shifted(distance: int) -> tuple[slice, slice]:
    """Two views of a column, of which one row stands `distance` after the other."""
    if distance > 0:
        return slice(distance, None), slice(None, -distance)
    return slice(None, distance), slice(-distance, None)


def answering(rows: Rows, turns: Turns, cosine: Floats) -> Floats:
    """For each row how near the turn just before it is, if the other side asked something there.

    What answers a question seldom says again what it was about.
    """
    of_turns = turns.best(cosine)
    speaker, asks = rows.speaker[turns.first_row], rows.asks[turns.first_row]
    to, source = shifted(1)
    is_answer = asks[source] & (speaker[to] != speaker[source])
    is_answer &= turns.session[to] == turns.session[source]
    asked = np.zeros(len(of_turns))
    asked[to] = np.maximum(0, of_turns[source]) * is_answer
    return asked[turns.of_row]


def lent(rows: Rows, turns: Turns, fit: Floats) -> Floats:
    """For each row how well the facts fit that its turn taught, and those of its session."""
    facts = np.flatnonzero(rows.source != rows.id)
    taught = np.zeros(len(turns.starts))
    if len(facts):
        spare = fit[facts] - max(0, fit[facts].max() - LENT_WITHIN)
        keys = rows.id[turns.first_row]
        order = np.argsort(keys)
        place = order[
            np.searchsorted(keys, rows.source[facts], sorter=order).clip(max=len(keys) - 1)
        ]
        is_here = keys[place] == rows.source[facts]
        np.maximum.at(taught, place[is_here], spare[is_here])
    return (taught + turns.best_of_session(taught))[turns.of_row]


def speaking(speaker: Ints, named: Speaker) -> Floats:
    preferred = Speaker.OWN if named == Speaker.NOBODY else named
    bonus = OWN_BONUS if named == Speaker.NOBODY else NAMED_BONUS
    return np.where(speaker == preferred, bonus, 0.0)


def within(at: Floats, spans: Sequence[Span]) -> Bools:
    inside = np.zeros(len(at), bool)
    for start, end in spans:
        inside |= (at >= start) & (at < end)
    return inside
