"""`manage.py backup FILE`: everything that is kept, in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp import backups, supervisor
from memoryapp.embedded_postgres import PostgresError


class Command(BaseCommand):
    help = (
        "Write the database and the secret key to one file, while everything goes on. It holds "
        "all that people said: keep it as safe as the server."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file that doesn't exist yet")

    def handle(self, *, file: Path, **options: Any) -> None:
        supervisor.stop_on_signals()  # else what is written so far would be left lying
        try:
            backups.make(file)
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was written.") from None
        except (backups.BackupError, PostgresError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Written to {file}: {file.stat().st_size / 1e6:.1f} MB.")
