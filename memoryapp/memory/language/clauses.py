"""The clauses of what people write, and what each of them goes on with."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryapp.memory.language.wording import (
    FUNCTION_WORDS,
    NEGATIONS,
    PLEASANTRIES,
    listed,
    pieces,
    spelled,
    stems,
    words,
)
from memoryapp.memory.operations import CLAUSE_ENDS, SENTENCE_ENDS

CONTRAST = re.compile(
    r"\b(?:but|only|just|always|rather(?! than| die)|instead(?! of)|aber|immer|sondern|nur|mais"
    r"|pero|но|ama)\b|但是?|而是|只|لكن|でも",
    re.IGNORECASE,
)
BRACKETS = "()[]–—"
# What bears a name bears it whatever else is said: "I used to have a dog called Rex".
BORDERS = re.compile(
    rf"([{CLAUSE_ENDS}{re.escape(BRACKETS)}]|(?<=\s)-(?=\s)|(?<!\S)\d{{1,2}}\)"
    rf"|{CONTRAST.pattern}|\b(?:and|or|und|oder|while|während|et|y|e|ve|и)\b|并且|而且"
    r"|(?=\b(?:(?:trying|looking|hoping) (?:to|for)|called|named|namens"
    r"|without|ohne|rather than|instead of|(?:an)?statt"
    r"|(?:before|after|when|since|because|bevor|nachdem|als|seit|weil)"
    r" (?:i|we|my|our|ich|wir))\b))",
    re.IGNORECASE,
)
# What stands in front of the main clause is a clause of its own, as if a comma ended it:
# "As a vegan I can't eat honey", "Living in Oslo you don't sweat".
IN_FRONT = re.compile(
    rf"(?:^|(?<=[{CLAUSE_ENDS}]))\W{{0,3}}(?:as an? |being |als |\w{{3,}}ing (?:at|in|as|for)\b"
    r"|(?:since|because|(?:even )?though|although|weil|da|obwohl) (?:i|we|ich|wir)\b)"
    rf"[^{CLAUSE_ENDS}]*?"
    r"(?=\s(?:(?:i|we|you)\b|[^\W\d]+ (?:ich|wir|man)\b))",
    re.IGNORECASE,
)
# And so is what is said before what it isn't: "I'm from Graz not Linz". Behind a verb that can be
# denied, "not" denies what stands before it, too.
BEFORE_THE_OTHER = re.compile(
    r"\S{1,20}(?= (?:not (?:(?:an?|the|in|at|on|from) )?[\w'’:.]+|nicht [A-ZÄÖÜ\d]\w*)"
    rf"(?: (?:\w+ly|though|tho|lol|haha|sorry|leider))?\W*(?:[{CLAUSE_ENDS}]|$))"
)
# "I prefer trains to planes" says nothing for planes.
PREFERRED = re.compile(
    rf"(\bprefer\w* (?!to\b)[^{CLAUSE_ENDS}]{{1,40}}?) (?:over|to)(?= )"
    rf"|(\bmore of an? [^{CLAUSE_ENDS}]{{1,40}}?) than(?= )",
    re.IGNORECASE,
)
DENIABLE = listed(
    "m s re ve am is are was were be been do does did has have had can could will would should may"
    " might must i you we they it still just also or and but so probably definitely certainly"
    " really ist sind bin war waren ich wir es habe hat kann mag will darf muss"
)
SUBJECT = re.compile(
    r"^\W*(?:i|we|my|our|you|he|she|it|they|this|that|ich|wir|mein\w*|unser\w*|er|sie|es|je|j['’]"
    r"|yo|eu|io|ik|я|мы|ben|أنا|نحن)(?!\w)|^\W*[我咱他她]",
    re.IGNORECASE,
)
LIGHT = PLEASANTRIES | NEGATIONS | listed("nah nope nee nein oh well")  # "Yeah no, it's fine"
LEAD_CHARS = 200  # as far back as a subject or a verb is looked for
RUNS_ON = 2  # words, or pairs of characters, of a clause that goes on with what the last one said


class Clause(NamedTuple):
    text: str
    before: str  # what it goes on with: "I eat no apples, pears or plums"
    lead: str  # what stands before it up to a comma, which may have its subject
    border: str  # what stands between the two
    follow: str  # the clause after it in its sentence


def clauses_of(sentences: str) -> Iterator[Clause]:
    """The clauses in their order; the border of the first is empty, as where no word divides."""
    sentences = PREFERRED.sub(r"\1\2 rather than", IN_FRONT.sub(r"\g<0>,", sentences))
    parts = BORDERS.split(BEFORE_THE_OTHER.sub(_ended, sentences))
    before = lead = ""
    borders = ["", *(border or "" for border in parts[1::2]), "."]
    for number, clause in enumerate(parts[::2]):
        border, ending = borders[number : number + 2]
        length = sum(1 for word in words(clause) for _ in pieces(word))
        if length > RUNS_ON or (length and not goes_on(clause, border, before)):
            before = ""
        if border and border in SENTENCE_ENDS:
            lead = ""
        goes_further = not ending or ending not in SENTENCE_ENDS
        yield Clause(clause, before, lead, border, parts[2 * number + 2] if goes_further else "")
        if length > 1:
            before = f"{before} {clause}"
        if length:
            goes_with = lead if border and border not in CLAUSE_ENDS + BRACKETS else ""
            so_far = f"{goes_with} {clause}" if stems(clause, LIGHT) else ""
            lead = " ".join(so_far.split())[-LEAD_CHARS:]


def _ended(before: re.Match[str]) -> str:
    last = words(before.group())[-1:]
    return before.group() if DENIABLE.issuperset(last) else f"{before.group()},"


def goes_on(clause: str, border: str, before: str) -> bool:
    """Whether a short clause after this border is part of what was said before, and not its
    counterpart ("no tables, use lists")."""
    is_of_its_own = border in ("", *SENTENCE_ENDS, *BRACKETS) or CONTRAST.match(border)
    is_counterpart = SUBJECT.match(clause) or stems(clause, FUNCTION_WORDS) & stems(before)
    return not is_of_its_own and not is_counterpart


def sentences_around(body: str, start: int, end: int) -> str:
    """The sentences in which a stretch of the body stands, whole, with their apostrophes."""
    first = max(body.rfind(each, 0, start) for each in SENTENCE_ENDS) + 1
    ends = [body.find(each, max(first, end - 1)) for each in SENTENCE_ENDS]
    last = min((found for found in ends if found >= 0), default=len(body))
    return spelled(body[first:last])
