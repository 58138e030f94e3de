"""What makes saved rows findable by meaning: their vectors, and the parts of long messages."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple

from django.contrib.postgres.search import SearchVector
from django.db.models import Q, QuerySet, Value

from memoryapp.memory.embeddings import (
    BATCH,
    MINILM,
    EmbeddingUnavailable,
    embed_documents,
    fill,
    lacking,
    model_name,
)
from memoryapp.memory.passages import PASSAGE_TOKENS, split
from memoryapp.memory.resources import read
from memoryapp.models import (
    Fact,
    Message,
    MessagePart,
    MessageSpare,
    Passage,
    Prompt,
    Resource,
)
from memoryapp.models.fields import SearchText
from memoryapp.models.messages import MessageQuerySet
from memoryapp.tokens import num_tokens


class Stretch(NamedTuple):
    start: int  # in code points
    end: int
    text: str


def index_messages(messages: QuerySet[Message], *, seconds: float = inf) -> int:
    """Give a vector to those messages that lack one, and parts with theirs to the long ones.

    Says how many messages got theirs. No new batch, of messages or of parts, is begun after
    `seconds`. May run again at any time, or twice at once: a message gets its own vector last, so
    what was cut short is taken up again. Raises EmbeddingUnavailable.
    """
    end = time.monotonic() + seconds
    keys = list(messages.filter(lacking()).values_list("pk", flat=True))
    filled = 0
    for start in range(0, len(keys), BATCH):
        batch = messages.filter(pk__in=keys[start : start + BATCH])
        # All parts of a message are made at once, so one that has any has all.
        MessagePart.objects.bulk_create(
            [part for message in batch.filter(parts=None) for part in parts_of(message)],
            ignore_conflicts=True,
        )
        parts = MessagePart.objects.filter(message__in=batch).with_text()
        behind = list(parts.filter(lacking()).values_list("pk", flat=True))
        for first in range(0, len(behind), BATCH):
            if time.monotonic() > end:
                return filled
            index_parts(parts.filter(pk__in=behind[first : first + BATCH]))
        if time.monotonic() > end:
            return filled
        filled += fill(batch, lambda message: message.body)
    return filled


def index_facts(facts: QuerySet[Fact]) -> int:
    """Give a vector to those facts that lack one. Raises EmbeddingUnavailable."""
    return fill(facts, lambda fact: fact.text)


def index_new(row: Fact | Prompt) -> None:
    """Give a fact that is about to be saved its vector by the built-in model, so that it is found
    by meaning from the moment it is known. A model elsewhere is asked by the task that follows, for
    whoever saves it holds its owner's memory and the chat that taught it; words find it till then.
    """
    if isinstance(row, Fact) and model_name() == MINILM:
        with suppress(EmbeddingUnavailable):
            [row.embedding], row.embedding_model = embed_documents([row.text], model=MINILM), MINILM


def index_parts(parts: QuerySet[MessagePart]) -> int:
    return fill(parts, text_of)


def findable() -> MessageQuerySet:
    """The messages that have, or should have, a vector."""
    spoken: MessageQuerySet = Message.objects.spoken().filter(is_recallable=True, is_on_record=True)
    return spoken.exclude(status=Message.Status.STREAMING).filter(body__regex=r"\S")


def take_off_record(message: Message) -> None:
    """Keep a message and the replies to it from being found outside of their chat."""
    replies = Q(parent=message, role=Message.Role.ASSISTANT)
    both = Message.objects.for_user(message.user).filter(Q(pk=message.pk) | replies)
    take_out(both, is_on_record=False)


def take_out(messages: QuerySet[Message], **why: bool) -> None:
    """Keep messages from being found, whichever of their flags says why."""
    MessagePart.objects.filter(message__in=messages).delete()
    MessageSpare.objects.filter(row__in=messages).delete()
    messages.update(embedding=None, **why)


def current_facts() -> QuerySet[Fact]:
    return Fact.objects.filter(valid_to=None)


def index_missing(*, seconds: float) -> bool:
    """Give a vector to whatever lacks one, and say whether that is all of it.

    No new batch is begun after `seconds`. Raises EmbeddingUnavailable.
    """
    end = time.monotonic() + seconds
    is_behind = lacking()
    indexed: tuple[tuple[QuerySet[Any], Callable[[QuerySet[Any]], int]], ...] = (
        (current_facts(), index_facts),
        (findable(), lambda rows: index_messages(rows, seconds=end - time.monotonic())),
        (MessagePart.objects.with_text(), index_parts),
    )
    for rows, index in indexed:
        while keys := list(rows.filter(is_behind).values_list("pk", flat=True)[:BATCH]):
            if time.monotonic() > end or not index(rows.filter(pk__in=keys)):
                return False
    unread = Passage.objects.filter(is_behind).values("resource")
    for resource in Resource.objects.filter(pk__in=unread):
        if not read(resource, seconds=end - time.monotonic()):
            return False
    return True


def num_behind(is_behind: Q) -> int:
    """How many texts are so, of all that have, or should have, a vector."""
    searched = (current_facts(), findable(), MessagePart.objects.all(), Passage.objects.all())
    return sum(rows.filter(is_behind).count() for rows in searched)


def parts_of(message: Message) -> Iterator[MessagePart]:
    if num_tokens(message.body) <= PASSAGE_TOKENS:
        return
    for position, stretch in enumerate(stretches(message.body)):
        yield MessagePart(
            user_id=message.user_id,
            message=message,
            position=position,
            start=stretch.start,
            end=stretch.end,
            config=message.config,
            tsv=SearchVector(SearchText(Value(stretch.text)), config=message.config),
        )


def stretches(body: str) -> Iterator[Stretch]:
    """Where in the body its passages stand."""
    end = 0
    for text in split(body):
        start = body.index(text, end)
        end = start + len(text)
        yield Stretch(start, end, text)


def text_of(part: MessagePart) -> str:
    return part.text
