import pytest

from memoryapp.visible import visible


@pytest.mark.parametrize(
    "text", ["", " \n", "\u200b", "\u200d\u2060 \ufeff", "\u3164", "\u2800 \u00ad"]
)
def test_what_cannot_be_seen_is_no_text(text):
    assert visible(text) == ""


@pytest.mark.parametrize("text", ["a", "👩\u200d🔬", "می\u200cخواهم", "\u200bword"])
def test_what_can_be_seen_keeps_the_characters_that_shape_it(text):
    assert visible(f" {text}\n") == text
