"""A reply whose process died, continued by the next one."""

from tests.faults.model import words
from tests.faults.product import kill
from tests.processes import wait_until


def test_an_interrupted_reply_is_continued_to_its_end(up):
    chat = up.make_chat()
    question = up.say(chat, "Short [[words=40 pace=0.1]]")
    wait_until(lambda: question.text, 30)
    wait_until(lambda: up.replies(chat)[0][1], 30)  # some of it is saved
    kill(up.web)
    wait_until(lambda: up.is_answering, 60)
    wait_until(lambda: up.num_streaming() == 0, 60)
    [(_, partly)] = up.replies(chat)
    answer = up.http.post(f"/messages/{question.reply}/continue")
    assert (answer.status_code, answer.json()["body"]) == (201, words(40))
    assert up.replies(chat) == [("interrupted", partly), ("complete", answer.json()["body"])]
    assert 0 < len(partly) < len(words(40))
