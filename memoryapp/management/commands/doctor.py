"""`manage.py doctor`: what is well, what is wrong, why, and what to do about it."""

import argparse
import json
import sys
from typing import Any

from django.core.management.base import BaseCommand

from memoryapp.doctor.examination import examine, parts
from memoryapp.doctor.findings import Finding, Level


class Command(BaseCommand):
    help = (
        "Look for the usual causes of trouble, each on one line with what to do. It changes nothing"
        " and prints no secrets. Ends with 1 if there is a problem."
    )
    requires_system_checks = ()  # they are among what it looks at

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--no-models",
            action="store_true",
            help="ask no model, which costs a fraction of a cent at a provider",
        )
        parser.add_argument("--json", action="store_true", help="print it for a program to read")

    def handle(self, *, no_models: bool, **options: Any) -> None:
        width = max(map(len, parts(asks=False)))
        found = []
        for part, finding in examine(asks=not no_models):
            found.append({"part": part, "level": finding.level, "says": finding.says})
            if not options["json"]:
                self.stdout.write(f"{self.styled(finding)}  {part:{width}}  {finding.says}")
        levels = [each["level"] for each in found]
        if options["json"]:
            self.stdout.write(json.dumps(found, indent=2, ensure_ascii=False))
        else:
            self.stdout.write(
                f"Problems: {levels.count(Level.PROBLEM)}, warnings: {levels.count(Level.WARNING)}."
            )
        if Level.PROBLEM in levels:
            sys.exit(1)

    def styled(self, finding: Finding) -> str:
        styles = {
            Level.OK: self.style.SUCCESS,
            Level.WARNING: self.style.WARNING,
            Level.PROBLEM: self.style.ERROR,
        }
        return str(styles[finding.level](f"{finding.level:7}"))
