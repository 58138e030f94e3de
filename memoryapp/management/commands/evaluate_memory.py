"""`manage.py evaluate_memory`: how often memory goes wrong, in scripted chats."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memoryapp.evaluation import running
from memoryapp.evaluation.progress import Progress
from memoryapp.evaluation.rates import GOALS, MEANINGS, Rates, table
from memoryapp.evaluation.scenarios import ScenarioError, read


class Command(BaseCommand):
    help = (
        "Run scripted chats with throw-away people and print how often something was"
        " stored, kept or told that mustn't be, or lost. Nothing of it stays in the database."
        " Exits with 1 when a rate is over its goal."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--model",
            default="",
            help="a real extractor, such as ollama:qwen3:8b; without it a scripted one that"
            " misbehaves in every way that was ever seen",
        )
        parser.add_argument(
            "--scenarios",
            type=Path,
            default=settings.BASE_DIR / "tests" / "scenarios",
            help="the folder of the scenarios",
        )
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            scenarios = read(options["scenarios"])
            progress = Progress(2 * len(scenarios))
            rates, control = (
                running.evaluate(
                    scenarios, model=options["model"], memory_on=memory_on, tell=progress.step
                )
                for memory_on in (True, False)
            )
            progress.end()
        except ScenarioError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_json(rates, control), indent=2, ensure_ascii=False))
        else:
            self.stdout.write(as_text(rates, control, len(scenarios)))
        if rates.over_goal:
            sys.exit(1)


def as_json(rates: Rates, control: Rates) -> dict[str, Any]:
    def numbers(of: Rates) -> dict[str, Any]:
        return {name: vars(tally) for name, tally in of.tallies.items()}

    return {
        "rates": numbers(rates),
        "control": numbers(control),
        "goals": GOALS,
        "over_goal": rates.over_goal,
        "failures": [vars(failure) for failure in rates.failures],
    }


def as_text(rates: Rates, control: Rates, num_scenarios: int) -> str:
    rows = [
        (
            name,
            str(rates.tallies[name]),
            f"{rates.tallies[name].share:.1%}",
            f"{goal:.0%}",
            str(control.tallies[name]),
            MEANINGS[name],
        )
        for name, goal in GOALS.items()
    ]
    header = ("rate", "failed/checked", "share", "goal", "memory off", "what it counts")
    lines = [f"{num_scenarios} scenarios", "", table(header, rows)]
    if rates.failures:
        lines += ["", "What failed:"]
        lines += [f"- {each.rate}: {each.scenario}: {each.what}" for each in rates.failures]
    return "\n".join(lines)
