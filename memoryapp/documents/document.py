"""What is read from a document: its text, or why there is none."""

from collections.abc import Iterable
from dataclasses import dataclass

TEXT_MAX_CHARS = 5_000_000  # some 2,000 pages; a passage is about 800 of them
PAGE_END = "\f"  # as in any plain text: each page of what has pages ends with it


def gettext_noop(sentence: str) -> str:
    """As Django's, which needs settings: the process that reads has none, for they hold secrets."""
    return sentence


NO_TEXT = gettext_noop("There is no text in it.")
SCANNED = gettext_noop("There is no text in it; it may be a scan. Have its text recognized first.")
MADE_BY_SCRIPT = gettext_noop(
    "There is no text in it; a program may show one in the browser. Save the page there as HTML, "
    "and add the file."
)
TOO_LONG = gettext_noop("It is too long: 5 million characters are the most. Add it in parts.")
TOO_SLOW = gettext_noop("It takes longer than {} seconds to read. Add it in parts.")
TOO_DEMANDING = gettext_noop("It takes more memory to read than it may. Add it in parts.")
BROKEN = gettext_noop("It is broken, or made in a way that can't be read. Save it anew.")
ENCRYPTED = gettext_noop("It is encrypted. Save it without a password, and add it again.")


class Unreadable(Exception):
    """There is no text to be had; the message says why and what to do, in English."""


@dataclass(frozen=True)
class Document:
    text: str
    title: str = ""


def of_pages(pages: Iterable[str], *, if_none: str = NO_TEXT) -> str:
    """The text of a document of these pages. Raises Unreadable when there is none, or too much."""
    return _joined((f"{storable(page)}{PAGE_END}" for page in pages), if_none)


def of_text(text: str, *, if_none: str = NO_TEXT) -> str:
    """The text of a document without pages. Raises Unreadable as `of_pages` does."""
    return _joined([storable(text)], if_none)


def pages_of(text: str) -> list[tuple[int | None, str]]:
    """The pages of a document's text with their numbers; all of it without one where it has none.

    What follows the last page's end is the last page, if there is anything.
    """
    pages = text.split(PAGE_END)
    if len(pages) == 1:
        return [(None, text)]
    return [(number, page) for number, page in enumerate(pages, 1) if page.strip()]


def storable(text: str) -> str:
    """`text` without what a database or a page of the web can't hold: control characters, and
    halves of characters, which broken fonts of a PDF bring about."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return whole.translate(CONTROLS)


CONTROLS = {code: None for code in range(32) if chr(code) not in "\n\t\f"} | {ord(PAGE_END): "\n"}


def _joined(parts: Iterable[str], if_none: str) -> str:
    kept: list[str] = []
    room = TEXT_MAX_CHARS
    for part in parts:
        kept.append(part)
        room -= len(part)
        if room < 0:
            raise Unreadable(TOO_LONG)
    text = "".join(kept)
    if not text.strip():
        raise Unreadable(if_none)
    return text
