from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memoryapp.memory.recall.duties import ANY_TIME, asked_for

NOW = datetime(2026, 11, 25, 12, tzinfo=ZoneInfo("Europe/Vienna"))  # a Wednesday


@pytest.mark.parametrize(
    "question",
    [
        "What do I have to do?",
        "what do i still need to do",
        "What else do I have to get done?",
        "Good morning! What do I have to do?",
        "Hey, what's on my list?",
        "What is on my to-do list?",
        "What are my open tasks?",
        "Which tasks do I have?",
        "Please show me my tasks.",
        "Do I have anything to do?",
        "What must I do?",
        "Was muss ich noch erledigen?",
        "Was muss ich noch alles tun?",
        "Was habe ich noch zu tun?",
        "Was steht an?",
        "Was steht auf meiner Liste?",
        "Welche Aufgaben habe ich noch?",
        "Zeig mir bitte meine Aufgaben",
        "Guten Morgen! Was muss ich machen?",
    ],
)
def test_who_asks_for_tasks_is_told_all(question):
    assert asked_for(question, NOW) == [ANY_TIME]


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What do I have to do today?", "2026-11-25", "2026-11-26"),
        ("What do I have to do tomorrow?", "2026-11-26", "2026-11-27"),
        ("What's on my list for next week?", "2026-11-30", "2026-12-07"),
        ("What do I need to do this weekend?", "2026-11-28", "2026-11-30"),
        ("What do I have to do in December?", "2026-12-01", "2027-01-01"),
        ("What's due on Friday?", "2026-11-27", "2026-11-28"),
        ("What do I have to do by March 3?", "2027-03-03", "2027-03-04"),
        ("Was muss ich am Freitag erledigen?", "2026-11-27", "2026-11-28"),
        ("Was steht nächste Woche an?", "2026-11-30", "2026-12-07"),
        ("Was habe ich übermorgen zu tun?", "2026-11-27", "2026-11-28"),
        ("Was muss ich im Januar noch machen?", "2027-01-01", "2027-02-01"),
    ],
)
def test_who_names_a_time_is_told_what_is_due_then(question, start, end):
    ((since, until),) = asked_for(question, NOW)
    days = [datetime.fromtimestamp(moment, NOW.tzinfo).date() for moment in (since, until)]
    assert [day.isoformat() for day in days] == [start, end]


@pytest.mark.parametrize(
    "question",
    [
        "What to do in Rome?",
        "What to do this weekend?",
        "What should I do?",
        "What do I have to do to get a visa?",
        "What do I have to do with Ben?",
        "Do I have to pay tax on this?",
        "I have a lot to do today.",
        "What do I like to do?",
        "What do I do?",
        "What did I do last week?",
        "What did I do?",
        "What have I done?",
        "What is on the list of heritage sites?",
        "What is a task?",
        "Make a list for next week.",
        "Was soll ich tun?",
        "Was kann ich in Wien machen?",
        "Was muss ich tun, um zu kündigen?",
        "Was mache ich?",
        "Was hast du zu tun?",
        "Was ist am Sonntag offen?",
        "Tomorrow!",
        "",
    ],
)
def test_what_asks_for_something_else_brings_up_no_tasks(question):
    assert asked_for(question, NOW) == ()
