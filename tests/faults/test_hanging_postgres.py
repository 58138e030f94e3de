"""A PostgreSQL that answers nobody for a while, without refusing anybody."""

import time
from contextlib import contextmanager

import pytest

from memoryapp.models.messages import STREAMING_LEASE
from tests.faults.model import words
from tests.faults.product import kill, product
from tests.processes import wait_until, within


@pytest.fixture(scope="module")
def up(model):
    """A product of its own, which the last test stops."""
    with product(model) as up:
        yield up


@contextmanager
def hanging(up):
    processes = [up.postgres, *up.postgres.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            if process.is_running():
                process.resume()


def test_a_reply_outlives_it_and_the_server_says_what_it_waits_for(up, note):
    question = up.say(up.make_chat(), "Are you there? [[words=400 pace=0.1]]")
    wait_until(lambda: question.text, 30)
    with hanging(up):
        ends_at = time.monotonic() + STREAMING_LEASE.total_seconds() + 2
        assert up.is_answering
        ready = up.http.get(up.http.base_url.join("/readyz"), timeout=10)
        assert ready.status_code == 503
        assert ready.json()["database"] == "it didn't answer within 4 s"
        time.sleep(ends_at - time.monotonic())
    resumed_at = time.monotonic()
    wait_until(up.is_ready, 30)
    note("seconds until all was ready again", time.monotonic() - resumed_at)
    assert (question.ended(), question.text) == ("done", words(400))
    assert up.replies(question.chat) == [("complete", words(400))]
    assert up.num_asked(question.chat) == 1


def test_a_web_server_that_dies_meanwhile_is_started_again(up, note):
    question = up.say(up.make_chat(), "And now? [[words=3000 pace=0.1]]")
    wait_until(lambda: question.text, 30)
    with hanging(up):
        kill(up.web)
        killed_at = time.monotonic()
        within(20, lambda: up.is_answering)
        note("seconds until the web server was back", time.monotonic() - killed_at)
    assert question.ended() == "reply_interrupted"


def test_all_of_it_can_be_stopped_meanwhile(up, note):
    with hanging(up):
        seconds, left = up.up.stop()
    note("seconds until all had ended", seconds)
    assert (seconds < 20, left) == (True, [])
