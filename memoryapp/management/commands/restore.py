"""`manage.py restore FILE`: what a backup holds, in the place of everything that is here."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp import backups
from memoryapp.embedded_postgres import PostgresError


class Command(BaseCommand):
    help = (
        "Replace everything that is here by what a backup holds. Stop the web server and the "
        "worker first. What was forgotten since the backup was made is back then: forget it again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `manage.py backup` has written")
        parser.add_argument("--yes", action="store_true", help="don't ask whether that is meant")

    def handle(self, *, file: Path, yes: bool, **options: Any) -> None:
        if not yes and not self._is_meant():
            raise CommandError("Nothing was changed. With --yes it isn't asked.")
        try:
            left_to_do = backups.restore(file)
        except (backups.BackupError, PostgresError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored from {file}. Start everything again. {left_to_do}".strip())

    def _is_meant(self) -> bool:
        if not sys.stdin.isatty():
            return False
        return input("This replaces everything that is here. Type yes to go on: ") == "yes"
