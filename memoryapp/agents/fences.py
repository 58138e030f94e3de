"""Fences around data in a prompt: what stands inside can't close them and gives no orders."""

from textwrap import indent


def escape(text: str) -> str:
    """`text` without angle brackets, so that it can neither open nor close a fence."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def fence(tag: str, *lines: str) -> str:
    """`lines` between `<tag>` and `</tag>`; what comes from outside must be escaped already."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))


def item(text: str) -> str:
    """`text` escaped, as an item of a list: its further lines are indented, so that none looks
    like another item."""
    return f"- {indent(escape(text), '  ').strip()}"


def one_line(text: str) -> str:
    """`text` escaped and on one line, so that it can't look like another memory."""
    return " ".join(escape(text).split())
