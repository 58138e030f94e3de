"""Bars of days, as numbers that a template draws: an SVG without a script or a style."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

HEIGHT = 100  # of the drawing, which is stretched to its place
GAP = 0.3  # of a bar's place


@dataclass(frozen=True)
class Bar:
    day: date
    number: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Chart:
    """A bar for each day, the last one for the last day. The highest fills the height."""

    bars: tuple[Bar, ...]

    @property
    def first(self) -> Bar:
        return self.bars[0]

    @property
    def last(self) -> Bar:
        return self.bars[-1]

    @property
    def total(self) -> int:
        return sum(bar.number for bar in self.bars)

    @property
    def highest(self) -> Bar:
        return max(self.bars, key=lambda bar: bar.number)


def by_day(numbers: Iterable[tuple[date, int]], last: date, days: int) -> Chart:
    """Numbers of one day are added up; a day without any has a bar of no height."""
    counted: dict[date, int] = {}
    for day, number in numbers:
        counted[day] = counted.get(day, 0) + number
    most = max(counted.values(), default=0) or 1
    step = HEIGHT / days
    bars = []
    for place in range(days):
        day = last - timedelta(days=days - 1 - place)
        number = counted.get(day, 0)
        height = round(HEIGHT * number / most, 1)
        x, width = round(step * (place + GAP / 2), 2), round(step * (1 - GAP), 2)
        bars.append(Bar(day, number, x, round(HEIGHT - height, 1), width, height))
    return Chart(tuple(bars))


def tokens(usage: Iterable[Mapping[str, Any]], last: date, days: int) -> Chart:
    """Tokens in and out by day, of all agents."""
    spent = ((day["day"], day["tokens_in"] + day["tokens_out"]) for day in usage)
    return by_day(spent, last, days)
