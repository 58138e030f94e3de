"""Recall beside Mem0's search: the same memories, questions, embedding model and database.

Mem0 is no part of the project; `pip install mem0ai langchain` puts it beside it.
"""

import os
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from statistics import median
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from memoryapp.memory import embeddings, recall
from memoryapp.models import Fact, Message, User
from tests.bench import seeds
from tests.bench.remembering import timed
from tests.bench.table import Row

BATCH = 500


def rows() -> Iterator[Row]:
    big = User.objects.create_user("big")
    seeds.facts(big, 5000)
    chat = seeds.chat_of(big, 2500)
    theirs = mem0_of(big)
    embeddings.prepare()
    ask_mem0 = partial(theirs.search, filters={"user_id": big.username})
    times = [
        (timed(partial(recall.recall, big, chat, question)), timed(partial(ask_mem0, question)))
        for question in map(seeds.sentence, range(3, 63))
    ]
    # The first few fill caches and pools.
    ours, mem0 = (1000 * median(each) for each in zip(*times[10:], strict=True))
    yield Row("recall over 10,000 memories, over Mem0's search", ours / mem0, at_most=0.6, margin=2)
    yield Row("recall over 10,000 memories", ours, unit="ms", at_most=20)
    yield Row("Mem0's search over the same", mem0, unit="ms")


def mem0_of(user: User) -> Any:
    """Mem0 with everything that recall finds of this person, in our database."""
    os.environ.setdefault("MEM0_TELEMETRY", "False")
    os.environ.setdefault("MEM0_DIR", str(settings.DATA_DIR / "mem0"))
    try:
        from langchain.embeddings.base import Embeddings
        from mem0 import Memory
    except ImportError as error:
        sys.exit(f"{error}. Mem0 is compared only where it is: pip install mem0ai langchain")

    class MiniLM(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return embeddings.embed_query(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embeddings.embed_documents(texts)

    params = connection.get_connection_params()
    where = {name: params[name] for name in ("host", "port", "user", "dbname") if params.get(name)}
    memory = Memory.from_config(
        {
            # Its search asks no language model, but it won't start without one.
            "llm": {"provider": "openai", "config": {"api_key": "none"}},
            "embedder": {"provider": "langchain", "config": {"model": MiniLM()}},
            "vector_store": {
                "provider": "pgvector",
                "config": {
                    "connection_string": make_conninfo(**where),
                    "embedding_model_dims": seeds.DIMENSIONS,
                },
            },
        }
    )
    fill(memory.vector_store, user)
    return memory


def fill(store: Any, user: User) -> None:
    """The rows as Mem0 would have stored them, without a language model between."""
    facts = Fact.objects.filter(user=user).values_list("value", "embedding")
    turns = Message.objects.filter(user=user, embedding__isnull=False)
    memories = list(chain(facts, turns.values_list("body", "embedding")))
    for start in range(0, len(memories), BATCH):
        texts, vectors = zip(*memories[start : start + BATCH], strict=True)
        store.insert(
            list(vectors),
            payloads=[
                {"user_id": user.username, "data": text, "text_lemmatized": text.lower()}
                for text in texts
            ],
            ids=[str(uuid4()) for _ in texts],
        )
    with connection.cursor() as cursor:
        cursor.execute("analyze")
