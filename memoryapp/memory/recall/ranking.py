"""How well each memory fits a question: one score from meaning, words, and where it stands."""

from collections.abc import Iterable, Sequence
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

# For each distance two views of a column, of which a row of one stands so far after the other's.
SHIFTED = {
    distance: (
        slice(max(distance, 0), min(distance, 0) or None),
        slice(max(-distance, 0), min(-distance, 0) or None),
    )
    for distance, _ in NEAR
}


class Speaker(IntEnum):
    NOBODY = 0  # a fact, or outside text
    OWN = 1
    OTHER = 2
    BOTH = 3  # as who is named in a question


class Rows(NamedTuple):
    """One person's memories as columns, in any order. A long message has several rows."""

    cosine: Floats  # NaN where there is no vector to compare
    hits: Bools  # for each word of the question a column of its own: whether the row has it
    length: Ints  # distinct words in the row
    group: Ints  # the chat a turn is from; a number of its own for what stands alone
    at: Floats  # when it was said, in seconds; one message, one moment
    speaker: Ints
    asks: Bools  # whether it asks something
    id: Ints
    source: Ints  # the id of the turn that taught a fact; of other rows, their own

    def taken(self, order: Ints) -> "Rows":
        """These rows, in this order."""
        columns: Iterable[Any] = (column[..., order] for column in self)
        return Rows(*columns)


class Scores(NamedTuple):
    score: Floats
    words: Floats  # 0 to 1: how much of the question's words, by weight, is there or near


class Turns:
    """Rows in the order they were said, chat by chat, put together to the turns they are of."""

    def __init__(self, rows: Rows) -> None:
        is_other_group = np.diff(rows.group) != 0
        is_first = np.concatenate(([True], is_other_group | (np.diff(rows.at) != 0)))
        self.starts = np.flatnonzero(is_first)
        self.have_parts = len(self.starts) < len(is_first)
        self.of_row = np.cumsum(is_first) - 1
        # A session is a stretch of one chat without a long silence.
        group, at = rows.group[self.starts], rows.at[self.starts]
        is_border = (np.diff(group) != 0) | (np.diff(at) > SESSION_GAP)
        self.session = np.concatenate(([0], np.cumsum(is_border)))

    def together(self, distance: int) -> Bools:
        """Of turns of which one stands so far after the other, whether they are of one session."""
        to, source = SHIFTED[distance]
        is_same: Bools = self.session[to] == self.session[source]
        return is_same

    def best_of_session(self, of_turns: Floats) -> Floats:
        """For each turn the highest value in its session, or zero if that is more."""
        some = np.flatnonzero(of_turns != 0)
        highest = np.zeros(self.session[-1] + 1)
        np.maximum.at(highest, self.session[some], of_turns[some])
        return highest[self.session]

    def best(self, of_rows: Floats) -> Floats:
        """For each turn the highest of its rows' values."""
        return np.maximum.reduceat(of_rows, self.starts) if self.have_parts else of_rows

    def each(self, of_turns: Floats) -> Floats:
        """For each row the value of its turn."""
        return of_turns[self.of_row] if self.have_parts else of_turns


def score(rows: Rows, *, named: Speaker = Speaker.NOBODY, spans: Sequence[Span] = ()) -> Scores:
    """Each row's score, absolute, so that it can be held against a floor.

    `named` is whom the question names of those who speak, `spans` are the times it names.
    """
    if not len(rows.at):
        return Scores(np.zeros(0), np.zeros(0))
    order = np.lexsort((rows.at, rows.group))
    rows = rows.taken(order)
    turns = Turns(rows)
    cosine = np.nan_to_num(rows.cosine)
    words = coverage(rows, turns)
    fit = cosine + WORDS_WEIGHT * words
    bonus = ANSWER * answering(rows, turns, cosine) + speaking(rows.speaker, named)
    bonus += LENT * lent(rows, turns, fit)
    if spans:
        bonus += DATE_BONUS * (within(rows.at, spans) & (rows.speaker != Speaker.NOBODY))
    found = np.empty((2, len(order)))
    found[:, order] = fit + bonus, words
    return Scores(*found)


def coverage(rows: Rows, turns: Turns) -> Floats:
    covered, total = np.zeros(len(rows.length)), 0.0
    damped = damping(rows.length)
    reach = [(*SHIFTED[distance], share * turns.together(distance)) for distance, share in NEAR]
    # Word by word, because columns of one word stay in the processor's cache.
    for has_word in rows.hits:
        hits = np.where(has_word, damped, 0.0)
        of_turns = turns.best(hits)
        weight = rarity(int(np.count_nonzero(of_turns)), len(of_turns))
        total += weight
        near = SAME_SESSION * turns.best_of_session(of_turns)
        for to, source, share in reach:
            np.maximum(near[to], share * of_turns[source], out=near[to])
        if turns.have_parts:
            near = turns.each(np.maximum(near, SAME_TURN * of_turns))
        covered += weight * np.maximum(hits, near)
    # Words that no row has stay in the sum they are shares of.
    return covered / total if total else covered


def rarity(frequency: int, num_turns: int) -> float:
    """Okapi BM25's weight of a rare word."""
    rest = max(num_turns, FEW) - frequency
    return float(np.log(1 + (rest + 0.5) / (frequency + 0.5)))


def damping(length: Ints) -> Floats:
    return 1 / (0.6 + 0.4 * np.maximum(1, length / TYPICAL_LENGTH))


def answering(rows: Rows, turns: Turns, cosine: Floats) -> Floats:
    """For each row how near the turn just before it is, if the other side asked something there.

    What answers a question seldom says again what it was about.
    """
    of_turns = turns.best(cosine)
    speaker, asks = rows.speaker[turns.starts], rows.asks[turns.starts]
    to, source = SHIFTED[1]
    is_answer = asks[source] & (speaker[to] != speaker[source]) & turns.together(1)
    asked = np.zeros(len(of_turns))
    asked[to] = np.maximum(0, of_turns[source]) * is_answer
    return turns.each(asked)


def lent(rows: Rows, turns: Turns, fit: Floats) -> Floats:
    """For each row how well the facts fit that its turn taught, and those of its session."""
    facts = np.flatnonzero(rows.source != rows.id)
    taught = np.zeros(len(turns.starts))
    least = max(0, fit[facts].max(initial=0) - LENT_WITHIN)
    facts = facts[fit[facts] > least]
    if len(facts):
        sources, source = np.unique(rows.source[facts], return_inverse=True)
        spare = np.zeros(len(sources))
        np.maximum.at(spare, source, fit[facts] - least)
        keys = rows.id[turns.starts]
        place = np.searchsorted(sources, keys).clip(max=len(sources) - 1)
        taught = np.where(sources[place] == keys, spare[place], 0.0)
    return turns.each(taught + turns.best_of_session(taught))


def speaking(speaker: Ints, named: Speaker) -> Floats:
    preferred = Speaker.OWN if named == Speaker.NOBODY else named
    bonus = OWN_BONUS if named == Speaker.NOBODY else NAMED_BONUS
    return np.where(speaker == preferred, bonus, 0.0)


def within(at: Floats, spans: Sequence[Span]) -> Bools:
    inside = np.zeros(len(at), bool)
    for start, end in spans:
        inside |= (at >= start) & (at < end)
    return inside
