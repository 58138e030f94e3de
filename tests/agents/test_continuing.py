import pytest

from memoryapp.agents.continuing import taken_up


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("Call the mov", "Call the "),
        ("Call the movers. ", "Call the "),
        ("def f():\n    retu", "def f():\n    "),
        ("def f():\n", "def "),
        ("Mov", "Mov"),
        ("", ""),
        ("我们先把书装进箱子，然后打电话给搬家公司。" * 3,) * 2,
    ],
)
def test_a_text_is_taken_up_at_its_last_word(text, beginning):
    assert taken_up(text) == beginning
