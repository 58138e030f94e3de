"""A PDF as text, page by page.

pypdf is written in Python alone: what breaks it raises, where a parser in C could be taken over.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from memoryapp.documents.document import (
    BROKEN,
    ENCRYPTED,
    SCANNED,
    Document,
    Unreadable,
    of_pages,
)

# What a damaged page or a wrong font has pypdf raise.
DAMAGE = (
    *(PyPdfError, ArithmeticError, AttributeError, LookupError),
    *(RuntimeError, TypeError, ValueError),
)
# A word that is parted at the end of a line, unless it is half of "in- and output".
PARTED = re.compile(r"(?<=[^\W\d_])-[ ]*\n(?=[a-zß-öø-ÿ])(?!(?:and|or|und|oder|bis)\b)")
LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
)


def read(content: bytes) -> Document:
    """Raises Unreadable. A damaged page is left out if others have text."""
    reader = PdfReader(BytesIO(content))
    # An empty password opens those that are only not to be printed or changed.
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable(ENCRYPTED)
    return Document(text=of_pages(pages(reader), if_none=SCANNED), title=title(reader))


def pages(reader: PdfReader) -> Iterator[str]:
    has_text, is_damaged = False, False
    for number in range(len(reader.pages)):
        try:
            text = reader.pages[number].extract_text()
        except DAMAGE:
            text, is_damaged = "", True
        has_text = has_text or bool(text.strip())
        yield PARTED.sub("", text.translate(LIGATURES))
    if is_damaged and not has_text:
        raise Unreadable(BROKEN)


def title(reader: PdfReader) -> str:
    with suppress(*DAMAGE):
        if reader.metadata:
            return str(reader.metadata.title or "")
    return ""
