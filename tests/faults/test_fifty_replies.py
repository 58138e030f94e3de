"""Fifty replies that go on while what is under them ends, again and again."""

import signal
import time

from tests.faults.model import words
from tests.faults.product import kill
from tests.processes import wait_until


def test_each_is_whole_and_there_once_whatever_ends_beside_it(up, model, note):
    asked = up.begin_replies(50, "[[words=500 pace=0.08]]")
    for part, how in (
        ("worker", signal.SIGKILL),
        ("postgres", signal.SIGKILL),
        ("postgres", signal.SIGTERM),
        ("worker", signal.SIGTERM),
    ):
        ended, ended_at = getattr(up, part), time.monotonic()
        kill(ended, how)
        wait_until(lambda ended=ended: not ended.is_running(), 20)
        wait_until(up.is_ready, 60)
        note(f"seconds until {part} was back after {how.name}", time.monotonic() - ended_at)
    assert up.num_streaming() == 50
    for question in asked:
        assert question.ended() == "done"
        assert question.text == words(500)
        assert up.replies(question.chat) == [("complete", words(500))]
        assert up.num_asked(question.chat) == 1
    assert model.streaming == set()
