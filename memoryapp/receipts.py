"""What went into a reply: the receipt that is kept with it, and the prompt it was given."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from memoryapp.agents import talker
from memoryapp.memory.recall.memories import Memory
from memoryapp.models import Message


@dataclass
class Receipt:
    """What went into one reply, as it is kept with it."""

    memory_on: bool
    model: str
    label: str
    is_offline: bool
    instead_of: str = ""  # the model that was to answer and failed before its first word
    now: str = ""
    memories: list[dict[str, Any]] = field(default_factory=list)
    near_misses: list[dict[str, Any]] = field(default_factory=list)
    turns: list[dict[str, Any]] = field(default_factory=list)
    archive: list[dict[str, Any]] = field(default_factory=list)  # what the talker looked up
    resources: list[dict[str, Any]] = field(default_factory=list)
    prompts: list[dict[str, str]] = field(default_factory=list)
    instructions: str = ""  # what a program added to its request, for this reply only
    history: list[str] = field(default_factory=list)
    summary_message_id: str | None = None
    window: int = 0
    without: list[str] = field(default_factory=list)
    continues: str | None = None  # id of the version that this reply goes on with
    begun_chars: int = 0  # so many of the text are of that version
    clear: float = 0.0  # how far over the floor the best old turn had to stand
    recall_timed_out: bool = False
    embedding_model: str = ""
    tokens: dict[str, int] = field(default_factory=dict)
    milliseconds: dict[str, int] = field(default_factory=dict)

    def noted(self) -> dict[str, Any]:
        """As it is kept with the reply, so far."""
        return dict(vars(self))


def sent_prompt(reply: Message) -> talker.Prompt | None:
    """The prompt that `reply` answered, put together again from its receipt.

    Forgotten memories stand in it as "[forgotten]". None if the reply has no receipt.
    """
    receipt = reply.receipt
    if not receipt or reply.parent is None:
        return None
    history = reply.chat.archive.filter(pk__in=receipt["history"])
    context = talker.Context(
        persona=tuple(prompt["text"] for prompt in receipt["prompts"]),
        memories=tuple(Memory(**memory) for memory in receipt["memories"]),
        turns=tuple(Memory(**memory) for memory in receipt["turns"]),
        history=tuple(
            talker.Said(cast(talker.Role, message.role), message.told) for message in history
        ),
        now=datetime.fromisoformat(receipt["now"]),
        search_resources=nothing_found,
        search_archive=nothing_found,
        begun=reply.body[: receipt.get("begun_chars", 0)],
        memory_on=receipt["memory_on"],
        wishes=talker.Wishes(receipt.get("instructions", "")),
    )
    return talker.prompt(reply.parent.body, context)


async def nothing_found(query: str) -> list[str]:
    return []
