"""Whether a text has anything to see in it."""

import unicodedata

# Letters and signs that are drawn as nothing: Hangul fillers and the braille cell without dots.
DRAWN_AS_NOTHING = "\u115f\u1160\u3164\uffa0\u2800"


def visible(text: str) -> str:
    """`text` without the whitespace around it; empty if nothing of it can be seen.

    Characters that only shape what stands beside them, such as joiners, stay where there is
    something beside them.
    """
    return "" if all(map(_is_unseen, text)) else text.strip()


def _is_unseen(char: str) -> bool:
    return char.isspace() or char in DRAWN_AS_NOTHING or unicodedata.category(char) == "Cf"
