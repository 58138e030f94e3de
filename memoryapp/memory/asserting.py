"""Whether a person says that what is proposed is so, and so now."""

from collections.abc import Iterator

from memoryapp.memory.clauses import clauses_of, sentences_around
from memoryapp.memory.feelings import CANT_RESIST, is_turned, leaning
from memoryapp.memory.moods import (
    BELIEVED,
    CONDITIONAL,
    DENIED,
    ELSEWHERE,
    ENDED,
    IMAGINED,
    JEST,
    NO_DENIAL,
    PLANNED,
    STORY,
    THWARTED,
    Mood,
    is_denied,
)
from memoryapp.memory.operations import Operation, quote_start
from memoryapp.memory.whose import RELATED
from memoryapp.memory.wording import canonical, said, spelled, stems

OF_FACTS = (ENDED, THWARTED, IMAGINED, CONDITIONAL, BELIEVED)


def says_so(operation: Operation, body: str) -> bool:
    """Whether the person says that what is proposed is so, and so now.

    What they deny, imagine or tell of the past supports only what says the same: "I don't like
    olives" no `likes: olives`, but `dislikes: olives`. Nor does what they say support its
    opposite. What the whole clause says counts: a quote may leave something out.
    """
    stated = spelled(f"{operation.key} {operation.value}".replace("_", " "))
    start = quote_start(body, operation.quote) or 0
    end = start + len(operation.quote)
    if operation.table == "fact" and is_invented(stated, body, end):
        return False
    clauses = list(clauses_that_tell(operation, sentences_around(body, start, end)))
    if is_denied(spelled(operation.value)):
        clauses = [each for each in clauses if DENIED.stated.search(each[0])]
        return any(is_so(*clause, operation, stated) for clause in clauses)
    return not clauses or any(is_so(*clause, operation, stated) for clause in clauses)


def is_invented(stated: str, body: str, end: int) -> bool:
    """Whether what stands before `end` is part of a story, or taken for a joke after it."""
    story = STORY.told.search(spelled(body[:end]))
    is_told = story is not None and not STORY.stated.search(stated)
    return is_told or JEST.match(body, end) is not None


def is_so(clause: str, before: str, operation: Operation, stated: str) -> bool:
    """Whether a clause says that it is so, or what is `stated` says what the clause says."""
    if canonical(operation.key) == "city" and ELSEWHERE.search(clause):
        return False
    if is_turned(operation.value, clause):
        return leaning(clause) < 0 or is_denied(clause)
    if leaning(clause) * leaning_of(operation, stated) < 0:
        return False
    # What is denied of a task is that it is done.
    may_be_denied = operation.kind == "task" or DENIED.stated.search(stated)
    if is_denied(f"{before} {clause}") and not may_be_denied:
        return is_named_before(clause, operation.value, stated)
    return all(
        each.stated.search(stated) or not each.told.search(clause) for each in moods_of(operation)
    )


def leaning_of(operation: Operation, stated: str) -> int:
    """How what is `stated` speaks of it; a wish for the answers is for what it names."""
    if operation.table == "prompt" and not leaning(stated):
        return -1 if is_denied(stated) else 1
    return leaning(stated)


def moods_of(operation: Operation) -> tuple[Mood, ...]:
    """In which ways its clause must not be said: a wish and a task may depend on something, and
    a project is what is planned."""
    if operation.table == "prompt" or operation.kind == "task":
        return (ENDED,)
    return OF_FACTS if operation.kind == "project" else (*OF_FACTS, PLANNED)


def is_named_before(clause: str, value: str, stated: str) -> bool:
    """Whether somebody is named, and only then something denied of them: "Mia isn't at school"."""
    denial = DENIED.told.search(clause)
    named = clause[: denial.start()] if denial else ""
    return (
        RELATED.search(stated) is not None and bool(stems(value)) and stems(value) <= stems(named)
    )


def clauses_that_tell(operation: Operation, sentences: str) -> Iterator[tuple[str, str]]:
    """Those that tell most of the value, or else of the key; each with what it goes on with."""
    clauses = list(clauses_of(NO_DENIAL.sub(" ", CANT_RESIST.sub("love", sentences))))
    for text in (operation.value, operation.key):
        counts = [len(said(text, clause)) for clause, _ in clauses]
        if most := max(counts):
            found = zip(clauses, counts, strict=True)
            yield from (clause for clause, count in found if count == most)
            return
