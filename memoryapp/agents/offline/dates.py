"""When something is due, from the words for it in English and German."""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeVar

# A day without a time of day is due when a working day begins, or later if that has passed.
DEFAULT_TIMES = (time(9), time(18), time(23, 59))


def _numbered(*rows: str, start: int) -> dict[str, int]:
    return {word: i for i, words in enumerate(rows, start) for word in words.split()}


WEEKDAYS = _numbered(
    "monday montag",
    "tuesday dienstag",
    "wednesday mittwoch",
    "thursday donnerstag",
    "friday freitag",
    "saturday samstag sonnabend",
    "sunday sonntag",
    start=0,
)
MONTHS = _numbered(
    "january jan januar jänner",
    "february feb februar",
    "march mar märz",
    "april apr",
    "may mai",
    "june jun juni",
    "july jul juli",
    "august aug",
    "september sep",
    "october oct oktober okt",
    "november nov",
    "december dec dezember dez",
    start=1,
)
NUMBERS = _numbered(
    "a an one ein eine einem einer",
    "two zwei",
    "three drei",
    "four vier",
    "five fünf",
    "six sechs",
    start=1,
)
# By the first three letters, in both languages; months have no fixed length.
UNITS = {
    "min": timedelta(minutes=1),
    "hou": timedelta(hours=1),
    "stu": timedelta(hours=1),
    "day": timedelta(days=1),
    "tag": timedelta(days=1),
    "wee": timedelta(weeks=1),
    "woc": timedelta(weeks=1),
}

T = TypeVar("T")
Row = tuple[re.Pattern[str], Callable[[re.Match[str], datetime], T | None]]


def due(text: str, now: datetime) -> tuple[str, datetime | None]:
    """`text` without the words that say when, and the moment they mean, seen from `now`.

    Both times are of the same clock: the person's. "Friday" is the next one after today, "next
    Friday" the one of next week (weeks begin on Monday), "3 December" the next such day. A day
    alone means 9:00, or later on the same day when that has passed.
    """
    text, day = _take(text, DAYS, now)
    text, at = _take(text, TIMES, now)
    text = re.sub(r"\s{2,}", " ", text).strip(" ,")
    if day is None and at is None:
        return text, None
    if isinstance(day, datetime):
        return text, day
    times = [at] if at else DEFAULT_TIMES
    moments = [datetime.combine(day or now.date(), each, now.tzinfo) for each in times]
    ahead = next((moment for moment in moments if moment > now), moments[-1])
    return text, ahead + timedelta(days=1) if day is None and ahead <= now else ahead


def _take(text: str, rows: Sequence[Row[T]], now: datetime) -> tuple[str, T | None]:
    """What the first row that fits finds in `text`, and the text without it."""
    for pattern, read in rows:
        match = pattern.search(text)
        if match and (found := read(match, now)) is not None:
            return text[: match.start()] + text[match.end() :], found
    return text, None


def _of_calendar(match: re.Match[str], now: datetime) -> date | None:
    """A day of a month, with or without its year."""
    month = MONTHS.get(match["month"].lower()) or _number(match["month"])
    try:
        day = date(int(match["year"] or now.year), month, int(match["day"]))
        is_past = match["year"] is None and day < now.date()
        return day.replace(year=day.year + 1) if is_past else day
    except ValueError:  # 31 June, or 29 February of a common year
        return None


def _of_month(match: re.Match[str], now: datetime) -> date:
    """The first of a month that is named, or today while it runs."""
    month = MONTHS[match["month"].lower()]
    first = date(int(match["year"] or now.year + (month < now.month)), month, 1)
    return max(first, now.date()) if month == now.month else first


