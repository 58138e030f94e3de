"""What an extractor proposes, and the checks that need no database."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Action = Literal["add", "update", "retract"]
Table = Literal["fact", "prompt"]

QUOTATION_MARKS = str.maketrans(dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′", "'"))
QUESTION_MARKS = "?？؟"
SENTENCE_ENDS = ".!?。！？؟\n"
CLAUSE_ENDS = SENTENCE_ENDS + ",，、;:：；"
# A quote this short supports nothing; two characters are enough in scripts without spaces.
QUOTE_MIN_CHARS = 2
STEM_CHARS = 4
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


def same_value(one: str, other: str) -> bool:
    return normalised(one).strip(" .!") == normalised(other).strip(" .!")


def quote_start(body: str, quote: str) -> int | None:
    """Where in `body` the quote begins, in code points; None if it isn't there.

    Both are compared as `normalised` says, and a quote begins and ends at the borders of words.
    """
    words = normalised(quote).strip(" .,;:!?\"'")
    if len(words) < QUOTE_MIN_CHARS:
        return None
    text, positions = _with_positions(body)
    start = text.find(words)
    while start >= 0:
        if not _cuts_word(text, start) and not _cuts_word(text, start + len(words)):
            return positions[start]
        start = text.find(words, start + 1)
    return None


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
    return all(
        (char.isalnum() or unicodedata.combining(char)) and char < SPACED_SCRIPTS_END
        for char in (before, after)
    )


def is_supported(operation: Operation) -> bool:
    """Whether the quote speaks of what is proposed: they share a word, or two characters.

    Words are compared by their first four letters, so that "moved" supports "moving"; scripts
    without spaces by pairs of characters.
    """
    said = stems(operation.quote)
    return bool(said & stems(f"{operation.key} {operation.value}".replace("_", " ")))


def stems(text: str) -> set[str]:
    found = set()
    for word in re.findall(r"\w+", normalised(text)):
        if word.isascii() or word[0].isalpha() and ord(word[0]) < 0x2E80:
            found.add(word[:STEM_CHARS])
        else:
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    return found


def is_question(body: str, quote: str) -> bool:
    """Whether the quote is (part of) a question that `body` asks.

    A statement before it in the same sentence is none: "I live in Graz, what's the weather?"
    """
    body, quote = normalised(body), normalised(quote)
    if quote.endswith(tuple(QUESTION_MARKS)):
        return True
    start = body.find(quote)
    if start < 0:
        return False
    rest = body[start + len(quote) :]
    clause_end = next((i for i, char in enumerate(rest) if char in CLAUSE_ENDS), None)
    return clause_end is not None and rest[clause_end] in QUESTION_MARKS
