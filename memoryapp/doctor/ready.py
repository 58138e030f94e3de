"""What must be there for the product to do its work, as `/readyz` and `manage.py doctor` ask.

Each check says what is wrong in a sentence, or nothing, and may raise one of `FAILURES`.
"""

from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connection

from memoryapp import database, heartbeat, queue
from memoryapp.memory import embeddings

FAILURES = (Error, ImproperlyConfigured, embeddings.EmbeddingUnavailable)
QUEUE_AGE_MAX = timedelta(minutes=5)


def reachable() -> str:
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    return ""


def migrations() -> str:
    missing = database.num_missing_migrations()
    return f"{missing} migrations are missing: run `manage.py migrate`" if missing else ""


def worker() -> str:
    return "" if heartbeat.num_workers() else "no worker is alive: start `manage.py worker`"


def tasks() -> str:
    age = queue.longest_wait()
    return f"a task has waited for {age.total_seconds():.0f} s" if age > QUEUE_AGE_MAX else ""


def embedder() -> str:
    # A hosted model would be paid for each time that somebody asks.
    if embeddings.model_name() == embeddings.MINILM:
        embeddings.embed_query("ready")
    return ""


PARTS = {
    "database": reachable,
    "migrations": migrations,
    "worker": worker,
    "queue": tasks,
    "embedder": embedder,
}
