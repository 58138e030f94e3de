"""A long text as passages, short enough to be found and shown, with nothing lost between them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoryapp.tokens import num_tokens

PASSAGE_TOKENS = 200  # by our estimate; the embedding model reads 256 by its own count

BLOCK = re.compile(
    r"""(?:
    (?P<code>    ^\ {0,3}(?P<fence>`{3,}|~{3,}).*? (?:^\ {0,3}(?P=fence)|\Z)[^\n]* ) |
    (?P<heading> ^\ {0,3}\#{1,6}\s[^\n]* ) |
    (?P<text>    .+? (?=\n\s*\n | \n\ {0,3}(?:`{3}|~{3}|\#{1,6}\s) | \Z) )
    )(?:\s*\n)?""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
SENTENCES = re.compile(r"(?<=[.!?…]\s)|(?<=[。！？])")
LINES = re.compile(r"(?<=\n)")
WORDS = re.compile(r"(?<=\s)")


class Piece(NamedTuple):
    text: str
    tokens: int
    is_heading: bool


def split(body: str) -> list[str]:
    """Passages of about 200 tokens, cut between paragraphs, else sentences, else where it must be.

    A heading stays with what follows it, and code between fences stays whole if it fits. One
    after another the passages are the body, but for white space at the cuts.
    """
    passages = ("".join(piece.text for piece in passage) for passage in packed(pieces(body)))
    return [passage.strip("\r\n").rstrip() for passage in passages if passage.strip()]


def packed(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    passage: list[Piece] = []
    for piece in pieces:
        size = sum(kept.tokens for kept in passage)
        is_new_section = piece.is_heading and size > PASSAGE_TOKENS / 2
        if size + piece.tokens > PASSAGE_TOKENS or is_new_section:
            end = len(passage)
            while end and passage[end - 1].is_heading:
                end -= 1
            # What is nothing but headings is cut like anything else.
            end = end or len(passage)
            yield passage[:end]
            passage = passage[end:]
        passage.append(piece)
    yield passage


def pieces(body: str) -> Iterator[Piece]:
    for block in BLOCK.finditer(body):
        borders = [LINES, WORDS] if block["code"] else [SENTENCES, LINES, WORDS]
        for text in cut(block[0], borders):
            yield Piece(text, num_tokens(text), block["heading"] is not None)


def cut(text: str, borders: list[re.Pattern[str]]) -> Iterator[str]:
    """The text whole if it fits into a passage, else its parts, cut at the first border it has."""
    if num_tokens(text) <= PASSAGE_TOKENS:
        yield text
    elif borders:
        for part in borders[0].split(text):
            yield from cut(part, borders[1:])
    else:
        # A character is at most one token by our estimate.
        for start in range(0, len(text), PASSAGE_TOKENS):
            yield text[start : start + PASSAGE_TOKENS]
