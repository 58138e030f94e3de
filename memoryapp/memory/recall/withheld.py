"""What a reply is not told, of all that its owner's memory holds."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from memoryapp.models import Fact


@dataclass(frozen=True)
class Withheld:
    """What is left out, and what it taught or would tell with it."""

    ids: Collection[str] = ()  # of facts and messages
    local_only: bool = False  # what only models on this machine may see, from a model elsewhere

    @property
    def parameters(self) -> dict[str, Any]:
        """For the queries in lookup.py."""
        return {"without": list(self.ids), "local": not self.local_only}

    def holds(self, fact: Fact) -> bool:
        return str(fact.pk) in self.ids or (self.local_only and fact.local_only)


NOTHING = Withheld()
