"""Going on with a reply that was cut off: where it is taken up, and how that is asked for."""

import re

GO_ON = (
    "Your reply was cut off. Go on exactly where it ends, in the same language, in the middle of a "
    "sentence, a list or code if need be. Repeat nothing of it and say nothing about this."
)

LAST_WORD = re.compile(r"\S+\s*\Z")
# A longer run without a space is a script that has none, and is taken up where it ends.
LONGEST_WORD = 40


def taken_up(text: str) -> str:
    """The beginning of a reply that another one can go on from: all but its last word.

    That word may have been cut in two, and the space after it, if any, is for the model to say:
    what a model begins with has no space before it.
    """
    last = LAST_WORD.search(text)
    if last is None or last.start() == 0 or len(last[0]) > LONGEST_WORD:
        return text
    return text[: last.start()]
