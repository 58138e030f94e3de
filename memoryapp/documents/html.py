"""HTML as Markdown: the headings, paragraphs, lists and tables of what a page is about.

justhtml reads it as a browser does, however it was written, and in Python alone.
"""

from typing import Any

from justhtml import JustHTML

from memoryapp.documents.document import MADE_BY_SCRIPT, Document, of_text
from memoryapp.documents.kinds import is_utf8
from memoryapp.documents.markdown import markdown

# Nothing to read, or nothing of what the page is about.
ASIDE = (
    "script, style, noscript, template, iframe, object, svg, canvas, form, button, select, nav, "
    "aside, dialog, [hidden], [aria-hidden=true], [role=navigation], [role=search]"
)
AROUND = "header, footer, [role=banner], [role=contentinfo]"
MAIN = "main, [role=main]"


def read(content: bytes) -> Document:
    """The main text. Raises Unreadable."""
    # What is no UTF-8 says itself what it is, or is read as a browser would.
    encoding = "utf-8" if is_utf8(content) else None
    page = JustHTML(content, sanitize=False, encoding=encoding)
    title = page.query_one("title")
    text = of_text(markdown(main_of(page.root)), if_none=MADE_BY_SCRIPT)
    return Document(text, title.to_text() if title else "")


def main_of(page: Any) -> Any:
    """What the page is about: what it says is, its only article, or all without what is around."""
    remove(page, ASIDE)
    articles = page.query("article")
    main = page.query_one(MAIN) or (articles[0] if len(articles) == 1 else None)
    if main and main.to_text():
        return main
    remove(page, AROUND)
    return page.query_one("body") or page


def remove(page: Any, selector: str) -> None:
    for node in page.query(selector):
        node.parent.remove_child(node)
