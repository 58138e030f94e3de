"""Many rows at once, with vectors as far apart as those of texts about different things."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

import numpy as np
from django.utils import timezone

from memoryapp.memory import embeddings
from memoryapp.models import Chat, Fact, Message, User

DIMENSIONS = 384
random = np.random.default_rng(7)
THINGS = ("bicycle", "garden", "piano", "kitchen", "boat", "camera", "tent", "lamp", "desk", "coat")
PLACES = ("cellar", "attic", "hall", "shed", "office", "cabin", "garage", "studio", "loft", "yard")


def sentence(number: int) -> str:
    thing, place = THINGS[number % 10], PLACES[number // 10 % 10]
    return f"the {thing} number {number} stands in the {place} beside box {number // 100}"


def vectors(number: int) -> Iterator[list[float]]:
    rows = random.standard_normal((number, DIMENSIONS))
    yield from (row.tolist() for row in rows / np.linalg.norm(rows, axis=1, keepdims=True))


def facts(user: User, number: int) -> None:
    model = embeddings.model_name()
    Fact.objects.bulk_create(
        Fact(
            user=user,
            key=f"thing_{index}",
            value=sentence(index),
            origin="user",
            actor=user.username,
            embedding=vector,
            embedding_model=model,
        )
        for index, vector in enumerate(vectors(number))
    )


def chat_of(user: User, num_turns: int, kept: int = 10) -> Chat:
    """A chat of so many turns, all but the newest `kept` messages condensed into a summary."""
    chat = Chat.objects.create(user=user, title="Things", title_source="manual")
    began = timezone.now() - timedelta(days=30)
    rows = list(turns(chat, num_turns, began))
    for earlier, later in zip(rows, rows[1:], strict=False):
        later.parent_id = earlier.pk
    Message.objects.bulk_create(rows)
    if covered := rows[:-kept]:
        summary = Message.objects.create(
            chat=chat,
            user=user,
            role=Message.Role.SUMMARY,
            body="Where things stand. " * 20,
            created_at=covered[-1].created_at,
        )
        Message.objects.filter(pk__in=[row.pk for row in covered]).update(evicted_by=summary)
    return chat


def turns(chat: Chat, number: int, began: datetime) -> Iterable[Message]:
    model = embeddings.model_name()
    for index, vector in enumerate(vectors(2 * number)):
        yield Message(
            chat=chat,
            user=chat.user,
            role=Message.Role.ASSISTANT if index % 2 else Message.Role.USER,
            body=f"I see, {sentence(index)}."
            if index % 2
            else f"Where is it? I think {sentence(index)}.",
            created_at=began + timedelta(seconds=index),
            is_extracted=True,
            embedding=vector,
            embedding_model=model,
        )
