"""How a memory is doing: what no reply uses, what is said twice or in dispute, what it costs."""

from dataclasses import dataclass
from datetime import timedelta
from statistics import mean
from typing import Any

import numpy as np
from django.db.models import BinaryField, Exists, F, Func
from django.utils import timezone

from memoryapp.memory import embeddings, inbox
from memoryapp.models import Fact, Message, Prompt, User
from memoryapp.models.memory import RememberedQuerySet, Status
from memoryapp.tokens import num_tokens

UNUSED_FOR = timedelta(days=90)
NEW_FOR = timedelta(days=7)  # what is newer had no chance to be used
LIST_MOST = 10
COMPARED_MOST = 2000  # the newest facts; comparing these takes some tens of milliseconds
# With MiniLM two wordings of one fact are 0.83 to 0.93 near, two facts of one form 0.6 to 0.75.
ALIKE = 0.8
REPLIES = 50
HALFVEC_HEAD = 4

Rows = RememberedQuerySet[Any]


class HalfvecSend(Func):
    """A vector as PostgreSQL sends it: four bytes, then numbers of two bytes each."""

    function = "halfvec_send"
    output_field = BinaryField()


@dataclass(frozen=True)
class Pair:
    """Two rows that may be about the same thing."""

    one: Fact | Prompt
    other: Fact | Prompt
    cosine: float | None = None


@dataclass(frozen=True)
class Cost:
    """Tokens, all of them estimates."""

    persona: int  # in each reply
    average: int  # of memories, over the last replies
    num_replies: int


def stale(user: User) -> Rows:
    """Facts that no reply has used for a long time, those unused longest first."""
    before = timezone.now() - UNUSED_FOR
    facts = _used(user).filter(last_used_at__lt=before)
    return facts.order_by("last_used_at").with_source()[:LIST_MOST]


def never_used(user: User) -> Rows:
    """Facts that no reply has ever used though there was time for it, oldest first."""
    before = timezone.now() - NEW_FOR
    facts = _used(user).filter(use_count=0, recorded_at__lt=before)
    return facts.order_by("recorded_at").with_source()[:LIST_MOST]


def near_duplicates(user: User) -> list[Pair]:
    """Facts that say almost the same, nearest first."""
    facts = list(
        _used(user)
        .filter(embedding_model=embeddings.model_name(), embedding__isnull=False)
        .values_list("pk", "subject", HalfvecSend("embedding"))
        .order_by("-recorded_at")[:COMPARED_MOST]
    )
    if len(facts) < 2:
        return []
    ids, subjects, sent = zip(*facts, strict=True)
    vectors = np.array([np.frombuffer(row, ">f2", offset=HALFVEC_HEAD) for row in sent], np.float32)
    _, subject = np.unique(subjects, return_inverse=True)
    cosines = vectors @ vectors.T
    ones, others = np.nonzero(cosines >= ALIKE)
    is_pair = (ones < others) & (subject[ones] == subject[others])
    ones, others = ones[is_pair], others[is_pair]
    near = cosines[ones, others]
    nearest = np.argsort(-near, kind="stable")[:LIST_MOST]
    pairs = [(ids[ones[at]], ids[others[at]]) for at in nearest]
    rows = _used(user).with_source().in_bulk({id for pair in pairs for id in pair})
    return [
        Pair(rows[one], rows[other], float(cosine))
        for (one, other), cosine in zip(pairs, near[nearest], strict=True)
    ]


def conflicts(user: User) -> list[Pair]:
    """What waits for the person's word though something else is known under the same name."""
    pairs = []
    for table in inbox.PLACES:
        rows: Any = table.objects.for_user(user)
        disputed = rows.waiting().filter(Exists(inbox.held_at_place(user, table)))
        waiting = list(disputed.order_by("recorded_at")[:LIST_MOST])
        held = rows.current().exclude(status=Status.PENDING)
        known = {row.place: row for row in held.filter(key__in=[row.key for row in waiting])}
        pairs += [Pair(known[row.place], row) for row in waiting]
    return pairs[:LIST_MOST]


def cost(user: User) -> Cost:
    """What memory adds to a prompt: the persona always, memories as they were recalled."""
    persona = Prompt.objects.persona_of(user).values_list("value", flat=True)
    replies = Message.objects.for_user(user).filter(role=Message.Role.ASSISTANT)
    tokens = replies.order_by("-created_at").values_list("receipt__tokens__memory", flat=True)
    spent = [number for number in tokens[:REPLIES] if number is not None]
    return Cost(sum(map(num_tokens, persona)), round(mean(spent)) if spent else 0, len(spent))


def open_tasks(user: User) -> Rows:
    """Tasks that are not done, those that are due first; a task without a day comes last."""
    tasks: Rows = Fact.objects.for_user(user).current().filter(kind=Fact.Kind.TASK)
    tasks = tasks.exclude(status=Status.PENDING).with_source()
    return tasks.order_by(F("due_at").asc(nulls_last=True), "-recorded_at")


def _used(user: User) -> Rows:
    """Facts that may be recalled."""
    facts: Rows = Fact.objects.for_user(user).in_use()
    return facts
