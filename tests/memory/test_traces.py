import pytest

from memoryapp.memory.language.wording import repeats
from memoryapp.memory.traces import Traces

TEXTS = (
    "I moved to Uppsala in May. My sister likes it there.",
    "Ich wohne nicht mehr in Graz, sondern in Köln.",
    "Ich bin Kinderarzt.",
    "I don't like cats, and I can't swim.",
    "Un cafe\u0301 noir, s'il vous plaît.",
    "ＵＰＰＳＡＬＡ is written widely",
    "我每天早上喝绿茶。",
    "أعيش في المدينة القديمة",
    "👍👍👍",
    "",
)
VALUES = (
    "Uppsala",
    "my sister likes it",
    "lives in Köln",
    "ko\u0308ln",
    "Arzt für Kinder",
    "doesn't like cats",
    "cannot swim",
    "café noir",
    "绿茶",
    "مدينة",
    "👍👍",
    "not",
    "Uppsala in winter",
    "Lisbon",
)


@pytest.mark.parametrize("value", VALUES)
def test_one_value_is_found_where_it_is_repeated_and_nowhere_else(value):
    assert [t for t in TEXTS if Traces([value]).said_in(t)] == [
        t for t in TEXTS if repeats(t, value)
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_of_many_values_any_is_found(text):
    others = [f"something else {number}" for number in range(500)]
    assert Traces([*VALUES, *others]).said_in(text) == any(repeats(text, each) for each in VALUES)
    assert not Traces(others).said_in(text)


def test_what_says_nothing_by_itself_is_not_looked_for():
    assert repeats("Yes, at 42 degrees.", "yes")
    assert not Traces(["yes", "42"]).said_in("Yes, at 42 degrees.")
