"""What a check finds: that something is well, or what is wrong with it, why, and what to do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, but not as it should
    PROBLEM = "problem"  # something doesn't work


@dataclass(frozen=True)
class Finding:
    level: Level
    says: str


ok = partial(Finding, Level.OK)
warning = partial(Finding, Level.WARNING)
problem = partial(Finding, Level.PROBLEM)

# A check changes nothing, and no secret is in what it says.
Check = Callable[[], Iterator[Finding]]
