"""`manage.py reembed`: another embedding model, or the one before again."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp import tasks
from memoryapp.memory import reembedding
from memoryapp.memory.embeddings import EmbeddingUnavailable, embed_query, model_name


class Command(BaseCommand):
    help = (
        "Embed everything with another model while the old vectors stay in use, then switch."
        " Interrupted, it goes on where it was when it is run again."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "model", nargs="?", default="", help="minilm, or such as openai:text-embedding-3-small"
        )
        parser.add_argument(
            "--rollback", action="store_true", help="switch back to the model used before"
        )

    def handle(self, *, model: str, rollback: bool, **options: Any) -> None:
        if bool(model) == rollback:
            raise CommandError("Name a model, or --rollback to go back to the one before.")
        if rollback and not (model := reembedding.previous_model()):
            raise CommandError("There was no other model to go back to.")
        if model == model_name():
            raise CommandError(f"{model} is in use already.")
        if not rollback:
            self.prepare(model)
        reembedding.switch(model)
        # What was written since, or has no vector of the earlier model, is found by words
        # until the worker gets to it.
        tasks.enqueue(tasks.embed_missing)
        self.stdout.write(f"{model} is in use.")

    def prepare(self, model: str) -> None:
        try:
            embed_query("ready", model=model)
            reembedding.prepare(model, self.tell)
        except EmbeddingUnavailable as error:
            raise CommandError(f"{error} {model_name()} stays in use.") from error
        self.stdout.write("")

    def tell(self, done: int, total: int) -> None:
        self.stdout.write(f"\r{done:,} of {total:,} embedded", ending="")
        self.stdout.flush()
