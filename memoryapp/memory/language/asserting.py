"""Whether a person says that what is proposed is so, and so now."""

import re

from memoryapp.memory.language.around import in_its_scope, is_gone_by
from memoryapp.memory.language.claims import is_claimed, may_be_so
from memoryapp.memory.language.clauses import Clause, clauses_of, sentences_around
from memoryapp.memory.language.feelings import CANT_RESIST, is_turned, leaning
from memoryapp.memory.language.moods import (
    BELIEVED,
    CONDITIONAL,
    DENIED,
    ELSEWHERE,
    ENDED,
    IMAGINED,
    INSTEAD,
    JEST,
    JOKED,
    NO_CONDITION,
    NO_DENIAL,
    PLANNED,
    STORY,
    THWARTED,
    Mood,
    is_denied,
)
from memoryapp.memory.language.whose import RELATED
from memoryapp.memory.language.wording import FUNCTION_WORDS, canonical, said, spelled, stems, words
from memoryapp.memory.operations import Operation, quote_start

NAMED = re.compile(r"\W*(?:called|named|namens)\b", re.IGNORECASE)
OF_FACTS = (ENDED, THWARTED, IMAGINED, CONDITIONAL, BELIEVED, JOKED)


def says_so(operation: Operation, body: str) -> bool:
    """Whether the person says that what is proposed is so, and so now.

    What they deny, imagine or tell of the past supports only what says the same: "I don't like
    olives" no `likes: olives`, but `dislikes: olives`. Nor does what they say support its
    opposite. What the whole clause says counts: a quote may leave something out.
    """
    stated = spelled(f"{operation.key} {operation.value}".replace("_", " "))
    start = quote_start(body, operation.quote) or 0
    if operation.table == "fact" and is_invented(stated, body, start + len(operation.quote)):
        return False
    clauses = clauses_that_tell(operation, body)
    if is_denied(spelled(operation.value)):
        clauses = [each for each in clauses if DENIED.stated.search(each.text)]
        return any(is_so(each, operation, stated) for each in clauses)
    return not clauses or any(is_so(each, operation, stated) for each in clauses)


def says_so_plainly(operation: Operation, body: str) -> bool:
    """Whether it is said in words that are known for what the key is about."""
    clauses = clauses_that_tell(operation, body)
    return not clauses or any(is_claimed(operation, each) for each in clauses)


def is_invented(stated: str, body: str, end: int) -> bool:
    """Whether what stands before `end` is part of a story, or taken for a joke after it."""
    story = STORY.told.search(spelled(body[:end]))
    is_told = story is not None and not STORY.stated.search(stated)
    return is_told or JEST.match(body, end) is not None


def is_so(told: Clause, operation: Operation, stated: str) -> bool:
    """Whether a clause says that it is so, or what is `stated` says what the clause says."""
    clause = told.text
    if not may_be_so(operation, told):
        return False
    if canonical(operation.key) == "city" and ELSEWHERE.search(clause):
        return False
    if is_turned(operation.value, clause):
        return leaning(clause) < 0 or is_denied(clause)
    if leaning(clause) * leaning_of(operation, stated) < 0:
        return False
    # What is denied of a task is that it is done.
    is_task = operation.kind == "task" and INSTEAD.match(clause) is None
    may_be_denied = is_task or DENIED.stated.search(stated)
    if is_denied(f"{told.before} {clause}") and not may_be_denied:
        return is_named_before(clause, operation.value, stated)
    return not is_in_another_mood(told, operation, stated)


def is_in_another_mood(told: Clause, operation: Operation, stated: str) -> bool:
    """Whether it is imagined, planned, gone by and the like, and what is `stated` isn't."""
    if is_gone_by(told) and not ENDED.stated.search(stated):
        return True
    scope = in_its_scope(told)
    return any(
        each.told.search(scope) and not each.stated.search(stated) for each in moods_of(operation)
    )


def with_what_is_named(told: Clause, value: str) -> Clause:
    """A name with what bears it, if the value has both: "a band called Moth Season"."""
    is_name = not told.border and NAMED.match(told.text)
    is_both = is_name and said(value, told.lead) - said(value, told.text)
    return told._replace(text=f"{told.lead} {told.text}", lead="") if is_both else told


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


def clauses_that_tell(operation: Operation, body: str) -> list[Clause]:
    """Those that tell most of the value, or else of the key, and are quoted if any of them is."""
    start = quote_start(body, operation.quote) or 0
    sentences = sentences_around(body, start, start + len(operation.quote))
    plainly = NO_CONDITION.sub(" ", NO_DENIAL.sub(" ", CANT_RESIST.sub("love", sentences)))
    clauses = list(clauses_of(plainly))
    quoted = {*words(operation.quote)} - FUNCTION_WORDS
    for text in (operation.value, operation.key):
        counts = [len(said(text, each.text)) for each in clauses]
        if most := max(counts):
            found = zip(clauses, counts, strict=True)
            telling = [clause for clause, count in found if count == most]
            quoted_ones = [each for each in telling if quoted & {*words(each.text)}] or telling
            return [with_what_is_named(each, text) for each in quoted_ones]
    return []
