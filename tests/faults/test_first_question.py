"""A server that was started just now, and is asked at once."""

from tests.faults.product import kill
from tests.processes import wait_until


def test_the_first_question_after_a_restart_has_its_memory(up, note):
    up.http.post("/facts", json={"key": "city", "value": "Graz", "kind": "identity"})
    for _ in range(3):
        kill(up.web)
        wait_until(lambda: up.is_answering, 60)
        question = up.say(up.make_chat(), "Where do I live? [[words=3]]")
        assert question.ended() == "done"
        receipt = up.value("select receipt from memoryapp_message where id = %s", question.reply)
        note("milliseconds of recall", receipt["milliseconds"]["recall"])
        assert receipt["recall_timed_out"] is False
        assert [memory["text"] for memory in receipt["memories"]] == ["city: Graz"]
