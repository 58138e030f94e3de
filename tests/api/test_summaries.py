import uuid

import pytest
from django_q.models import OrmQ

from memoryapp import tasks
from memoryapp.agents import llm
from memoryapp.memory import eviction
from tests.factories import make_chat
from tests.fakes import says

pytestmark = pytest.mark.django_db


@pytest.fixture
def summary(ada):
    chat = make_chat(ada, *"abcd")
    return eviction.evict(chat, list(chat.history)[:2], "They spelled.")


def test_redo_writes_the_summary_again_in_the_background(as_ada, summary):
    OrmQ.objects.all().delete()
    assert as_ada("POST", f"/messages/{summary.pk}/redo").status_code == 202
    queued = OrmQ.objects.get()
    assert (queued.func(), queued.args()) == ("memoryapp.tasks.redo_summary", (str(summary.pk),))
    with llm.override({"summarizer": says("The first two letters.")}):
        tasks.redo_summary(str(summary.pk))
    summary.refresh_from_db()
    assert summary.body == "The first two letters."


def test_redo_needs_a_key_and_refuses_others(as_ben, stranger, summary):
    path = f"/messages/{summary.pk}/redo"
    assert stranger("POST", path).status_code == 401
    assert as_ben("POST", path).status_code == 404


def test_redo_is_for_summaries_that_exist(as_ada, summary):
    reply = summary.chat.messages.get(body="b")
    assert as_ada("POST", f"/messages/{reply.pk}/redo").json()["code"] == "not_a_summary"
    assert as_ada("POST", f"/messages/{uuid.uuid4()}/redo").status_code == 404
