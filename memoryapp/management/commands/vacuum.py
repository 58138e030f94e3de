"""`manage.py vacuum`: rewrite all tables, so that deleted rows leave the disk."""

from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand
from django.db import connection


class Command(BaseCommand):
    help = (
        "Rewrite all tables of memoryapp, so that what was deleted or forgotten leaves the disk "
        "at once. Each table is locked while it is rewritten, seconds for a small installation. "
        "Backups made before keep what they hold."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            # All of them: words, and vectors that tell of words, stand in more than those of texts.
            for table in apps.get_app_config("memoryapp").get_models():
                name = table._meta.db_table
                cursor.execute(f"vacuum (full, analyze) {connection.ops.quote_name(name)}")
                self.stdout.write(f"Rewrote {name}")
            # Old row images also stand in the write-ahead log until it is recycled.
            cursor.execute("checkpoint")
