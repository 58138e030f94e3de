"""Redis, where it is the bus and the cache, goes away for a while."""

import time

from tests.faults.model import words
from tests.faults.product import product, redis
from tests.processes import free_port, wait_until


def test_what_is_said_meanwhile_is_kept_and_answered_and_told_when_redis_is_back(model, note):
    port = free_port()
    with redis(port) as bus, product(model, REDIS_URL=f"redis://127.0.0.1:{port}") as up:
        asked = up.begin_replies(10, "[[words=200 pace=0.05]]")
        bus.kill()
        gone_at = time.monotonic()
        asked.append(up.say(up.make_chat(), "My bus is gone. [[words=200 pace=0.01]]"))
        unfollowed = {"body": "Are you there? [[words=2]]"}
        answer = up.http.post(f"/chats/{up.make_chat()}/messages", json=unfollowed)
        assert (answer.status_code, answer.json()["code"]) == (503, "bus_away")
        whole = [("complete", words(200))]
        for question in asked:
            wait_until(lambda question=question: up.replies(question.chat) == whole, 60)
        note("seconds until all were written", time.monotonic() - gone_at)
        wait_until(lambda: up.learned() == {"bus": (1, 1)}, 60)
        with redis(port):
            for question in asked:
                assert (question.ended(), question.text) == ("done", words(200))
                assert up.num_asked(question.chat) == 1
            question = up.say(up.make_chat(), "And now? [[words=3000 pace=0.02]]")
            wait_until(lambda: question.text, 20)
            stopped = up.http.post(f"/messages/{question.reply}/stop").json()
            assert (stopped["status"], question.ended()) == ("stopped", "done")
