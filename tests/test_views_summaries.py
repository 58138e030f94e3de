"""A summary in its thread, and writing it again."""

import uuid

import pytest
from django.urls import reverse
from django_q.models import OrmQ

from memoryapp import fragments, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.memory import eviction
from tests.factories import make_chat
from tests.fakes import Script, says
from tests.pages import client_of, htmx_post, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def summary(ada):
    chat = make_chat(ada, *"abcd")
    return eviction.evict(chat, list(chat.history)[:2], "They spelled.")


def redo(message):
    return reverse("message-redo", args=[message.pk])


def shown(summary, user):
    return text_of(client_of(user).get(reverse("chat-detail", args=[summary.chat_id])))


def test_a_summary_is_written_again_on_a_press_and_says_so_meanwhile(summary, ada):
    assert "Write it again" in shown(summary, ada)
    OrmQ.objects.all().delete()
    html = text_of(htmx_post(client_of(ada), redo(summary)))
    assert "Being written again" in html
    assert "2 earlier messages condensed" in html
    assert OrmQ.objects.get().args() == (str(summary.pk),)
    with llm.override({"summarizer": says("The first two letters.")}):
        tasks.redo_summary(str(summary.pk))
    assert "The first two letters." in shown(summary, ada)


def test_a_summary_that_cannot_be_written_again_stays_and_says_why(summary, ada):
    before = fragments.stamp(summary.chat)
    with llm.override({"summarizer": Script([TimeoutError()])}), pytest.raises(AgentFailed):
        tasks.redo_summary(str(summary.pk))
    assert fragments.stamp(summary.chat) != before
    html = shown(summary, ada)
    assert "They spelled." in html
    assert "The model didn&#x27;t answer in time." in html
    with llm.override({"summarizer": says("Better.")}):
        tasks.redo_summary(str(summary.pk))
    assert "in time" not in shown(summary, ada)


def test_without_htmx_a_press_leads_back_to_the_summary(summary, ada):
    response = client_of(ada).post(redo(summary))
    assert response.url == reverse("message-detail", args=[summary.pk])


def test_only_ones_own_summaries_are_written_again(summary, ada, ben, client):
    assert client_of(ben).post(redo(summary)).status_code == 404
    assert client_of(ada).post(redo(summary.chat.archive.first())).status_code == 404
    assert client_of(ada).post(reverse("message-redo", args=[uuid.uuid4()])).status_code == 404
    assert client.post(redo(summary)).url.startswith("/accounts/login/")
