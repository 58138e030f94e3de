"""Two web processes behind one address, which behave as one."""

import time
from statistics import median

import pytest

from tests.faults.model import words
from tests.faults.product import Asked, kill, product, redis
from tests.processes import command_line, free_port, wait_until, within


@pytest.fixture(scope="module", params=["postgres", "redis"])
def up(model, request):
    if request.param == "postgres":
        with product(model, "--workers=2") as up:
            yield up
        return
    port = free_port()
    with redis(port), product(model, "--workers=2", REDIS_URL=f"redis://127.0.0.1:{port}") as up:
        yield up


def late_joiner(up, question):
    joiner = Asked(up, question.chat, "", "")
    joiner.reply = question.reply
    joiner.start()
    return joiner


def test_late_joiners_on_either_get_the_exact_text(up):
    question = up.say(up.make_chat(), "Hello [[words=150 pace=0.02]]")
    wait_until(lambda: question.text, 30)
    joiners = []
    for _ in range(12):
        joiners.append(late_joiner(up, question))
        time.sleep(0.1)
    assert question.ended() == "done"
    assert [joiner.ended() for joiner in joiners] == ["done"] * 12
    assert {joiner.text for joiner in (question, *joiners)} == {words(150)}


def test_a_stop_reaches_the_process_that_writes(up, model, note):
    seconds, cancelled = [], []
    for n in range(8):
        question = up.say(up.make_chat(), f"Stop {n} [[words=3000 pace=0.02]]")
        wait_until(lambda question=question: question.text, 30)
        stop_at = time.monotonic()
        stopped = up.http.post(f"/messages/{question.reply}/stop").json()
        seconds.append(time.monotonic() - stop_at)
        assert (stopped["status"], question.ended()) == ("stopped", "done")
        assert stopped["body"] == question.text
        within(1, lambda: not model.streaming)
        cancelled.append(model.left_at - stop_at)
    note("seconds until the stop was answered, median", median(seconds))
    note("seconds until the model's reader was gone, median", median(cancelled))
    assert max(seconds) < 2


def writing(up):
    """The processes that answer, of the one that watches over them."""
    return [child for child in up.web.children() if "spawn_main" in command_line(child)]


def test_one_that_is_only_slow_keeps_its_replies(up):
    asked = [up.say(up.make_chat(), f"Slowly {n} [[words=100 pace=0.05]]") for n in range(4)]
    wait_until(lambda: all(question.text for question in asked), 60)
    processes = writing(up)
    for process in processes:
        process.suspend()
    time.sleep(8)
    for process in processes:
        process.resume()
    for question in asked:
        assert (question.ended(), question.text) == ("done", words(100))
    assert writing(up) == processes


def test_one_that_is_killed_takes_only_its_own_replies_along(up, note):
    asked = [up.say(up.make_chat(), f"Both {n} [[words=200 pace=0.1]]") for n in range(8)]
    wait_until(lambda: all(question.text for question in asked), 60)
    server = up.web
    kill(writing(up)[0])
    killed_at = time.monotonic()
    ends = [question.ended() for question in asked]
    note("seconds until all had ended", time.monotonic() - killed_at)
    for question, end in zip(asked, ends, strict=True):
        [(status, body)] = up.replies(question.chat)
        assert (end, status) in [("done", "complete"), ("reply_interrupted", "interrupted")]
        assert status == "interrupted" or body == question.text == words(200)
    assert server.is_running()
    wait_until(lambda: len(writing(up)) == 2, 30)
