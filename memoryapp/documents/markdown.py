"""A tree of HTML written as Markdown that is found and quoted well: the words of the page as they
stand, without marks for emphasis, addresses of links, or pictures."""

import re
from typing import Any

BLOCKS = {
    *("address", "article", "blockquote", "body", "caption", "center", "dd", "details", "div"),
    *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "header", "html", "legend"),
    *("main", "ol", "p", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead"),
    *("tr", "ul"),
}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
SILENT = {"head", "script", "style", "template"}
# A table with these in it has its cells beside each other for their looks.
LAYOUT = "table, ul, ol, pre, h1, h2, h3, h4"
SPACES = re.compile(r"[ \t\r\n\f]+")


class Writing:
    """Lines of Markdown, and the one that is being written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""
        self.start = ""  # what the next line begins with
        self.depth = 0  # of lists

    def say(self, text: str) -> None:
        text = SPACES.sub(" ", text)
        if not self.line:
            text = text.lstrip(" ")
            self.line = self.start if text else ""
            self.start = self.start if not text else "  " * self.depth
        self.line += text if not self.line.endswith(" ") else text.lstrip(" ")

    def end_line(self) -> None:
        if self.line.strip():
            self.lines.append(self.line.rstrip())
        self.line = ""

    def end_block(self) -> None:
        """Have an empty line before what comes next."""
        self.end_line()
        if self.lines and self.lines[-1]:
            self.lines.append("")


def markdown(root: Any) -> str:
    writing = Writing()
    write(writing, root)
    writing.end_line()
    return "\n".join(writing.lines).strip()


def write(to: Writing, node: Any) -> None:
    """One node and all in it."""
    name = node.name
    if name == "#text":
        to.say(node.data or "")
    elif name == "br":
        to.end_line()
    elif name in HEADINGS:
        to.end_block()
        to.say(f"{'#' * HEADINGS[name]} {line_of(node)}")
        to.end_block()
    elif name == "pre":
        write_code(to, node)
    elif name == "li":
        write_item(to, node)
    elif name == "table" and not node.query(LAYOUT):
        write_table(to, node)
    elif name not in SILENT:
        write_all(to, node)


def write_all(to: Writing, node: Any) -> None:
    is_block = node.name in BLOCKS and not (node.name in ("ul", "ol") and to.depth)
    if is_block:
        to.end_block()
    for child in node.children or ():
        write(to, child)
    if is_block:
        to.end_block()


def write_item(to: Writing, node: Any) -> None:
    to.end_line()
    outside, to.start = to.start, f"{'  ' * to.depth}- "
    to.depth += 1
    for child in node.children or ():
        write(to, child)
    to.end_line()
    to.depth -= 1
    to.start = outside


def write_code(to: Writing, node: Any) -> None:
    to.end_block()
    code = node.to_text(separator="", strip=False).strip("\n")
    if code.strip():
        to.lines += ["```", *code.splitlines(), "```", ""]


def write_table(to: Writing, node: Any) -> None:
    to.end_block()
    rows = [[line_of(cell) for cell in row.query("td, th")] for row in node.query("tr")]
    for number, cells in enumerate(rows):
        to.lines.append(f"| {' | '.join(cells)} |")
        if not number:
            to.lines.append(f"|{' --- |' * len(cells)}")
    to.end_block()


def line_of(node: Any) -> str:
    return SPACES.sub(
        " ", str(node.to_text(strip=False, separator=" ", separator_blocks_only=True))
    ).strip()
