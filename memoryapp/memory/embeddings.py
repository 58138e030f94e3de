"""Texts to unit vectors, by the built-in model or by the one that is set instead."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from memoryapp.memory import embedder
from memoryapp.models import EmbeddingChoice
from memoryapp.models.fields import Searchable

if TYPE_CHECKING:
    from pydantic_ai.providers import Provider

logger = logging.getLogger(__name__)

MINILM = "minilm"
# Of a longer text only the beginning counts. 4,000 characters are more than MiniLM reads and, at
# two tokens a character, still within the 8,191 tokens that hosted models take.
MAX_CHARS = 4000
BATCH = 32
TELL_AGAIN_SECONDS = 3600
NO_ANSWER = gettext_noop("there was no answer within {} seconds")
UNUSABLE = gettext_noop(
    "The embedding model {} can't be used: {}. Check EMBEDDING_MODEL, its key and whether its "
    "server can be reached."
)
UNUSABLE_HERE = gettext_noop("The built-in embedding model can't be used: {}")
AWAY = gettext_noop("its process doesn't answer. If it has ended, it is being started again.")
MISCOUNTED = gettext_noop("The embedding model {} gave {} vectors for {} texts.")

Vector = list[float]
Kind = Literal["query", "document"]
Row = TypeVar("Row", bound=Searchable)
Result = TypeVar("Result")


class EmbeddingUnavailable(Exception):
    """The embedding model can't be used now; the message says why and what to do."""


def model_name() -> str:
    """The stamp of vectors in use: what `manage.py reembed` switched to, else EMBEDDING_MODEL.

    Vectors of another stamp can't be compared with them.
    """
    chosen = EmbeddingChoice.objects.values_list("model", flat=True).first()
    return chosen or str(settings.EMBEDDING_MODEL)


_told: dict[str, float] = {}  # what is wrong with the model, and when that was said


@contextmanager
def telling() -> Iterator[None]:
    """Have the log say that the model can't be used, once and each hour, and that it can again."""
    now = time.monotonic()
    try:
        yield
    except EmbeddingUnavailable as error:
        trouble = str(error)
        if trouble not in _told or now - _told[trouble] >= TELL_AGAIN_SECONDS:
            logger.warning("%s Until it can, memory is found by its words alone.", trouble)
            _told.clear()
            _told[trouble] = now
        raise
    if _told:
        _told.clear()
        logger.info("The embedding model can be used again")


def prepare() -> None:
    """Load the model unless it runs elsewhere. That takes a second, and only the first time.

    One that can't be used is told of, and nobody is kept from doing without.
    """
    if settings.EMBEDDING_MODEL == MINILM:
        with suppress(EmbeddingUnavailable):
            embed_query("ready", model=MINILM)


def embed_query(text: str, *, model: str = "", seconds: float = 10) -> Vector:
    """The unit vector of a question, or EmbeddingUnavailable after `seconds` at the latest.

    `model` is the one in use unless it is named.
    """
    return embed("query", [text], model or model_name(), seconds)[0]


def embed_documents(texts: Sequence[str], *, model: str = "") -> list[Vector]:
    """A unit vector for each text. Raises EmbeddingUnavailable."""
    return embed("document", texts, model or model_name(), seconds=60)


def embed(kind: Kind, texts: Sequence[str], model: str, seconds: float) -> list[Vector]:
    """A unit vector for each text, by this model. Raises EmbeddingUnavailable."""
    texts = [text[:MAX_CHARS] for text in texts]
    vectors: list[Vector] = []
    with telling():
        if model == MINILM:
            return [built_in(text, seconds) for text in texts]
        for start in range(0, len(texts), BATCH):
            vectors += ask(kind, texts[start : start + BATCH], model, seconds)
    return vectors


def built_in(text: str, seconds: float) -> Vector:
    try:
        return unit(embedder.embed(text, seconds))
    except embedder.Away as error:
        raise EmbeddingUnavailable(UNUSABLE_HERE.format(AWAY)) from error
    except (ImproperlyConfigured, OSError) as error:
        raise EmbeddingUnavailable(UNUSABLE_HERE.format(error)) from error


def unit(vector: np.ndarray) -> Vector:
    length = float(np.linalg.norm(vector))
    return [float(number) for number in (vector / length if length else vector)]


def lacking(model: str = "") -> Q:
    """The condition that a row has no vector of this model, or of the one in use."""
    return Q(embedding=None) | ~Q(embedding_model=model or model_name())


def fill(queryset: QuerySet[Row], text_of: Callable[[Row], str]) -> int:
    """Embed the rows that lack a vector of the current model, and say how many those were.

    Rows are written by `update()`, so no signal fires, and two runs at once do no harm. Rows with
    a blank text stay without a vector. Raises EmbeddingUnavailable; what was written stays.
    """
    model = model_name()
    keys = list(queryset.filter(lacking(model)).values_list("pk", flat=True))
    filled = 0
    for start in range(0, len(keys), BATCH):
        rows = queryset.filter(lacking(model), pk__in=keys[start : start + BATCH])
        texts = {row.pk: text for row in rows if (text := text_of(row)).strip()}
        vectors = embed_documents(list(texts.values()), model=model)
        for key, vector in zip(texts, vectors, strict=True):
            filled += queryset.filter(pk=key).update(embedding=vector, embedding_model=model)
    return filled


def ask(kind: Kind, texts: Sequence[str], name: str, seconds: float) -> list[Vector]:
    from pydantic_ai.exceptions import AgentRunError, UserError

    try:
        answers = hosted(name, os.getpid()).embed(kind, texts, seconds)
    except (AgentRunError, UserError, ImportError, ValueError, TimeoutError) as error:
        reason = str(error) or NO_ANSWER.format(f"{seconds:g}")
        raise EmbeddingUnavailable(UNUSABLE.format(name, reason)) from error
    if len(answers) != len(texts):
        raise EmbeddingUnavailable(MISCOUNTED.format(name, len(answers), len(texts)))
    return [unit(np.array(answer)) for answer in answers]


class Hosted:
    """A provider's embedding model for callers in any thread.

    Its HTTP client stays on one event loop in a thread of its own, so that connections are kept.
    """

    def __init__(self, name: str) -> None:
        from pydantic_ai.embeddings import infer_embedding_model

        self.provider = provider(name.partition(":")[0])
        self.model = infer_embedding_model(name, provider_factory=lambda _: self.provider)
        self.loop = asyncio.new_event_loop()
        self.thread = Thread(target=self.loop.run_forever, name="embeddings", daemon=True)
        self.thread.start()
        self.run(self.provider.__aenter__())

    def run(self, work: Coroutine[object, object, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def embed(self, kind: Kind, texts: Sequence[str], seconds: float) -> Sequence[Sequence[float]]:
        async def answer() -> Sequence[Sequence[float]]:
            async with asyncio.timeout(seconds):
                return (await self.model.embed(list(texts), input_type=kind)).embeddings

        return self.run(answer())

    def close(self) -> None:
        """Close the connections and end the thread."""
        self.run(self.provider.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@lru_cache(maxsize=2)
def hosted(name: str, pid: int) -> Hosted:
    # The process is part of the key: a forked worker has the parent's objects, not its threads.
    return Hosted(name)


def provider(name: str) -> "Provider[Any]":
    from pydantic_ai.providers import infer_provider

    if name == "ollama":
        from pydantic_ai.providers.ollama import OllamaProvider

        return OllamaProvider(base_url=settings.OLLAMA_BASE_URL)
    return infer_provider(name)
