"""`manage.py worker`: the background work of this machine."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from memoryapp import checks, supervisor
from memoryapp.watchdog import Watchdog


class Command(BaseCommand):
    help = "Do the background work: learning, condensing, titles, embeddings."
    requires_system_checks = (checks.TAG,)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--patience",
            type=float,
            default=30,
            metavar="SECONDS",
            help="how long a task may wait while nothing is being worked on (default: 30)",
        )

    def handle(self, *, patience: float, **options: Any) -> None:
        supervisor.stop_on_signals()
        watchdog = Watchdog(patience=patience)
        try:
            watchdog.run()
        except KeyboardInterrupt:
            supervisor.ignore_signals()
        finally:
            watchdog.stop()
