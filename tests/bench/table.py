"""What was measured, beside its floor and its goal: on the terminal and in docs/performance.md."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure. Goals are those of the project; floors are what nothing could be under.

    `margin` says how far beyond the goal a figure fails the run: only ratios have one, because a
    busy machine stretches bare times.
    """

    what: str
    measured: float
    unit: str = ""
    floor: str = ""
    at_most: float | None = None
    at_least: float | None = None
    margin: float | None = None

    @property
    def goal(self) -> str:
        if self.at_most is not None:
            return f"at most {shown(self.at_most)}"
        return f"at least {shown(self.at_least)}" if self.at_least is not None else ""

    @property
    def is_met(self) -> bool:
        return self.excess <= 1

    @property
    def excess(self) -> float:
        """How many times beyond its goal the figure is; 1 or less when the goal is met."""
        if self.at_most is not None:
            return self.measured / self.at_most
        return self.at_least / max(self.measured, 1e-9) if self.at_least is not None else 0.0

    @property
    def fails(self) -> bool:
        return self.margin is not None and self.excess > self.margin


def shown(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.3g}"


def lines(rows: Sequence[Row]) -> list[str]:
    """A Markdown table whose columns also line up on a terminal; ratios come first."""
    head = ("what", "measured", "goal", "", "floor")
    body = [
        (row.what, f"{shown(row.measured)} {row.unit}".strip(), row.goal, verdict(row), row.floor)
        for row in sorted(rows, key=lambda row: bool(row.unit))
    ]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    rule = ["-" * width for width in widths]
    return [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))} |"
        for cells in (head, rule, *body)
    ]


def verdict(row: Row) -> str:
    if not row.goal:
        return ""
    return "met" if row.is_met else "missed"
