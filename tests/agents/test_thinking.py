import time

import pytest

from memoryapp.agents.thinking import Spoken, without_thinking

TEXT = "<think>Hm, <b>.</think>\n\nIt is <think> that you type."


@pytest.mark.parametrize("size", range(1, 30))
def test_thinking_is_left_out_however_the_text_is_cut(size):
    spoken = Spoken()

    heard = [spoken.hear(TEXT[i : i + size]) for i in range(0, len(TEXT), size)]

    assert "".join([*heard, spoken.end()]) == "It is <think> that you type."


@pytest.mark.parametrize("text", ["<", "<thin", "< think>", "a<think>b</think>"])
def test_what_only_begins_like_thinking_is_kept(text):
    assert without_thinking(text) == text


def test_thinking_that_never_ends_says_nothing():
    assert without_thinking("<think>Hm. And then") == ""


def test_long_thinking_in_many_pieces_takes_no_time():
    spoken, started = Spoken(), time.process_time()
    for piece in ("<think>", *["Hm. "] * 100_000, "</thi", "nk>", "Yes."):
        said = spoken.hear(piece)
    assert said == "Yes."
    assert time.process_time() - started < 2  # 17, if all of it were kept
