from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memoryapp.memory.recall.moments import spans_in

NOW = datetime(2026, 11, 25, 12, tzinfo=ZoneInfo("Europe/Vienna"))  # a Wednesday


def days_in(question, **fields):
    """The spans as ISO dates, first day and first day after."""
    return [
        tuple(datetime.fromtimestamp(moment, NOW.tzinfo).date().isoformat() for moment in span)
        for span in spans_in(question, NOW, **fields)
    ]


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What happened on 2023-05-07?", "2023-05-07", "2023-05-08"),
        ("What did I say on 7 May, 2023?", "2023-05-07", "2023-05-08"),
        ("What did I say on May 7th 2023?", "2023-05-07", "2023-05-08"),
        ("Was war am 7. Mai 2023?", "2023-05-07", "2023-05-08"),
        ("Was war am 17.05.2023?", "2023-05-17", "2023-05-18"),
        ("2023年5月7日说了什么", "2023-05-07", "2023-05-08"),
        ("What did we plan in August?", "2026-08-01", "2026-09-01"),
        ("What did we plan in December?", "2025-12-01", "2026-01-01"),
        ("What did we plan in May?", "2026-05-01", "2026-06-01"),
        ("Was planten wir im Mai?", "2026-05-01", "2026-06-01"),
        ("Was planten wir im März 2024?", "2024-03-01", "2024-04-01"),
        ("What did we plan in Sept 2024?", "2024-09-01", "2024-10-01"),
        ("What did I like in 2024?", "2024-01-01", "2025-01-01"),
        ("What did I say yesterday?", "2026-11-24", "2026-11-25"),
        ("Was habe ich vorgestern gesagt?", "2026-11-23", "2026-11-24"),
        ("What did I say last Friday?", "2026-11-20", "2026-11-21"),
        ("Was war letzten Mittwoch?", "2026-11-18", "2026-11-19"),
        ("What did I do last week?", "2026-11-16", "2026-11-23"),
        ("Was war letztes Jahr?", "2025-01-01", "2026-01-01"),
        ("And last month?", "2026-10-01", "2026-11-01"),
    ],
)
def test_a_time_is_read(question, start, end):
    assert days_in(question) == [(start, end)]


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What is due today?", "2026-11-25", "2026-11-26"),
        ("And tomorrow?", "2026-11-26", "2026-11-27"),
        ("The day after tomorrow?", "2026-11-27", "2026-11-28"),
        ("On Wednesday?", "2026-11-25", "2026-11-26"),
        ("Next Monday?", "2026-11-30", "2026-12-01"),
        ("Was war letzten Montag?", "2026-11-23", "2026-11-24"),
        ("This week?", "2026-11-23", "2026-11-30"),
        ("Am Wochenende?", "2026-11-28", "2026-11-30"),
        ("Nächste Woche?", "2026-11-30", "2026-12-07"),
        ("Next month?", "2026-12-01", "2027-01-01"),
        ("Nächstes Jahr?", "2027-01-01", "2028-01-01"),
        ("In December?", "2026-12-01", "2027-01-01"),
        ("In November?", "2026-11-01", "2026-12-01"),
        ("In March?", "2027-03-01", "2027-04-01"),
        ("Bis zum 24. November?", "2027-11-24", "2027-11-25"),
        ("In March 2025?", "2025-03-01", "2025-04-01"),
    ],
)
def test_who_looks_ahead_means_the_next_one(question, start, end):
    assert days_in(question, ahead=True) == [(start, end)]


def test_numbers_that_can_be_read_in_two_ways_are_read_in_both():
    assert sorted(days_in("What was on 05/07/2023?")) == [
        ("2023-05-07", "2023-05-08"),
        ("2023-07-05", "2023-07-06"),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "May I ask you something?",
        "How much is 2023.50 euros?",
        "Call 2023-555",
        "On 31 February 2023?",
        "On 2023-13-40?",
        "Version 1.2.2023x",
        "Who is Friday in Robinson Crusoe?",
        "",
    ],
)
def test_what_is_no_time_is_none(question):
    assert spans_in(question, NOW) == []


def test_two_times_are_two_spans():
    assert len(spans_in("Between May 2023 and June 2024?", NOW)) == 2


def test_days_begin_at_midnight_in_the_persons_zone():
    ((start, end),) = spans_in("yesterday", NOW)
    assert datetime.fromtimestamp(start, UTC) == datetime(2026, 11, 23, 23, tzinfo=UTC)
    assert end - start == 24 * 3600
