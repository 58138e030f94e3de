"""The times that a question names: "in May 2023", "letzten Freitag", "yesterday", "next week"."""

import calendar
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from memoryapp.memory.recall.ranking import Span

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
} | {"sept": 9}
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
DAYS_FROM_TODAY = {
    "vorgestern": -2,
    **dict.fromkeys(("yesterday", "gestern"), -1),
    **dict.fromkeys(("today", "tonight", "heute"), 0),
    **dict.fromkeys(("tomorrow", "morgen"), 1),
    **dict.fromkeys(("day after tomorrow", "übermorgen"), 2),
}
WEEK, MONTH = ("week", "woche"), ("month", "monat")
WEEKEND = ("weekend", "wochenende")

LAST = r"(?:last|this past|letzte[nrs]?|vorige[nrs]?|vergangene[nrs]?)"
NEXT = r"(?:next|coming|nächste[nrs]?|kommende[nrs]?)"
THIS = r"(?:this|at the|on the|over the|diese[nrsm]?|am)"
WHICH = rf"(?:(?P<last>{LAST})|(?P<next>{NEXT})|{THIS})"
NAMES = "|".join(sorted(MONTH_OF, key=len, reverse=True))
PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "iso": r"\b(?P<y>[12]\d{3})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b",
        "numbers": r"\b(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./](?P<y>[12]\d{3})\b",
        "han": r"(?P<y>[12]\d{3})年(?:(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?)?",
        "month": r"(?:\b(?P<d1>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?"
        rf"(?P<within>\b(?:in|im)\s+)?\b(?P<month>{NAMES})\b\.?"
        r"(?:\s+(?P<d2>\d{1,2})(?:st|nd|rd|th)?\b(?!\d|:))?,?(?:\s+(?P<y>[12]\d{3})\b)?",
        "weekday": rf"\b(?:{WHICH}|on|by|until|bis)\s+(?P<weekday>{'|'.join(WEEKDAY_OF)})\b",
        "day": rf"\b(?P<day>{'|'.join(DAYS_FROM_TODAY)})\b",
        "unit": rf"\b{WHICH}\s+(?P<unit>{'|'.join((*WEEKEND, *WEEK, *MONTH))}|year|jahr)(?:es)?\b",
        "year": r"(?<![\d.,/-])(?P<y>(?:19|20)\d{2})(?![\d/-]|[.,]\d)",
    }.items()
}


def spans_in(question: str, now: datetime, *, ahead: bool = False) -> list[Span]:
    """The times that the question names, as seconds since 1970; days as they are in `now`'s zone.

    Months and days without a year are the last ones before `now`, or if it looks `ahead` the
    next ones. Of numbers that can be read in two ways both readings count.
    """
    found: list[tuple[date, date]] = []
    for name, pattern in PATTERNS.items():
        for match in pattern.finditer(question):
            found += days(name, match.groupdict(), now.date(), ahead=ahead)
        # What remains of a date once it is read is no other date.
        question = pattern.sub(" ", question)
    return [
        (
            datetime(start.year, start.month, start.day, tzinfo=now.tzinfo).timestamp(),
            datetime(end.year, end.month, end.day, tzinfo=now.tzinfo).timestamp(),
        )
        for start, end in found
    ]


def untimed(question: str) -> str:
    """The question without the times that it names."""
    for pattern in PATTERNS.values():
        question = pattern.sub(" ", question)
    return question


def days(
    pattern: str, part: dict[str, str | None], today: date, *, ahead: bool
) -> Iterator[tuple[date, date]]:
    """The first day of each span, and the first one after it."""
    if pattern == "numbers":
        for month, day in {(part["a"], part["b"]), (part["b"], part["a"])}:
            yield from calendar_days(part["y"], month, day, today, ahead=ahead)
    elif pattern == "month":
        name = str(part["month"]).lower()
        day, year = part["d1"] or part["d2"], part["y"]
        # "may" and "mar" are words of their own, but for a day, a year or an "in" beside them.
        if day or year or part["within"] or len(name) > 3:
            yield from calendar_days(year, str(MONTH_OF[name]), day, today, ahead=ahead)
    elif pattern == "weekday":
        is_ahead = bool(part["next"]) or (ahead and not part["last"])
        yield one_day(weekday(WEEKDAY_OF[str(part["weekday"]).lower()], today, ahead=is_ahead))
    elif pattern == "day":
        yield one_day(today + timedelta(DAYS_FROM_TODAY[str(part["day"]).lower()]))
    elif pattern == "unit":
        yield unit(str(part["unit"]).lower(), bool(part["next"]) - bool(part["last"]), today)
    else:
        yield from calendar_days(part["y"], part.get("m"), part.get("d"), today, ahead=ahead)


def one_day(day: date) -> tuple[date, date]:
    return day, day + timedelta(1)


def weekday(number: int, today: date, *, ahead: bool) -> date:
    """The last such day before today, or today or the next one."""
    if ahead:
        return today + timedelta((number - today.weekday()) % 7)
    return today - timedelta((today.weekday() - number - 1) % 7 + 1)


def unit(name: str, step: int, today: date) -> tuple[date, date]:
    """The week, weekend, month or year that today is in, or so many further."""
    monday = today + timedelta(7 * step - today.weekday())
    if name in WEEK:
        return monday, monday + timedelta(7)
    if name in WEEKEND:
        return monday + timedelta(5), monday + timedelta(7)
    if name in MONTH:
        month = 12 * today.year + today.month - 1 + step
        return first_of(month), first_of(month + 1)
    return date(today.year + step, 1, 1), date(today.year + step + 1, 1, 1)


def first_of(month: int) -> date:
    """The first day of a month, counted from the year 0."""
    return date(month // 12, month % 12 + 1, 1)


def calendar_days(
    year: str | None, month: str | None, day: str | None, today: date, *, ahead: bool
) -> Iterator[tuple[date, date]]:
    """The day, month or year, or nothing if there is none such."""
    y, m, d = (int(number) if number else None for number in (year, month, day))
    if m is None:
        if y is not None:
            yield date(y, 1, 1), date(y + 1, 1, 1)
        return
    if y is None:
        y = year_of(m, d, today, ahead=ahead)
    if not 1 <= m <= 12 or (d is not None and not 1 <= d <= calendar.monthrange(y, m)[1]):
        return
    if d is not None:
        yield one_day(date(y, m, d))
    else:
        yield date(y, m, 1), date(y + m // 12, m % 12 + 1, 1)


def year_of(month: int, day: int | None, today: date, *, ahead: bool) -> int:
    """The year of the last such month or day that has begun, or of the next that is not over."""
    if ahead:
        return today.year + ((month, day or 31) < (today.month, today.day))
    return today.year - ((month, day or 1) > (today.month, today.day))
