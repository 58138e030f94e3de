"""Rewrite the tables that hold people's words, so that deleted rows leave the disk."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from memoryapp.models import (
    Chat,
    Fact,
    Forgotten,
    MemoryEvent,
    Message,
    Passage,
    Prompt,
    Resource,
    Usage,
)

TABLES = (Chat, Message, Fact, Prompt, Forgotten, MemoryEvent, Resource, Passage, Usage)


class Command(BaseCommand):
    help = (
        "Rewrites the tables that hold people's words, so that what was deleted or forgotten "
        "leaves the disk at once. Each table is locked while it is rewritten, seconds for a "
        "small installation. Backups made before keep what they hold."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            for table in TABLES:
                name = table._meta.db_table
                cursor.execute(f"vacuum (full, analyze) {connection.ops.quote_name(name)}")
                self.stdout.write(f"Rewrote {name}")
            # Old row images also stand in the write-ahead log until it is recycled.
            cursor.execute("checkpoint")
