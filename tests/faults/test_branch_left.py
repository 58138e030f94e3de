"""A branch that is left, and shown again, while the extractor reads what was said on it."""

import pytest

from tests.processes import wait_until

ANSWER = "[[words=3]]"


@pytest.fixture
def thoughtful(model):
    """The extractor takes its time, in which somebody changes their mind."""
    model.thinks = 4.0
    yield
    model.thinks = 0.0


def question_of(up, chat, body):
    query = "select id from memoryapp_message where chat_id = %s and body like %s"
    return up.value(query, chat, f"{body}%")


def is_read(up, chat):
    left = "select count(*) from memoryapp_message where chat_id = %s and is_active"
    return up.value(f"{left} and not is_extracted", chat) == 0


def test_only_what_stands_is_learned_and_each_of_it_once(up, model, thoughtful):
    chat = up.make_chat()
    up.say(chat, f"My kite is orange. {ANSWER}").ended()
    wait_until(lambda: model.num_extracting == 1, 30)
    first = question_of(up, chat, "My kite")
    edited = {"body": f"My canoe is violet. {ANSWER}", "parent": None}
    assert up.http.post(f"/chats/{chat}/messages", json=edited).is_success
    wait_until(lambda: up.learned().get("canoe") and is_read(up, chat), 60)
    assert "kite" not in up.learned()
    for shown in (first, question_of(up, chat, "My canoe"), first):
        assert up.http.patch(f"/messages/{shown}", json={"is_active": True}).is_success
    wait_until(lambda: up.learned().get("kite") and is_read(up, chat), 60)
    wait_until(lambda: up.num_waiting() == 0, 60)
    assert up.learned() == {"canoe": (1, 1), "kite": (1, 1)}
    assert up.num_streaming() == 0
