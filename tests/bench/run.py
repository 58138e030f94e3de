"""All measures, one after the other, and what becomes of them."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench import background, installed, mem0, prompts, remembering, streaming, waiting
from tests.bench.stack import AT_ONCE, fake_model, product
from tests.bench.table import Row, lines

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"


def main() -> None:
    """Print the table; fail when a ratio is far from its goal."""
    arguments = argparse.ArgumentParser(prog="make bench", description=main.__doc__)
    arguments.add_argument("measures", nargs="*", choices=[*MEASURES, *BESIDES, []])
    arguments.add_argument("--write", action="store_true", help=f"renew the table in {PAGE.name}")
    asked = arguments.parse_args()
    rows = [row for name in asked.measures or MEASURES for row in measured(name)]
    if asked.write:
        write(rows)
    failing = [row.what for row in rows if row.fails]
    if failing:
        sys.exit("Far from the goal: " + "; ".join(failing))


def measured(name: str) -> list[Row]:
    rows = list((MEASURES | BESIDES)[name]())
    sys.stdout.write("\n".join([*lines(rows), "", ""]))
    sys.stdout.flush()
    return rows


def several_streams() -> Iterator[Row]:
    yield from streaming.rows(int(os.environ.get("BENCH_STREAMS", "50")))


def one_person() -> Iterator[Row]:
    with fake_model() as model, product(model, AT_ONCE, "--no-worker") as web:
        yield from waiting.first_token(model, web)
        yield from waiting.pages()
        yield from remembering.rows()


def long_chat() -> Iterator[Row]:
    yield Row("installed packages", installed.megabytes(), "MB", at_most=700)
    with fake_model() as model, product(model, prompts.REPLY) as everything:
        yield from prompts.rows(model, everything, int(os.environ.get("BENCH_TURNS", "200")))


def beside_mem0() -> Iterator[Row]:
    with fake_model() as model, product(model, AT_ONCE, "--no-worker"):
        yield from mem0.rows()


MEASURES = {
    "streams": several_streams,
    "person": one_person,
    "chat": long_chat,
    "jobs": background.rows,
}
# Only when it is named, for it needs what the project doesn't.
BESIDES = {"mem0": beside_mem0}


def write(rows: list[Row]) -> None:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{chr(10).join(lines(rows))}\n\n{END}{after}")
