"""Thinking that a model writes into its answer: it is not part of what the model says."""

OPENING, CLOSING = "<think>", "</think>"


class Spoken:
    """Leaves the thinking out of one response that comes in pieces, however it was cut.

    Only what a response begins with is thinking: an answer may speak of the tag itself. Where
    the server names thinking as such, none of it arrives here.
    """

    def __init__(self) -> None:
        self._held = ""
        self._has_begun = False

    def hear(self, piece: str) -> str:
        """What of the response can be shown now that `piece` has come."""
        if self._has_begun:
            return piece
        self._held = (self._held + piece).lstrip()
        while self._held.startswith(OPENING) and CLOSING in self._held:
            self._held = self._held.partition(CLOSING)[2].lstrip()
        if self._held.startswith(OPENING):
            # What a closing may begin with; thinking is long, and comes in many pieces.
            self._held = OPENING + self._held[len(OPENING) :][1 - len(CLOSING) :]
            return ""
        if OPENING.startswith(self._held):
            return ""
        self._has_begun = True
        return self._held

    def end(self) -> str:
        """What is left to show when the response is over."""
        is_thinking = self._has_begun or self._held.startswith(OPENING)
        return "" if is_thinking else self._held


def without_thinking(text: str) -> str:
    spoken = Spoken()
    return spoken.hear(text) + spoken.end()
