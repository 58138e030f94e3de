"""`manage.py qcluster`: django-q2's cluster, whose processes share what all of them need."""

import gc
from typing import Any

from django_q.management.commands.qcluster import Command as QCluster

from memoryapp.agents import asking, extractor, llm, summarizer
from memoryapp.memory import embeddings

SHARED = (asking, extractor, summarizer)  # imported before the fork: tasks do when they need them


class Command(QCluster):
    def handle(self, *args: Any, **options: Any) -> None:
        embeddings.prepare()
        llm.prepare()
        # Collecting writes to all that it looks at, and what is written to is no longer shared.
        gc.collect()
        gc.freeze()
        super().handle(*args, **options)
