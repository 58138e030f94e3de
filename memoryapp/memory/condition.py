"""How a memory is doing: what no reply uses, what is said twice or in dispute, what it costs."""

from dataclasses import dataclass
from datetime import timedelta
from statistics import mean
from typing import Any

import numpy as np
from django.db.models import F
from django.utils import timezone

from memoryapp.memory import embeddings
from memoryapp.models import Fact, Message, Prompt, User
from memoryapp.models.memory import RememberedQuerySet, Status
from memoryapp.tokens import num_tokens

UNUSED_FOR = timedelta(days=90)
NEW_FOR = timedelta(days=7)  # what is newer had no chance to be used
LIST_MOST = 20
COMPARED_MOST = 2000  # the newest facts; comparing these takes some tens of milliseconds
# With MiniLM two wordings of one fact are 0.83 to 0.93 near, two facts of one form 0.6 to 0.75.
ALIKE = 0.8
REPLIES = 50

Rows = RememberedQuerySet[Any]


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
    return facts.order_by("last_used_at")[:LIST_MOST]


def never_used(user: User) -> Rows:
    """Facts that no reply has ever used though there was time for it, oldest first."""
    before = timezone.now() - NEW_FOR
    facts = _used(user).filter(use_count=0, recorded_at__lt=before)
    return facts.order_by("recorded_at")[:LIST_MOST]


def near_duplicates(user: User) -> list[Pair]:
    """Facts that say almost the same, nearest first."""
    facts = list(
        _used(user)
        .filter(embedding_model=embeddings.model_name(), embedding__isnull=False)
        .values_list("pk", "subject", "embedding")
        .order_by("-recorded_at")[:COMPARED_MOST]
    )
    if len(facts) < 2:
        return []
    vectors = np.array([embedding for *_, embedding in facts], dtype=np.float32)
    cosines = np.triu(vectors @ vectors.T, k=1)
    firsts, seconds = np.nonzero(cosines >= ALIKE)
    near = sorted(zip(cosines[firsts, seconds], firsts, seconds, strict=True), reverse=True)
    about_the_same = [
        (cosine, facts[one][0], facts[other][0])
        for cosine, one, other in near
        if facts[one][1] == facts[other][1]
    ][:LIST_MOST]
    ids = {pk for _, *pair in about_the_same for pk in pair}
    rows = _used(user).in_bulk(ids)
    return [Pair(rows[one], rows[other], float(cosine)) for cosine, one, other in about_the_same]


def conflicts(user: User) -> list[Pair]:
    """What waits for the person's word though something else is known under the same name."""
    pairs = []
    for table in (Fact, Prompt):
        rows: Any = table.objects.for_user(user).current().select_related("source_message__chat")
        known = {row.place: row for row in rows.exclude(status=Status.PENDING)}
        waiting = rows.filter(status=Status.PENDING).order_by("recorded_at")
        pairs += [Pair(known[row.place], row) for row in waiting if row.place in known]
    return pairs[:LIST_MOST]


def cost(user: User) -> Cost:
    """What memory adds to a prompt: the persona always, memories as they were recalled."""
    persona = Prompt.objects.persona_of(user).values_list("value", flat=True)
    replies = Message.objects.for_user(user).filter(receipt__has_key="tokens")
    tokens = replies.order_by("-created_at").values_list("receipt__tokens__memory", flat=True)
    spent = [number for number in tokens[:REPLIES] if number is not None]
    return Cost(sum(map(num_tokens, persona)), round(mean(spent)) if spent else 0, len(spent))


def open_tasks(user: User) -> Rows:
    """Tasks that are not done, those that are due first; a task without a day comes last."""
    tasks: Rows = Fact.objects.for_user(user).current().filter(kind=Fact.Kind.TASK)
    tasks = tasks.exclude(status=Status.PENDING).select_related("source_message__chat")
    return tasks.order_by(F("due_at").asc(nulls_last=True), "-recorded_at")


def _used(user: User) -> Rows:
    """Facts that may be recalled."""
    facts: Rows = Fact.objects.for_user(user).in_use()
    return facts.select_related("source_message__chat")
