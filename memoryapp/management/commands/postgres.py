"""`manage.py postgres`: the embedded PostgreSQL, by hand."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memoryapp import embedded_postgres
from memoryapp.embedded_postgres import PostgresError


class Command(BaseCommand):
    help = "Start or stop the embedded PostgreSQL, or tell whether it runs (exit code 3: no)."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("action", choices=("start", "stop", "status"))

    def handle(self, *, action: str, **options: Any) -> None:
        if not settings.IS_POSTGRES_EMBEDDED:
            raise CommandError("DATABASE_URL is set, so the embedded PostgreSQL isn't used.")
        data_dir = settings.EMBEDDED_POSTGRES_DIR
        try:
            if action == "start":
                is_new = embedded_postgres.start(data_dir)
                self.stdout.write(f"Started in {data_dir}." if is_new else "It runs already.")
            elif action == "stop":
                was_running = embedded_postgres.stop(data_dir)
                self.stdout.write("Stopped." if was_running else "It wasn't running.")
            elif embedded_postgres.is_running(data_dir):
                self.stdout.write(f"PostgreSQL runs: {embedded_postgres.uri(data_dir)}")
            else:
                raise CommandError("PostgreSQL isn't running.", returncode=3)
        except PostgresError as error:
            raise CommandError(str(error)) from error
