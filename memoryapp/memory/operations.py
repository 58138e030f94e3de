"""What an extractor proposes, and the checks that need no database."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

from memoryapp.memory.language import languages

Action = Literal["add", "update", "retract"]
Table = Literal["fact", "prompt"]

QUOTATION_MARKS = str.maketrans(dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′", "'"))
QUESTION_ENDS = "?？؟吗嗎呢"
# How a question begins that is typed without its mark.
QUESTION_BEGINNING = re.compile(
    r"\W*(?:(?:do|does|did|am|are|can|could|will|would|should|have) (?:i|you|we|they)\b"
    r"|(?:what|where|when|who|whom|whose|why|how|which)(?:'s|(?: (?!i\b|we\b)\w+)? (?:do|does|did"
    r"|am|is|are|was|were|can|could|will|would|should|have|has))\b"
    r"|(?:wo|was|wann|wer|wem|wen|wie|warum|welche[rsmn]?) (?:\w+ )?(?:ich|du|wir|ihr|ist|sind"
    r"|war)\b"
    r"|(?:bin|habe|mag|kann|soll|wohne|arbeite|weisst|hast|kannst) (?:ich|du)\b|هل "
    rf"|{unicodedata.normalize('NFKD', languages.QUESTION_BEGINS)})"
)
# A question that asks to keep in mind what it states.
ASKS_TO_REMEMBER = re.compile(
    r"\W*(?:please )?(?:can|could|will|would) you (?:please |pls )?"
    r"(?:remember|note|keep in mind) that\b"
    r"|\W*(?:kannst|ko\u0308nntest) du dir (?:bitte )?merken,? dass\b"
)
SENTENCE_ENDS = ".!?。！？؟\n"
CLAUSE_ENDS = SENTENCE_ENDS + ",，、،;:：；؛"
# A quote this short supports nothing; two characters are enough in scripts without spaces.
QUOTE_MIN_CHARS = 2
ARABIC_AND = "وف"  # written together with the word that follows
SPACED_SCRIPTS_END = "\u0700"  # Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic stand before


@dataclass(frozen=True)
class Operation:
    """One change of memory that somebody proposes: nothing is written by making it."""

    action: Action
    table: Table
    key: str
    value: str
    quote: str
    kind: str = "fact"
    subject: str = ""
    replaces: str = ""
    valid_from: datetime | None = None
    due_at: datetime | None = None
    expires_at: datetime | None = None


def normalised(text: str) -> str:
    """`text` as it is compared: NFKD, no case, single spaces, plain quotation marks.

    Decomposed and not composed, because then each character can be normalised by itself and a
    match can be traced to its place in the original.
    """
    return _with_positions(text)[0].strip()


def storable(text: str) -> str:
    """`text` without what PostgreSQL can't hold."""
    return text.replace("\0", "").encode(errors="replace").decode()


def same_value(one: str, other: str) -> bool:
    return normalised(one).strip(" .!") == normalised(other).strip(" .!")


def quote_start(body: str, quote: str) -> int | None:
    """Where in `body` the quote begins, in code points; None if it isn't there.

    Both are compared as `normalised` says, and a quote begins and ends at the borders of words.
    """
    words = _bare(quote)
    if len(words) < QUOTE_MIN_CHARS:
        return None
    text, positions = _with_positions(body)
    start = text.find(words)
    while start >= 0:
        if not _cuts_word(text, start) and not _cuts_word(text, start + len(words)):
            return positions[start]
        start = text.find(words, start + 1)
    return None


def _bare(quote: str) -> str:
    """The quote without the marks at its ends, which a model may set itself."""
    return normalised(quote).strip(" .,;:!?\"'")


# Each of many proposals is held against the same few messages.
@lru_cache(maxsize=64)
def _with_positions(body: str) -> tuple[str, list[int]]:
    """`body` normalised, and for each of its characters the place it comes from."""
    chars: list[str] = []
    positions: list[int] = []
    for position, char in enumerate(body):
        for part in unicodedata.normalize("NFKD", char).translate(QUOTATION_MARKS).casefold():
            if not part.isspace():
                chars.append(part)
                positions.append(position)
            elif chars and chars[-1] != " ":
                chars.append(" ")
                positions.append(position)
    return "".join(chars), positions


def _cuts_word(text: str, border: int) -> bool:
    """Whether a word of a script that puts spaces between words goes on over `border`."""
    if not 0 < border < len(text):
        return False
    before, after = text[border - 1], text[border]
    if before in ARABIC_AND and not (border > 1 and text[border - 2].isalnum()):
        return False
    return all(
        (char.isalnum() or unicodedata.combining(char)) and char < SPACED_SCRIPTS_END
        for char in (before, after)
    )


def is_question(body: str, quote: str) -> bool:
    """Whether the quote is (part of) a question that `body` asks, with a mark or without.

    A statement before it in the same sentence is none: "I live in Graz, what's the weather?"
    """
    has_mark = normalised(quote).endswith(tuple(QUESTION_ENDS))
    body, quote = normalised(body), _bare(quote)
    start = body.find(quote)
    if start < 0:
        return has_mark
    sentence_start = max(body.rfind(end, 0, start) for end in SENTENCE_ENDS) + 1
    if ASKS_TO_REMEMBER.match(body, sentence_start):
        return False
    if has_mark:
        return True
    clause_start = max(body.rfind(end, 0, start) for end in CLAUSE_ENDS) + 1
    if QUESTION_BEGINNING.match(body, clause_start):
        return True
    rest = body[start + len(quote) :]
    clause_end = next((i for i, char in enumerate(rest) if char in CLAUSE_ENDS), len(rest))
    return rest[: clause_end + 1].strip().endswith(tuple(QUESTION_ENDS))
