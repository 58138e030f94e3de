import pytest
from django.db import transaction
from django.utils import timezone
from django_q.models import OrmQ

from memoryapp import queue, tasks
from memoryapp.models import Chat, Message
from tests.factories import make_fact


def queued():
    return sorted(str(row.func()).rsplit(".", 1)[-1] for row in OrmQ.objects.all())


@pytest.fixture
def new_chat(ada):
    """A chat of which nothing follows yet."""
    return Chat.objects.create(user=ada)


def test_a_finished_reply_queues_what_follows_it(new_chat):
    new_chat.add_message(Message.Role.ASSISTANT, "Well.")
    assert queued() == ["embed_messages", "extract", "note_use", "summarize", "title"]


def test_learning_waits_for_the_next_moment_that_all_share(new_chat):
    new_chat.add_message(Message.Role.ASSISTANT, "Well.")
    [due] = [row.lock for row in OrmQ.objects.all() if row.task["func"] is tasks.extract]
    seconds = (due - timezone.now()).total_seconds()
    assert -1 < seconds <= tasks.LESSON_SECONDS
    assert due.timestamp() % tasks.LESSON_SECONDS == 0


def test_a_question_and_a_streaming_reply_queue_nothing(new_chat):
    new_chat.add_message(Message.Role.USER, "And?")
    new_chat.add_message(Message.Role.ASSISTANT, "", status="streaming")
    assert queued() == []


def test_a_reply_that_is_rolled_back_queues_nothing(new_chat):
    with transaction.atomic():
        new_chat.add_message(Message.Role.ASSISTANT, "Well.")
        transaction.set_rollback(True)
    assert queued() == []


@pytest.mark.django_db(transaction=True)
def test_a_reply_ends_only_together_with_the_tasks_that_follow_it(new_chat, monkeypatch):
    reply = new_chat.add_message(Message.Role.ASSISTANT, "Well.", status="streaming")

    def break_off(*_, **__):
        raise ConnectionError

    monkeypatch.setattr(queue, "async_task", break_off)
    with pytest.raises(ConnectionError):
        reply.finish("complete")
    reply.refresh_from_db()
    assert (reply.status, queued()) == ("streaming", [])


def test_a_new_fact_is_embedded(ada):
    make_fact(ada, "city", "Graz")
    assert queued() == [tasks.embed_facts.__name__]


def test_a_fact_that_has_its_vector_is_left_alone(ada):
    make_fact(ada, "city", "Graz", embedding=[0.6, 0.8], embedding_model="minilm")
    assert queued() == []
