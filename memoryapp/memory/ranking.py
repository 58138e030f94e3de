"""How well each memory fits a question: one score from meaning, words and what stands near."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

# The weights were fitted on conversations between people (LoCoMo) and held on others, among them
# chats with an assistant (REALTALK, BEAM): recall@10 .80, where cosine alone finds .44.
WORDS_WEIGHT = 0.75
OWN_BONUS = 0.1  # what the person said themselves, over what they were told
# A word counts in a row whole, and this much of it in rows one or two after, one or two before,
# and anywhere in the same session: an answer seldom repeats the words it answers.
NEAR = ((1, 0.6), (2, 0.6), (-1, 0.4), (-2, 0.4))
SAME_SESSION = 0.2
SESSION_GAP = 4 * 3600.0  # seconds of silence
FEW = 100  # rows; among fewer, each word that is there at all would look common
TYPICAL_LENGTH = 25  # distinct words; longer rows are damped, for they match nearly everything


class Rows(NamedTuple):
    """One person's memories as columns, in any order."""

    cosine: Floats  # NaN where there is no vector to compare
    hits: Bools  # one column for each word of the question: whether the row has it
    length: Ints  # distinct words in the row
    group: Ints  # the chat a turn is from; a number of its own for what stands alone
    at: Floats  # when it was said, in seconds
    is_own: Bools


class Scores(NamedTuple):
    score: Floats
    words: Floats  # 0 to 1: how much of the question's words, by weight, is there or near


def score(rows: Rows) -> Scores:
    """Each row's score, absolute, so that it can be held against a floor."""
    words = coverage(rows)
    bonus = OWN_BONUS * rows.is_own
    return Scores(np.nan_to_num(rows.cosine) + WORDS_WEIGHT * words + bonus, words)


def coverage(rows: Rows) -> Floats:
    count, num_words = rows.hits.shape
    if not count or not num_words:
        return np.zeros(count)
    order = np.lexsort((rows.at, rows.group))
    near = spread(
        rows.hits[order] * damping(rows.length[order])[:, None],
        sessions(rows.group[order], rows.at[order]),
    )
    # Okapi BM25's weight of a rare word. Words that no row has stay in the sum they are shares of.
    frequency = rows.hits.sum(axis=0)
    rest = max(count, FEW) - frequency
    weight = np.log(1 + (rest + 0.5) / (frequency + 0.5))
    words = np.empty(count)
    words[order] = near @ weight / weight.sum()
    return words


def damping(length: Ints) -> Floats:
    return 1 / (0.6 + 0.4 * np.maximum(1, length / TYPICAL_LENGTH))


def sessions(group: Ints, at: Floats) -> Ints:
    """The number of each row's session: a stretch of one chat without a long silence."""
    is_border = (np.diff(group) != 0) | (np.diff(at) > SESSION_GAP)
    return np.concatenate(([0], np.cumsum(is_border)))


def spread(hits: Floats, session: Ints) -> Floats:
    """Each row's hits, or what reaches it from its neighbours, whichever is more."""
    starts = np.flatnonzero(np.diff(session, prepend=-1))
    near = np.maximum(hits, SAME_SESSION * np.maximum.reduceat(hits, starts)[session])
    for distance, share in NEAR:
        to, source = (
            (slice(distance, None), slice(None, -distance))
            if distance > 0
            else (slice(None, distance), slice(-distance, None))
        )
        together = (session[to] == session[source])[:, None]
        near[to] = np.maximum(near[to], share * hits[source] * together)
    return near
