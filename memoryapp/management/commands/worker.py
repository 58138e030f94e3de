"""`manage.py worker`: the background work of this machine."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from memoryapp import checks, supervisor
from memoryapp.watchdog import PATIENCE_SECONDS, STOP_SECONDS, Watchdog


class Command(BaseCommand):
    help = "Do the background work: learning, condensing, titles, embeddings."
    requires_system_checks = (checks.TAG,)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--patience",
            type=float,
            default=PATIENCE_SECONDS,
            metavar="SECONDS",
            help="how long a task may wait while nothing is being worked on (default: %(default)g)",
        )

    def handle(self, *, patience: float, **options: Any) -> None:
        supervisor.stop_on_signals()
        watchdog = Watchdog(patience=patience)
        watchdog.begin()
        try:
            watchdog.thread.join()
        except KeyboardInterrupt:
            supervisor.ignore_signals()
        finally:
            watchdog.end()
            supervisor.stop([watchdog.cluster], seconds=STOP_SECONDS)
