"""Conversations with questions about them, in the form of the LoCoMo benchmark.

A file is a JSON list of

    {"sample_id": "conv-1",
     "conversation": {"speaker_a": "Ada", "speaker_b": "Ben",
                      "session_1_date_time": "1:56 pm on 8 May, 2023",
                      "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "Hello"}]},
     "qa": [{"question": "...", "evidence": ["D1:1"], "category": 1}],
     "observation": {"session_1_observation": {"Ada": [["Ada said hello.", "D1:1"]]}}}

`observation`, facts with the turns they come from, may be missing.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

TURN_ID = re.compile(r"D\d+:\d+")
TIME = "%I:%M %p on %d %B, %Y"
BETWEEN_TURNS = timedelta(seconds=30)
# LoCoMo asks these to see whether a model admits that nobody said so; their evidence is a decoy.
ADVERSARIAL = 5
CATEGORIES = {
    1: "several turns",
    2: "time",
    3: "common sense",
    4: "one turn",
    ADVERSARIAL: "adversarial",
}


class FileError(Exception):
    """A file can't be read; the message says why and what is expected."""


@dataclass(frozen=True)
class Turn:
    id: str
    session: int
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True)
class Question:
    text: str
    evidence: frozenset[str]  # ids of turns
    category: int


@dataclass(frozen=True)
class Observation:
    text: str
    turns: tuple[str, ...]


@dataclass(frozen=True)
class Conversation:
    name: str
    user: str  # the speaker whose memory it is
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    observations: tuple[Observation, ...]


def read(path: Path) -> list[Conversation]:
    """The conversations of a file. Raises FileError."""
    try:
        return [conversation_of(sample) for sample in json.loads(path.read_text())]
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(
            f"{path} is not in LoCoMo's form ({error!r}). It must be a JSON list of conversations"
            " with `conversation` and `qa`; see memoryapp/evaluation/locomo.py."
        ) from error


def conversation_of(sample: dict[str, Any]) -> Conversation:
    spoken = sample["conversation"]
    turns = tuple(turns_of(spoken))
    ids = {turn.id for turn in turns}
    return Conversation(
        name=str(sample.get("sample_id", "")),
        user=spoken["speaker_a"],
        turns=turns,
        questions=tuple(questions_of(sample["qa"], ids)),
        observations=tuple(observations_of(sample.get("observation", {}))),
    )


def turns_of(spoken: dict[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(key.removeprefix("session_")) for key in spoken if is_session(key))
    for number in numbers:
        began = moment(spoken.get(f"session_{number}_date_time", ""), number)
        for place, turn in enumerate(spoken[f"session_{number}"]):
            # A shared picture is known by its caption only.
            text = " ".join(filter(None, (turn["text"], turn.get("blip_caption"))))
            said_at = began + place * BETWEEN_TURNS
            yield Turn(turn["dia_id"], number, turn["speaker"], text or "…", said_at)


def is_session(key: str) -> bool:
    return re.fullmatch(r"session_\d+", key) is not None


def moment(text: str, number: int) -> datetime:
    """When a session began; without a time, sessions are a day apart."""
    if not text:
        return datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=number)
    return datetime.strptime(text, TIME).replace(tzinfo=UTC)


def questions_of(asked: list[dict[str, Any]], ids: set[str]) -> Iterator[Question]:
    """The questions that have evidence among the turns."""
    for each in asked:
        named = TURN_ID.findall(" ".join(map(str, each.get("evidence", []))))
        if evidence := frozenset(named) & ids:
            yield Question(each["question"], evidence, each.get("category", 0))


def observations_of(by_session: dict[str, Any]) -> Iterator[Observation]:
    for by_speaker in by_session.values():
        for notes in by_speaker.values():
            for text, *source in notes:
                yield Observation(text, tuple(TURN_ID.findall(str(source))))
