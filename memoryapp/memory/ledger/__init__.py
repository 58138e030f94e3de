"""The only code that writes facts, prompts and the log of their changes."""

from memoryapp.memory.ledger.edits import CHANGED_IN_PLACE, edit, remember, retract
from memoryapp.memory.ledger.proposals import EXTRACTOR, apply, approve, propose, tell, turn_down
from memoryapp.memory.ledger.rows import lock, note_use
from memoryapp.memory.ledger.undoing import restore, take_back, undo

__all__ = [
    "CHANGED_IN_PLACE",
    "EXTRACTOR",
    "apply",
    "approve",
    "edit",
    "lock",
    "note_use",
    "propose",
    "remember",
    "restore",
    "retract",
    "take_back",
    "tell",
    "turn_down",
    "undo",
]
