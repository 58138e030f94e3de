import time

import pytest

from memoryapp.agents.thinking import Spoken, without_thinking
from tests.processes import BUSY

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


def test_long_thinking_takes_no_longer_a_piece():
    quarter, whole = seconds_of_thinking(25_000), seconds_of_thinking(100_000)
    assert whole < 8 * quarter  # 16, were it all kept
    assert whole < 2 * BUSY


def seconds_of_thinking(num_pieces):
    spoken, started = Spoken(), time.thread_time()
    for piece in ("<think>", *["Hm. "] * num_pieces, "</thi", "nk>", "Yes."):
        said = spoken.hear(piece)
    assert said == "Yes."
    return time.thread_time() - started
