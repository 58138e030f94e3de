from datetime import datetime

import pytest

from memoryapp.agents.offline.dates import due

WEDNESDAY = datetime(2026, 8, 19, 14, 5)  # noqa: DTZ001 - the clock of a person


def at(month, day, hour=9, minute=0, year=2026):
    return datetime(year, month, day, hour, minute)  # noqa: DTZ001 - the clock of a person


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("on Friday", at(8, 21)),
        ("on Wednesday", at(8, 26)),
        ("in February", at(2, 1, year=2027)),
        ("im Oktober", at(10, 1)),
        ("in August", at(8, 19, 18)),
        ("in March 2028", at(3, 1, year=2028)),
        ("on the 25th", at(8, 25)),
        ("am 15.", at(9, 15)),
        ("by the 31st", at(8, 31)),
        ("next month", at(9, 1)),
        ("nächsten Monat", at(9, 1)),
        ("at the end of the month", at(8, 31)),
        ("Ende des Monats", at(8, 31)),
        ("this weekend", at(8, 22)),
        ("am Wochenende", at(8, 22)),
        ("in half an hour", at(8, 19, 14, 35)),
        ("in einer halben Stunde", at(8, 19, 14, 35)),
        ("by next Friday at 5 pm", at(8, 28, 17)),
        ("this Friday at 17:30", at(8, 21, 17, 30)),
        ("tomorrow", at(8, 20)),
        ("the day after tomorrow", at(8, 21)),
        ("today", at(8, 19, 18)),
        ("tonight", at(8, 19, 19)),
        ("in 3 days", at(8, 22)),
        ("in a week", at(8, 26)),
        ("in two months", at(10, 19)),
        ("in 2 hours", at(8, 19, 16, 5)),
        ("next week", at(8, 24)),
        ("on 3 December", at(12, 3)),
        ("on the 3rd of December, 2027", at(12, 3, year=2027)),
        ("on January 5", at(1, 5, year=2027)),
        ("on 2026-12-03 at noon", at(12, 3, 12)),
        ("at 9", at(8, 20)),
        ("at 9 pm", at(8, 19, 21)),
        ("am Freitag", at(8, 21)),
        ("nächsten Montag", at(8, 24)),
        ("morgen früh", at(8, 20)),
        ("übermorgen", at(8, 21)),
        ("heute Abend", at(8, 19, 19)),
        ("in einer Woche", at(8, 26)),
        ("nächste Woche", at(8, 24)),
        ("am 3. Dezember um 17 Uhr", at(12, 3, 17)),
        ("bis 3.12.2027", at(12, 3, year=2027)),
    ],
)
def test_words_for_a_moment_are_taken_out_and_understood(words, moment):
    assert due(f"call Bob {words}", WEDNESDAY) == ("call Bob", moment)


@pytest.mark.parametrize("words", ["buy 3 apples", "march with 3 friends", "do it on 31 June"])
def test_words_that_name_no_moment_are_left(words):
    assert due(words, WEDNESDAY) == (words, None)


def test_a_day_at_the_end_of_the_month_stays_in_it():
    assert due("pay in 1 month", at(1, 31)) == ("pay", at(2, 28))
