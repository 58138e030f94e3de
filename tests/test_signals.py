import pytest
from django.db import transaction
from django_q.models import OrmQ

from memoryapp import tasks
from memoryapp.models import Message
from tests.factories import make_fact


def queued():
    return sorted(str(row.func()).rsplit(".", 1)[-1] for row in OrmQ.objects.all())


@pytest.fixture
def commit(django_capture_on_commit_callbacks):
    return django_capture_on_commit_callbacks


def test_a_finished_reply_queues_what_follows_it(chat, commit):
    with commit(execute=True):
        chat.add_message(Message.Role.ASSISTANT, "Well.")
    assert queued() == ["embed_messages", "extract", "summarize", "title"]


def test_a_question_and_a_streaming_reply_queue_nothing(chat, commit):
    with commit(execute=True):
        chat.add_message(Message.Role.USER, "And?")
        chat.add_message(Message.Role.ASSISTANT, "", status="streaming")
    assert queued() == []


def test_a_reply_that_is_rolled_back_queues_nothing(chat, commit):
    with commit(execute=True), transaction.atomic():
        chat.add_message(Message.Role.ASSISTANT, "Well.")
        transaction.set_rollback(True)
    assert queued() == []


def test_a_new_fact_is_embedded(ada, commit):
    with commit(execute=True):
        make_fact(ada, "city", "Graz")
    assert queued() == [tasks.embed_facts.__name__]
