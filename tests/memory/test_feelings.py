"""Who speaks well of something doesn't speak ill of it, however often they deny something."""

import pytest

from memoryapp.memory.language.feelings import is_turned, leaning


@pytest.mark.parametrize(
    "text",
    ["I love olives", "nothing against cats", "I don't hate olives", "I like jazz", "Ich mag Jazz"],
)
def test_what_is_liked_or_at_least_not_disliked_is_spoken_well_of(text):
    assert leaning(text) == 1


@pytest.mark.parametrize(
    "text",
    ["I hate olives", "can't stand olives", "not a fan of jazz", "I don't like it", "Ich hasse es"],
)
def test_what_is_disliked_or_not_liked_is_spoken_ill_of(text):
    assert leaning(text) == -1


@pytest.mark.parametrize("text", ["I live in Graz", "It looks like rain", "I don't smoke"])
def test_where_no_feeling_is_told_there_is_none(text):
    assert leaning(text) == 0


def test_a_value_is_turned_when_it_has_the_opposite_of_a_word_and_not_the_word():
    assert is_turned("short answers", "I don't like long answers")
    assert is_turned("kurze Antworten", "keine langen Antworten")
    assert not is_turned("short answers", "I like short answers, no long ones")
    assert not is_turned("answers", "I don't like long answers")
