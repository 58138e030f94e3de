"""Ids as they come from outside."""

import uuid


def as_uuid(text: str) -> uuid.UUID | None:
    """The id that `text` is; None if it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