def _of_its_month(match: re.Match[str], now: datetime) -> date | None:
    """The next day with this number."""
    months = (now.month - 1, now.month)
    days = [(now.year + month // 12, month % 12 + 1, int(match["day"])) for month in months]
    return next((date(*day) for day in days if _is_ahead(day, now)), None)


def _is_ahead(day: tuple[int, int, int], now: datetime) -> bool:
    try:
        return date(*day) > now.date()
    except ValueError:  # 31 February
        return False


def _next_month(now: datetime) -> date:
    return (now.date().replace(day=1) + timedelta(days=32)).replace(day=1)


def _of_week(match: re.Match[str], now: datetime) -> date:
    weekday = WEEKDAYS[match["weekday"].lower()]
    if (match["which"] or "").lower().startswith(("next", "nächst")):
        return now.date() + timedelta(days=7 - now.weekday() + weekday)
    return now.date() + timedelta(days=(weekday - now.weekday() - 1) % 7 + 1)


def _from_now(match: re.Match[str], now: datetime) -> date | None:
    number, unit = _number(match["number"]), match["unit"].lower()[:3]
    if unit == "mon":
        years, month = divmod(now.month - 1 + number, 12)
        return date(now.year + years, month + 1, min(now.day, 28))
    moment = now + number * UNITS[unit]
    return moment if UNITS[unit] < timedelta(days=1) else moment.date()


def _number(word: str) -> int:
    return NUMBERS.get(word.lower()) or int(word)


def _clock(match: re.Match[str], now: datetime) -> time | None:
    words = match.groupdict()
    hour = int(words["hour"])
    if half := words.get("half"):
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    minute = int(words.get("minute") or 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _rows(*rows: tuple[str, Callable[[re.Match[str], datetime], T | None]]) -> list[Row[T]]:
    return [(re.compile(pattern, re.IGNORECASE), read) for pattern, read in rows]


ON = r"\b(?:(?:on|by|until|before|due|am|bis zum|bis|vor|zum|den|ab)\s+)?(?:the\s+)?"
AT = r"\b(?:(?:at|by|um|gegen)\s+)?"
MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
WEEKDAY = "|".join(WEEKDAYS)
NUMBER = "|".join([r"\d{1,3}", *NUMBERS])
UNIT = r"(?:minute|hour|day|week|month|stunde|tag|woche|monat)\w*"
YEAR = r"(?:,?\s+(?P<year>\d{4}))?\b"
WHICH = r"next|this|coming|nächste[nr]?|kommende[nr]?|diese[nr]?"

DAYS: list[Row[date]] = _rows(
    (rf"{ON}(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}})\b", _of_calendar),
    (
        rf"{ON}(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month>{MONTH})\b{YEAR}",
        _of_calendar,
    ),
    (rf"{ON}(?P<month>{MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{YEAR}", _of_calendar),
    (rf"{ON}(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}})?", _of_calendar),
    (rf"{ON}(?:(?P<which>{WHICH})\s+)?(?P<weekday>{WEEKDAY})\b", _of_week),
    (
        rf"\b(?:in|im|by|until|bis|ab)\s+(?P<month>{MONTH})\b{YEAR}",
        _of_month,
    ),
    (r"\b(?:on|by|until|before)\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b", _of_its_month),
    (r"\b(?:am|bis zum|zum|vor dem)\s+(?P<day>\d{1,2})\.(?!\d)", _of_its_month),
    (rf"{ON}(?:next month|nächsten? Monat)\b", lambda _, now: _next_month(now)),
    (
        rf"{ON}(?:at\s+)?(?:the\s+)?(?:end of (?:the|this) month|Monatsende|Ende des Monats)\b",
        lambda _, now: _next_month(now) - timedelta(days=1),
    ),
    (
        rf"{ON}(?:at\s+the\s+)?(?:(?:{WHICH}|dieses|nächstes)\s+)?(?:weekend|Wochenende)\b",
        lambda _, now: now.date() + timedelta(days=(4 - now.weekday()) % 7 + 1),
    ),
    (
        r"\bin\s+(?:half an hour|einer halben Stunde)\b",
        lambda _, now: now + timedelta(minutes=30),
    ),
    (
        rf"{ON}(?:day after tomorrow|übermorgen)\b",
        lambda _, now: now.date() + timedelta(days=2),
    ),
    # "Am Morgen" is a time of day; the adverb "morgen" has a small letter.
    (rf"{ON}(?:tomorrow|(?-i:morgen))\b", lambda _, now: now.date() + timedelta(days=1)),
    (rf"{ON}(?:today\b|heute\b|(?=tonight|this evening))", lambda _, now: now.date()),
    (rf"\bin\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})", _from_now),
    (
        rf"{ON}(?:next week|nächsten? Woche)\b",
        lambda _, now: now.date() + timedelta(days=7 - now.weekday()),
    ),
)
TIMES: list[Row[time]] = _rows(
    (rf"{AT}(?P<hour>\d{{1,2}})(?::(?P<minute>\d{{2}}))?\s*(?P<half>[ap])\.?m\b\.?", _clock),
    (rf"{AT}(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})(?:\s*Uhr)?\b", _clock),
    (rf"{AT}(?P<hour>\d{{1,2}})\s*Uhr\b", _clock),
    (r"\bat\s+(?P<hour>\d{1,2})\b", _clock),
    (r"\b(?:at noon|mittags?)\b", lambda _, now: time(12)),
    (r"\b(?:in the morning|früh)\b", lambda _, now: time(9)),
    (r"\b(?:in the afternoon|nachmittags?)\b", lambda _, now: time(15)),
    (r"\b(?:tonight|(?:this|in the) evening|abends?)\b", lambda _, now: time(19)),
)
