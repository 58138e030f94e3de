"""Background work: worker, queue and what failed, Redis, and what is found by meaning."""

from collections.abc import Iterator
from datetime import timedelta

import redis
from django.conf import settings
from django.utils import timezone
from django.utils.text import capfirst
from django_q.models import Failure

from memoryapp.doctor import ready
from memoryapp.doctor.findings import Finding, ok, problem, warning
from memoryapp.memory import embeddings, indexing

REDIS_SECONDS = 3
RECENTLY = timedelta(days=1)


def bus() -> Iterator[Finding]:
    """Whether Redis answers, where one is set."""
    if not settings.REDIS_URL:
        yield ok("PostgreSQL's NOTIFY.")
        return
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=REDIS_SECONDS, socket_timeout=REDIS_SECONDS
        ) as server:
            server.ping()
    except (redis.RedisError, ValueError) as error:
        # What is no address is not repeated: its password may stand in it.
        why = str(error).rstrip(".") if isinstance(error, redis.RedisError) else "no such address"
        yield problem(
            f"The Redis of REDIS_URL can't be used ({why}), so pages don't hear of what is"
            " written: start it, correct the address (redis://host:6379/0), or leave REDIS_URL"
            " out, where PostgreSQL is enough."
        )
    else:
        yield ok("Redis answers.")


def worker() -> Iterator[Finding]:
    if ready.worker():
        yield problem(
            "None is alive, so nothing is learned and nothing condensed: start one with"
            " `manage.py worker`, or everything with `make run`."
        )
    else:
        yield ok("One is alive.")


def tasks() -> Iterator[Finding]:
    """Whether they are done, and soon."""
    if late := ready.tasks():
        yield warning(
            f"{capfirst(late)}: start a worker if none is alive, or more of them"
            " (WORKERS), and see at /admin/ what waits."
        )
        return
    failed = Failure.objects.filter(stopped__gt=timezone.now() - RECENTLY)
    if number := failed.count():
        names = sorted({name.rpartition(".")[2] for name in failed.values_list("func", flat=True)})
        yield warning(
            f"{number} failed within a day ({', '.join(names)}): see at /admin/ why, and try them"
            " again there once that is mended."
        )
    else:
        yield ok("None waits too long, and none failed within a day.")


def embedding(*, asks: bool) -> Iterator[Finding]:
    """Whether texts can be found by meaning, and all of them are."""
    model = embeddings.model_name()
    try:
        if asks or model == embeddings.MINILM:
            embeddings.embed_query("ready")
    except embeddings.EmbeddingUnavailable as error:
        yield problem(f"{error} Until it can, memory is found by its words alone.")
        return
    if behind := indexing.num_behind(embeddings.lacking(model)):
        yield warning(
            f"{behind:,} texts have no vector of {model} yet and are found by their words alone: a"
            " worker makes up for that, so this number should fall."
        )
    elif model != settings.EMBEDDING_MODEL:
        yield ok(
            f"{model}, which `manage.py reembed` has chosen, so EMBEDDING_MODEL counts no more; all"
            " texts have their vectors."
        )
    else:
        yield ok(f"{model}, and all texts have their vectors.")
