from uuid import UUID

import numpy as np

from memoryapp.memory.recall.scan import DTYPE, PART, Mark, Scan


def scan_of(*rows):
    """What a pass found: rows of an id, a mark, a score and when each was."""
    found = np.zeros(len(rows), DTYPE)
    ids = [UUID(int=id).bytes for id, *_ in rows]
    found["id"] = np.frombuffer(b"".join(ids), "V16")
    found["at"] = [at for *_, at in rows]
    found["flags"] = [mark + (part << PART) for part, (_, mark, *_) in enumerate(rows)]
    found["cosine"] = [np.nan, *[0.5] * (len(rows) - 1)]
    mark, score = (np.array([row[n] for row in rows]) for n in (1, 2))
    return Scan(found, mark, score, np.zeros(len(rows)))


def best_of(scan, *marks, limit):
    return [candidate.id.int for candidate in scan.best(*marks, limit=limit)]


def test_the_best_of_what_is_asked_for_come_first():
    scan = scan_of((1, Mark.FACT, 0.2, 0), (2, Mark.FACT, 0.9, 0), (3, Mark.REPLY, 0.5, 0))
    assert best_of(scan, Mark.FACT, limit=5) == [2, 1]
    assert best_of(scan, Mark.FACT, Mark.REPLY, limit=2) == [2, 3]
    assert best_of(scan, Mark.PINNED, limit=2) == []
    assert scan.count(Mark.FACT, Mark.PINNED) == 2


def test_of_what_fits_equally_the_latest_comes_first():
    scan = scan_of((1, Mark.FACT, 0.501, 3), (2, Mark.FACT, 0.499, 5), (3, Mark.FACT, 0.52, 1))
    assert best_of(scan, Mark.FACT, limit=3) == [3, 2, 1]


def test_a_long_message_takes_one_place_with_its_best_part():
    parts = [(1, Mark.REPLY, 0.9 - n / 1000, 0) for n in range(40)]
    scan = scan_of(*parts, (2, Mark.REPLY, 0.1, 0), (3, Mark.REPLY, 0.2, 0))
    assert best_of(scan, Mark.REPLY, limit=2) == [1, 3]
    assert best_of(scan, Mark.REPLY, limit=9) == [1, 3, 2]
    assert scan.best(Mark.REPLY, limit=1)[0].part == 0


def test_what_has_no_vector_was_found_by_words():
    first, second = scan_of((1, Mark.FACT, 0.9, 0), (2, Mark.FACT, 0.1, 0)).best(Mark.FACT, limit=2)
    assert (first.cosine, first.reason) == (None, "words")
    assert (second.cosine, second.reason) == (0.5, "meaning")
