"""`manage.py calibrate`: the floor of recall, from what people marked as useful or not."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memoryapp.evaluation.rates import table
from memoryapp.memory import marks
from memoryapp.memory.embeddings import model_name
from memoryapp.memory.recall import floors
from memoryapp.models import MemoryMark


class Command(BaseCommand):
    help = (
        "Print what each floor of recall would have lost and let through of the memories that"
        " people marked, and suggest one. Changes nothing without --apply."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--apply", action="store_true", help="use the suggested floor from now on"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        given = list(MemoryMark.objects.telling(model_name()))
        useful = sum(mark.is_useful for mark in given)
        self.stdout.write(
            f"Embedding model {model_name()}: {len(given)} marks, {useful} of them useful."
            f" The floor is {floors.floor():.2f}."
        )
        if len(given) < marks.FEWEST_MARKS or useful in (0, len(given)):
            self.stdout.write(
                f"That is too little to go by: at least {marks.FEWEST_MARKS} marks are needed, of"
                " both kinds. Nothing was changed. People give marks under their replies, or by"
                " POST /api/v1/messages/<id>/marks."
            )
            return
        candidates = marks.candidates(given)
        chosen = marks.suggested(candidates)
        self.stdout.write(as_table(candidates, chosen))
        if options["apply"]:
            floors.keep(chosen.floor, num_marks=len(given))
            self.stdout.write(f"The floor is {chosen.floor:.2f} from now on.")
        else:
            self.stdout.write(f"Suggested: {chosen.floor:.2f}. To use it, add --apply.")


def as_table(candidates: list[marks.Candidate], chosen: marks.Candidate) -> str:
    rows = [
        (
            f"{each.floor:.2f}",
            f"{each.lost:.1%}",
            f"{each.false:.1%}",
            "suggested" if each == chosen else "",
        )
        for each in candidates
    ]
    return table(("floor", "useful ones lost", "useless ones told", ""), rows)
