"""Only so many replies are written for one person at once, whichever door they come through."""

import uuid

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse

from memoryapp import branches, replies, temporary, turns
from memoryapp.models import Chat, Message
from tests.api.callers import Caller, secret_of, told
from tests.api.openai.conftest import Program, asked
from tests.factories import make_chat
from tests.pages import client_of, htmx_post, text_of

pytestmark = pytest.mark.django_db(transaction=True)
SENTENCE = "1 of your replies are being written already"


@pytest.fixture
def busy(ada, settings):
    """Ada, for whom as many replies are written as may be at once."""
    settings.REPLIES_AT_ONCE = 1
    turns.open_turn(chat=make_chat(ada), body="Hello")
    return ada


@pytest.fixture
def nothing_begins(monkeypatch):
    def fail(*args):
        raise AssertionError("a reply began")

    monkeypatch.setattr(replies, "start", fail)
    monkeypatch.setattr(temporary, "start", fail)


def test_as_many_as_may_be_are_written_and_no_more(chat, ada, ben, settings):
    settings.REPLIES_AT_ONCE = 2
    first, _ = (turns.open_turn(chat=make_chat(ada), body="Hello") for _ in range(2))
    with pytest.raises(turns.TooManyReplies):
        turns.open_turn(chat=chat, body="And now?")
    with pytest.raises(turns.TooManyReplies):
        branches.reopen(message=chat.archive.last())
    assert chat.archive.count() == 2
    assert turns.open_turn(chat=make_chat(ben), body="Hello").is_new
    first.reply.finish("stopped")
    assert turns.open_turn(chat=chat, body="And now?").is_new


def test_another_version_is_shown_whatever_is_being_written(chat, busy):
    branches.switch_to(chat.archive.last())


@pytest.mark.parametrize("place", ["here", "new"])
def test_the_page_says_so(chat, busy, nothing_begins, place):
    page = reverse("chat-new") if place == "new" else reverse("message-create", args=[chat.pk])
    response = htmx_post(client_of(busy), page, body="And now?", id=str(uuid.uuid4()))
    assert 400 <= response.status_code < 500
    assert SENTENCE in text_of(response)
    assert Message.objects.filter(body="And now?").count() == 0
    assert Chat.objects.count() == 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat", {"message": "And now?"}),
        ("/chats/{chat}/messages", {"body": "And now?"}),
        ("/messages/{reply}/regenerate", None),
    ],
)
def test_the_api_says_so_and_when_to_come_again(chat, busy, nothing_begins, path, body):
    as_ada = Caller(secret_of(busy))
    response = as_ada("POST", path.format(chat=chat.pk, reply=chat.archive.last().pk), body)
    refused = told(response, 429)
    assert (refused["code"], SENTENCE in refused["detail"]) == ("too_many_replies", True)
    assert response["Retry-After"] == "10"
    assert (Chat.objects.count(), Message.objects.streaming().count()) == (2, 1)


def test_programs_of_openais_protocol_are_told_as_openai_does(busy, nothing_begins):
    response = Program(secret_of(busy))("POST", "/chat/completions", asked("And now?"))
    error = told(response, 429)["error"]
    assert (error["code"], error["type"]) == ("too_many_replies", "rate_limit_error")
    assert Chat.objects.count() == 1


def test_replies_without_memory_have_the_same_limit(ada, settings, nothing_begins, monkeypatch):
    settings.REPLIES_AT_ONCE = 1
    monkeypatch.setitem(temporary.WRITING, ada.pk, 1)
    question = asked("Hello", model="memoryapp-temporary")
    response = Program(secret_of(ada))("POST", "/chat/completions", question)
    assert told(response, 429)["error"]["code"] == "too_many_replies"


async def test_the_socket_says_so(tabs, chat, ada, settings):
    settings.REPLIES_AT_ONCE = 1
    other = await sync_to_async(make_chat)(ada)
    await sync_to_async(turns.open_turn)(chat=other, body="Hello")
    tab = await tabs(ada, chat)
    await tab.send(action="send", body="And now?")
    assert SENTENCE in await tab.until("composer-error")
