"""A web process that dies in the middle of its replies, or only seems to."""

import signal
import time

from memoryapp.models.messages import STREAMING_LEASE
from memoryapp.watchdog import SWEEP_SECONDS
from tests.faults.model import words
from tests.faults.product import kill
from tests.processes import wait_until, within

LONG = "[[words=3000 pace=0.05]]"


def each_reply_is_marked_and_its_text_a_beginning(up, asked):
    for question in asked:
        [(status, body)] = up.replies(question.chat)
        assert status == "interrupted"
        assert body
        assert words(3000).startswith(body)
        assert up.num_asked(question.chat) == 1
        assert question.ended() == "reply_interrupted"
        assert body.startswith(question.text) or question.text.startswith(body)


def test_a_reply_that_has_only_begun_keeps_its_first_words_and_is_soon_interrupted(up, note):
    chat = up.make_chat()
    question = up.say(chat, f"Begin {LONG}")
    wait_until(lambda: question.reply and up.replies(chat)[0][1], 30)
    kill(up.web)
    killed_at = time.monotonic()
    wait_until(lambda: up.num_streaming() == 0, 60)
    seconds = time.monotonic() - killed_at
    note("seconds until it was interrupted", seconds)
    assert seconds < STREAMING_LEASE.total_seconds()
    each_reply_is_marked_and_its_text_a_beginning(up, [question])


def test_a_process_that_is_only_slow_keeps_its_replies(up):
    question = up.say(up.make_chat(), "Slowly [[words=100 pace=0.05]]")
    wait_until(lambda: question.text, 30)
    web = up.web
    web.suspend()
    time.sleep(SWEEP_SECONDS + 5)
    web.resume()
    assert (question.ended(), question.text) == ("done", words(100))
    assert up.replies(question.chat) == [("complete", words(100))]


def test_fifty_replies_of_a_killed_process_are_interrupted_within_a_minute(up, model, note):
    asked = up.begin_replies(50, LONG)
    kill(up.web)
    killed_at = time.monotonic()
    wait_until(lambda: up.is_answering, 60)
    note("seconds until the web server was back", time.monotonic() - killed_at)
    within(killed_at + 60 - time.monotonic(), lambda: up.num_streaming() == 0)
    note("seconds until all were interrupted", time.monotonic() - killed_at)
    each_reply_is_marked_and_its_text_a_beginning(up, asked)
    assert model.streaming == set()


def test_fifty_replies_of_a_process_that_is_asked_to_end_are_saved_to_the_last_word(
    up, model, note
):
    asked = up.begin_replies(50, LONG)
    web = up.web
    kill(web, signal.SIGTERM)
    asked_at = time.monotonic()
    within(10, lambda: not web.is_running())
    note("seconds until the web server had ended", time.monotonic() - asked_at)
    assert up.num_streaming() == 0
    wait_until(lambda: up.is_answering, 60)
    each_reply_is_marked_and_its_text_a_beginning(up, asked)
    for question in asked:
        [(_, body)] = up.replies(question.chat)
        told = model.told[next(said for said in model.told if question.sent["body"] in said)]
        assert len(body.split()) >= told - 100  # two seconds of grace for requests, and a bit
    assert model.streaming == set()


def test_after_a_crash_the_same_send_is_the_same_turn_and_a_reply_is_written_again(up):
    chat = up.make_chat()
    question = up.say(chat, "Short [[words=80 pace=0.1]]")
    wait_until(lambda: question.text, 30)
    kill(up.web)
    wait_until(lambda: up.is_answering, 60)
    wait_until(lambda: up.num_streaming() == 0, 60)
    again = up.say(chat, question.sent["body"], id=question.id)
    assert again.ended() == "reply_interrupted"
    assert (up.num_asked(chat), len(up.replies(chat))) == (1, 1)
    answer = up.http.post(f"/messages/{question.reply}/regenerate", json={})
    assert (answer.status_code, answer.json()["body"]) == (201, words(80))
    assert [status for status, _ in up.replies(chat)] == ["interrupted", "complete"]
