"""How well recall finds the turns that answer a question, through the product's own code."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from statistics import fmean, median
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import transaction

from memoryapp.evaluation.locomo import ADVERSARIAL, CATEGORIES, Conversation, Question
from memoryapp.evaluation.progress import Progress
from memoryapp.memory import ledger, recall
from memoryapp.memory.indexing import index_facts, index_messages
from memoryapp.memory.recall import choosing
from memoryapp.models import Chat, Fact, Message, User
from memoryapp.tokens import num_tokens

DEPTHS = (5, 10, 20)
FLOORS = tuple(step / 20 for step in range(4, 25))  # .2 to 1.2, on the scale of facts
BEST = 8  # turns, of whose evidence it is counted what a floor keeps out
STRANGE_QUESTIONS = 40  # of other conversations, for each: nothing here fits them


@dataclass(frozen=True)
class Found:
    """What one question brought up."""

    category: int
    num_evidence: int
    ranks: tuple[int, ...]  # of the evidence among the turns, from 1
    covered: float  # share of the evidence in what a reply would be told
    tokens: int  # that this takes
    levels: tuple[float, ...]  # how far the evidence among the best stands, as floors go

    def recall_at(self, depth: int) -> float:
        return sum(rank <= depth for rank in self.ranks) / self.num_evidence

    @property
    def reciprocal_rank(self) -> float:
        return 1 / min(self.ranks) if self.ranks else 0.0


@dataclass
class Findings:
    found: list[Found] = field(default_factory=list)
    strange: list[float] = field(default_factory=list)  # the best turn's level, nothing fitting
    milliseconds: list[int] = field(default_factory=list)

    def of(self, category: int | None = None) -> list[Found]:
        """By category; those that somebody can answer, without one."""
        if category is None:
            return [each for each in self.found if each.category != ADVERSARIAL]
        return [each for each in self.found if each.category == category]

    @property
    def unnamed(self) -> list[int]:
        """Categories that LoCoMo doesn't have."""
        return sorted({each.category for each in self.found} - set(CATEGORIES))

    @property
    def median_milliseconds(self) -> int:
        return round(median(self.milliseconds))

    def lost(self, floor: float) -> float:
        """The share of the evidence among the best that a floor keeps out."""
        levels = [level for each in self.of() for level in each.levels]
        return mean(level < floor for level in levels)

    def false(self, floor: float) -> float:
        """The share of questions about nothing that bring up a turn in spite of the floor."""
        return mean(level >= floor for level in self.strange)


def mean(values: Iterable[float]) -> float:
    counted = list(values)
    return fmean(counted) if counted else 0.0


def measure(conversations: Sequence[Conversation], *, limit: int, progress: Progress) -> Findings:
    """Ask every conversation its questions, the first `limit` of each if that isn't 0.

    Each is a throw-away person's, in a transaction that is rolled back.
    """
    findings = Findings()
    for conversation in conversations:
        others = [other for other in conversations if other is not conversation]
        with throw_away_person(conversation) as asking:
            progress.say(f"embedding the {len(conversation.turns)} turns of {conversation.name}")
            asking.index()
            for question in conversation.questions[: limit or None]:
                progress.step(conversation.name)
                findings.found.append(asking.ask(question))
                findings.milliseconds.append(asking.milliseconds)
            findings.strange += [asking.best_level(text) for text in strange_to(others)]
    return findings


def strange_to(others: Sequence[Conversation]) -> list[str]:
    """Questions about other people's lives, the same ones in each run."""
    texts = [each.text for other in others for each in other.questions]
    return random.Random(0).sample(texts, min(STRANGE_QUESTIONS, len(texts)))


@contextmanager
def throw_away_person(conversation: Conversation) -> Iterator["Asking"]:
    with transaction.atomic():
        try:
            user = User.objects.create(
                username=f"evaluation-{uuid4().hex}", first_name=conversation.user
            )
            yield Asking(user, conversation)
        finally:
            transaction.set_rollback(True)


class Asking:
    """One conversation as somebody's memory."""

    def __init__(self, user: User, conversation: Conversation) -> None:
        self.user = user
        self.conversation = conversation
        self.chat = Chat.objects.create(user=user)
        self.turn_of: dict[str, str] = {}  # by the id of its message
        self.milliseconds = 0

    def index(self) -> None:
        """Store the turns, each session as a chat, and the observations as facts."""
        messages = list(self._messages())
        Message.objects.bulk_create(messages)
        sources = dict(zip((turn.id for turn in self.conversation.turns), messages, strict=True))
        self.turn_of = {str(message.pk): turn for turn, message in sources.items()}
        for number, observation in enumerate(self.conversation.observations, 1):
            said = [sources[turn] for turn in observation.turns if turn in sources]
            with suppress(ValidationError):  # an observation of somebody's password
                ledger.remember(
                    user=self.user,
                    table="fact",
                    key=f"note_{number}",
                    value=observation.text,
                    actor="evaluation",
                    origin="import",
                    source_message=said[0] if said else None,
                )
        index_messages(Message.objects.for_user(self.user))
        index_facts(Fact.objects.for_user(self.user))

    @property
    def clear(self) -> float:
        return choosing.clear_of(len(self.turn_of))

    def _messages(self) -> Iterator[Message]:
        chats: dict[int, Chat] = defaultdict(lambda: Chat.objects.create(user=self.user))
        for turn in self.conversation.turns:
            is_own = turn.speaker == self.conversation.user
            yield Message(
                user=self.user,
                chat=chats[turn.session],
                role=Message.Role.USER if is_own else Message.Role.ASSISTANT,
                body=turn.text,
                created_at=turn.said_at,
                config=self.user.search_config,
            )

    def ask(self, question: Question) -> Found:
        best = recall.search(self.user, question.text, kind="turn", limit=max(DEPTHS))
        ranked = [self.turn_of[memory.id] for memory in best]
        told = recall.recall(self.user, self.chat, question.text)
        self.milliseconds = told.milliseconds
        memories = [*told.memories, *told.turns]
        turns = {self.turn_of.get(memory.source_message_id or "") for memory in memories}
        return Found(
            category=question.category,
            num_evidence=len(question.evidence),
            ranks=tuple(rank for rank, turn in enumerate(ranked, 1) if turn in question.evidence),
            covered=len(turns & question.evidence) / len(question.evidence),
            tokens=sum(num_tokens(memory.text) for memory in memories),
            levels=tuple(
                choosing.level(memory.score, best[0].score, self.clear)
                for memory, turn in zip(best[:BEST], ranked[:BEST], strict=True)
                if turn in question.evidence
            ),
        )

    def best_level(self, question: str) -> float:
        best = recall.search(self.user, question, kind="turn", limit=1)
        return best[0].score - self.clear if best else 0.0
