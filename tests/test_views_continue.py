"""The page's Continue."""

import pytest
from channels.layers import get_channel_layer
from django.test import Client
from django.urls import reverse

from memoryapp import replies
from memoryapp.agents import llm
from memoryapp.models import Message
from tests.fakes import says
from tests.pages import HTMX, async_client_of, client_of, htmx_post, text_of

quick = pytest.mark.django_db
slow = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def bus():
    yield
    await replies.drain()
    await get_channel_layer().flush()


@pytest.fixture
def cut_off(chat):
    reply = chat.messages.get(role="assistant")
    reply.status, reply.body = "interrupted", "Call the mov"
    reply.save()
    return reply


def url(reply):
    return reverse("message-continue", args=[reply.pk])


def page(reply, user):
    return text_of(client_of(user).get(reverse("chat-detail", args=[reply.chat_id])))


@quick
@pytest.mark.parametrize("status", ["interrupted", "stopped", "failed"])
def test_a_reply_that_ended_too_early_can_be_continued(cut_off, ada, status):
    Message.objects.filter(pk=cut_off.pk).update(status=status)
    assert f'hx-post="{url(cut_off)}"' in page(cut_off, ada)


@quick
@pytest.mark.parametrize("fields", [{"status": "complete"}, {"body": ""}])
def test_nothing_is_continued_where_there_is_nothing_to_add_to(cut_off, ada, fields):
    Message.objects.filter(pk=cut_off.pk).update(**fields)
    assert url(cut_off) not in page(cut_off, ada)


@slow
async def test_it_streams_on_in_the_place_of_the_reply(bus, cut_off, ada):
    client = await async_client_of(ada)
    with llm.override({"talker": says("movers.", pause=0.5)}):
        html = text_of(await client.post(url(cut_off), headers=HTMX))
        reply = await Message.objects.aget(status="streaming")
        assert f'id="message-{reply.pk}"' in html
        assert ">Call the </span>" in html
        await replies.LIVE[str(reply.pk)].task
    await reply.arefresh_from_db()
    assert reply.body == "Call the movers."


@slow
async def test_without_htmx_it_leads_back_to_the_chat(bus, cut_off, ada):
    client = await async_client_of(ada)
    with llm.override({"talker": says("movers.")}):
        response = await client.post(url(cut_off))
        assert response.url == reverse("chat-detail", args=[cut_off.chat_id])


@quick
def test_the_reply_of_somebody_else_is_not_there(cut_off, ben):
    assert htmx_post(client_of(ben), url(cut_off)).status_code == 404


@quick
def test_it_needs_somebody_signed_in(cut_off):
    assert Client().post(url(cut_off)).url.startswith(reverse("account_login"))


@quick
def test_a_complete_reply_is_refused_with_a_sentence(chat, ada):
    response = htmx_post(client_of(ada), url(chat.messages.get(role="assistant")))
    assert response.status_code == 422
    assert "This reply is complete." in text_of(response)


@quick
def test_a_chat_that_answers_is_refused_with_a_sentence(cut_off, ada):
    cut_off.chat.messages.filter(pk=cut_off.pk).update(status="streaming")
    response = htmx_post(client_of(ada), url(cut_off))
    assert response.status_code == 409
    assert "still answering" in text_of(response)
