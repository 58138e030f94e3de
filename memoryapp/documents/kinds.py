"""What kind of document it is, told by what is in it; a name or a server only says whether a text
that could be either is HTML."""

import re
from enum import StrEnum

from memoryapp.documents.document import gettext_noop

UNKNOWN = gettext_noop(
    "It can't be read. What can is PDF, DOCX, HTML, Markdown and plain text in UTF-8."
)
HTML_NAMES = (".html", ".htm", ".xhtml")
PDF_HEAD = 1024  # a reader looks for "%PDF-" as far, for some programs write something before it
ZIP = b"PK\x03\x04"
# What may stand before an HTML document's first tag: a byte order mark, XML's line and comments.
HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?xml[^>]*>|<!--(?:(?!-->).)*-->)*+"
    rb"<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


class Kind(StrEnum):
    PDF = "pdf"
    DOCX = "docx"
    HTML = "html"
    TEXT = "text"


def kind_of(content: bytes, *, says_html: bool = False) -> Kind | None:
    """The kind of these bytes; None if they are nothing that can be read."""
    if b"%PDF-" in content[:PDF_HEAD]:
        return Kind.PDF
    if content.startswith(ZIP):
        # Names in an archive aren't compressed. Whether it is whole is seen when it is read.
        return Kind.DOCX if b"word/" in content else None
    if b"\0" in content:
        return None
    if says_html or HTML.match(content[:PDF_HEAD]):
        return Kind.HTML
    return Kind.TEXT if is_utf8(content) else None


def is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
