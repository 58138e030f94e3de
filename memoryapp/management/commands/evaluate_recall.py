"""`manage.py evaluate_recall FILE`: how well recall finds what answers a question."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memoryapp.evaluation import recall
from memoryapp.evaluation.locomo import CATEGORIES, FileError, read
from memoryapp.evaluation.progress import Progress
from memoryapp.evaluation.rates import table
from memoryapp.evaluation.recall import DEPTHS, FLOORS, Findings, Found
from memoryapp.memory.embeddings import model_name


class Command(BaseCommand):
    help = (
        "Load conversations in LoCoMo's form as throw-away people's memory, ask their questions"
        " and print what recall found of the evidence. Nothing of it stays in the database."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a JSON file in LoCoMo's form")
        parser.add_argument(
            "--limit", type=int, default=0, help="ask only the first N questions of each"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            conversations = read(options["file"])
        except FileError as error:
            raise CommandError(str(error)) from error
        limit = max(0, options["limit"])
        asked = [each.questions[: limit or None] for each in conversations]
        progress = Progress(sum(map(len, asked)))
        findings = recall.measure(conversations, limit=limit, progress=progress)
        progress.end()
        if not findings.found:
            raise CommandError(f"No question in {options['file']} has evidence among its turns.")
        self.stdout.write(as_text(findings))


def as_text(findings: Findings) -> str:
    header = ("questions", "n", *(f"recall@{depth}" for depth in DEPTHS), "MRR")
    rows = [row("all but adversarial", findings.of())]
    rows += [row(name, findings.of(number)) for number, name in CATEGORIES.items()]
    rows += [row(f"category {number}", findings.of(number)) for number in findings.unnamed]
    told = findings.of()
    tokens = f"{settings.RECALL_TOKENS:,}"
    return "\n\n".join(
        (
            f"Embedding model: {model_name()}",
            table(header, [each for each in rows if each[1] != "0"]),
            f"A reply's memory, within {tokens} tokens, {settings.RECALL_LIMIT} facts and"
            f" {settings.RECALL_LIMIT} turns: {mean_of(told, 'covered')} of the evidence, in"
            f" {recall.mean(each.tokens for each in told):.0f} tokens on average and"
            f" {findings.median_milliseconds} ms (median).",
            floors(findings),
        )
    )


def row(name: str, found: list[Found]) -> tuple[str, ...]:
    depths = (f"{recall.mean(each.recall_at(depth) for each in found):.3f}" for depth in DEPTHS)
    rank = recall.mean(each.reciprocal_rank for each in found)
    return name, str(len(found)), *depths, f"{rank:.3f}"


def mean_of(found: list[Found], field: str) -> str:
    return f"{recall.mean(getattr(each, field) for each in found):.3f}"


def floors(findings: Findings) -> str:
    if not findings.strange:
        return "The floor's curve needs a second conversation, whose questions fit nothing here."
    rows = [
        (f"{floor:.2f}", f"{findings.lost(floor):.1%}", f"{findings.false(floor):.1%}")
        for floor in FLOORS
    ]
    return table(("floor", "evidence lost", "questions about nothing with a turn"), rows)
