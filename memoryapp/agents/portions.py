"""Text in portions that a model can take: everything is sent, if need be in several calls."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def size(text: str) -> int:
    """How much of a portion `text` takes, in UTF-8 bytes."""
    return len(text.encode())


def cut(text: str, most: int) -> Iterator[str]:
    """`text` in pieces of at most `most` bytes, cut between words where there are any.

    The pieces put together are the text again.
    """
    while size(text) > most:
        # A character that is cut in two is left to the next piece.
        head = text.encode()[:most].decode(errors="ignore")
        end = max(head.rfind("\n"), head.rfind(" ")) + 1
        # A space far from the end is none to cut at: what follows it is no word.
        at = end if end > len(head) // 2 else len(head)
        yield text[:at]
        text = text[at:]
    if text:
        yield text


def shortened(text: str, most: int) -> str:
    """The beginning of `text`, with an ellipsis when that isn't all of it."""
    return text if size(text) <= most else f"{next(cut(text, most)).rstrip()} …"


def packed(items: Iterable[T], most: int, text_of: Callable[[T], str]) -> Iterator[list[T]]:
    """The items in order, in lists whose texts have at most `most` bytes together.

    An item that is larger than that stands alone.
    """
    portion: list[T] = []
    filled = 0
    for item in items:
        if portion and filled + size(text_of(item)) > most:
            yield portion
            portion, filled = [], 0
        portion.append(item)
        filled += size(text_of(item))
    if portion:
        yield portion
