"""What people think of recalled memories, and the floor of recall that follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memoryapp.memory.embeddings import model_name
from memoryapp.memory.recall.choosing import STANDING, level
from memoryapp.memory.recall.memories import TURN
from memoryapp.models import MemoryMark, Message

RECALLED = ("memories", "near_misses", "turns")  # parts of a receipt that recall filled by score
FEWEST_MARKS = 30
# A floor may cost at most this part of what was of use.
MOST_LOST = 0.03
STEPS = [step / 20 for step in range(31)]  # 0 to 1.5; a turn that has all words scores 1.85


@dataclass(frozen=True)
class Candidate:
    """What a floor would have done: shares of the useful and of the useless marks, 0 to 1."""

    floor: float
    lost: float
    false: float


def mark(*, reply: Message, memory_id: UUID, is_useful: bool) -> MemoryMark | None:
    """Keep whether a memory on the receipt of `reply` was of use; the last mark of it counts.

    None if the receipt doesn't have it.
    """
    entries = scored(reply.receipt)
    entry = next((entry for entry in entries if entry["id"] == str(memory_id)), None)
    if entry is None:
        return None
    kept, _ = MemoryMark.objects.update_or_create(
        message=reply,
        memory_id=memory_id,
        defaults={
            "user": reply.user,
            "is_turn": entry["kind"] == TURN,
            "is_useful": is_useful,
            "score": None if entry["reason"] in STANDING else level_of(entry, reply.receipt),
            "embedding_model": reply.receipt.get("embedding_model") or model_name(),
        },
    )
    return kept


def candidates(marks: Sequence[MemoryMark]) -> list[Candidate]:
    """For each floor, what it would have lost of these marks and let through."""
    useful = [mark.score or 0.0 for mark in marks if mark.is_useful]
    useless = [mark.score or 0.0 for mark in marks if not mark.is_useful]
    return [
        Candidate(
            floor,
            lost=share(value < floor for value in useful),
            false=share(value >= floor for value in useless),
        )
        for floor in STEPS
    ]


def level_of(entry: dict[str, Any], receipt: dict[str, Any]) -> float:
    """The highest floor at which this entry of a receipt would still have been told."""
    score: float = entry["score"]
    if entry["kind"] != TURN:
        return score
    turns = (each for each in scored(receipt) if each["kind"] == TURN)
    return level(score, max(turn["score"] for turn in turns), receipt.get("clear", 0.0))


def scored(receipt: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for part in RECALLED for entry in receipt.get(part, [])]


def share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 0.0


def suggested(of: Sequence[Candidate]) -> Candidate:
    """Of the floors that lose hardly anything, the one that lets the least through.

    Of several such the highest: nothing was marked that scored far lower, so nothing is known of
    it. The lowest of all if each one loses too much.
    """
    gentle = [each for each in of if each.lost <= MOST_LOST] or of[:1]
    return min(gentle, key=lambda each: (each.false, each.lost, -each.floor))
