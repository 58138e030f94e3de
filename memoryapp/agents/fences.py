"""Fences around data in a prompt: what stands inside can't close them and gives no orders."""


def escape(text: str) -> str:
    """`text` without angle brackets, so that it can neither open nor close a fence."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def fence(tag: str, *lines: str) -> str:
    """`lines` between `<tag>` and `</tag>`; what comes from outside must be escaped already."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))
