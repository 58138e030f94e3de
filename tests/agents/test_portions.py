import pytest

from memoryapp.agents.portions import cut, packed, shortened, size


@pytest.mark.parametrize(
    "text", ["short", "many words " * 50, "长" * 100, "x" * 300, "é \n" * 99, ""]
)
def test_pieces_are_small_and_make_up_the_text(text):
    pieces = list(cut(text, 40))

    assert "".join(pieces) == text
    assert all(0 < size(piece) <= 40 for piece in pieces)


def test_text_is_cut_between_words():
    assert list(cut("one two three four", 10)) == ["one two ", "three four"]


def test_what_is_shortened_says_so():
    assert shortened("one two three", 9) == "one two …"
    assert shortened("one two", 9) == "one two"


def test_items_are_packed_in_order_and_none_is_lost():
    assert list(packed(["aa", "bb", "cccccc", "d"], 4, str)) == [["aa", "bb"], ["cccccc"], ["d"]]
