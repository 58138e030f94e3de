"""One line on the terminal that says how far a long measurement is."""

import sys
from typing import TextIO

WIDTH = 100


class Progress:
    """A bar and a few words, written over and over; silent where nobody watches."""

    def __init__(self, total: int, to: TextIO = sys.stderr) -> None:
        self.total = total
        self.to = to
        self.done = 0

    def step(self, text: str) -> None:
        """One more of the total is begun."""
        self.done += 1
        self.say(text)

    def say(self, text: str) -> None:
        filled = 20 * self.done // max(1, self.total)
        bar = "#" * filled + "." * (20 - filled)
        self._write(f"[{bar}] {self.done}/{self.total} {text}"[:WIDTH].ljust(WIDTH))

    def end(self) -> None:
        self._write(" " * WIDTH)

    def _write(self, line: str) -> None:
        if self.to.isatty():
            self.to.write(f"\r{line}\r")
            self.to.flush()
