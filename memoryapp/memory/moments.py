"""The times that a question names: "in May 2023", "letzten Freitag", "2023-05-07", "yesterday"."""

import calendar
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from memoryapp.memory.ranking import Span

MONTHS = (
    ("january", "januar", "jänner"),
    ("february", "februar", "feber"),
    ("march", "märz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
MONTH_OF = {
    spelling: number
    for number, names in enumerate(MONTHS, 1)
    for name in names
    for spelling in {name, name[:3]}
}
WEEKDAYS = (
    ("monday", "montag"),
    ("tuesday", "dienstag"),
    ("wednesday", "mittwoch"),
    ("thursday", "donnerstag"),
    ("friday", "freitag"),
    ("saturday", "samstag", "sonnabend"),
    ("sunday", "sonntag"),
)
WEEKDAY_OF = {name: number for number, names in enumerate(WEEKDAYS) for name in names}
DAYS_AGO = {
    **dict.fromkeys(("today", "heute"), 0),
    **dict.fromkeys(("yesterday", "gestern"), 1),
    "vorgestern": 2,
}

LAST = r"(?:last|this past|letzte[nrs]?|vorige[nrs]?|vergangene[nrs]?)"
NAMES = "|".join(sorted(MONTH_OF, key=len, reverse=True))
PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "iso": r"\b(?P<y>[12]\d{3})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b",
        "numbers": r"\b(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./](?P<y>[12]\d{3})\b",
        "han": r"(?P<y>[12]\d{3})年(?:(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?)?",
        "month": r"(?:\b(?P<d1>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?"
        rf"\b(?P<month>{NAMES})\b\.?"
        r"(?:\s+(?P<d2>\d{1,2})(?:st|nd|rd|th)?\b(?!\d|:))?,?(?:\s+(?P<y>[12]\d{3})\b)?",
        "weekday": rf"\b(?:{LAST}|on|am)\s+(?P<weekday>{'|'.join(WEEKDAY_OF)})\b",
        "ago": rf"\b(?P<ago>{'|'.join(DAYS_AGO)})\b",
        "last": rf"\b{LAST}\s+(?P<unit>week|month|year|woche|monat|jahr)(?:es)?\b",
        "year": r"(?<![\d.,/-])(?P<y>(?:19|20)\d{2})(?![\d/-]|[.,]\d)",
    }.items()
}


def spans_in(question: str, now: datetime) -> list[Span]:
    """The times that the question names, as seconds since 1970; days as they are in `now`'s zone.

    Months and days without a year are the last ones before `now`. Of numbers that can be read
    in two ways both readings count.
    """
    found: list[tuple[date, date]] = []
    for name, pattern in PATTERNS.items():
        for match in pattern.finditer(question):
            found += days(name, match.groupdict(), now.date())
        # What remains of a date once it is read is no other date.
        question = pattern.sub(" ", question)
    return [
        (
            datetime(start.year, start.month, start.day, tzinfo=now.tzinfo).timestamp(),
            datetime(end.year, end.month, end.day, tzinfo=now.tzinfo).timestamp(),
        )
        for start, end in found
    ]


def days(pattern: str, part: dict[str, str | None], today: date) -> Iterator[tuple[date, date]]:
    """The first day of each span, and the first one after it."""
    if pattern == "numbers":
        for month, day in {(part["a"], part["b"]), (part["b"], part["a"])}:
            yield from calendar_days(part["y"], month, day, today)
    elif pattern == "month":
        name = str(part["month"]).lower()
        day, year = part["d1"] or part["d2"], part["y"]
        # "may" and "mar" are words of their own without a day or a year.
        if day or year or len(name) > 3:
            yield from calendar_days(year, str(MONTH_OF[name]), day, today)
    elif pattern == "weekday":
        back = (today.weekday() - WEEKDAY_OF[str(part["weekday"]).lower()] - 1) % 7 + 1
        yield one_day(today - timedelta(back))
    elif pattern == "ago":
        yield one_day(today - timedelta(DAYS_AGO[str(part["ago"]).lower()]))
    elif pattern == "last":
        yield last(str(part["unit"]).lower(), today)
    else:
        yield from calendar_days(part["y"], part.get("m"), part.get("d"), today)


def one_day(day: date) -> tuple[date, date]:
    return day, day + timedelta(1)


def last(unit: str, today: date) -> tuple[date, date]:
    if unit in ("week", "woche"):
        monday = today - timedelta(today.weekday())
        return monday - timedelta(7), monday
    if unit in ("month", "monat"):
        first = today.replace(day=1)
        return (first - timedelta(1)).replace(day=1), first
    return date(today.year - 1, 1, 1), date(today.year, 1, 1)


def calendar_days(
    year: str | None, month: str | None, day: str | None, today: date
) -> Iterator[tuple[date, date]]:
    """The day, month or year, or nothing if there is none such."""
    y, m, d = (int(number) if number else None for number in (year, month, day))
    if m is None:
        if y is not None:
            yield date(y, 1, 1), date(y + 1, 1, 1)
        return
    if y is None:
        y = today.year - ((m, d or 1) > (today.month, today.day))
    if not 1 <= m <= 12 or (d is not None and not 1 <= d <= calendar.monthrange(y, m)[1]):
        return
    if d is not None:
        yield one_day(date(y, m, d))
    else:
        yield date(y, m, 1), date(y + m // 12, m % 12 + 1, 1)
