"""How long the server works on a page, however much there is: under 150 ms, and not much longer
than on one for little of it."""

import time
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memoryapp.models import Chat
from tests.factories import make_chat
from tests.pages import client_of, htmx_get, text_of
from tests.processes import BUSY

pytestmark = pytest.mark.django_db
TRIES = 5
SECONDS = 0.15 * BUSY
REPLY = (
    "## Steps\n\n1. Drain the queue.\n2. Move *one* service.\n\n"
    "```python\nfor job in jobs:\n    job.move()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


def times_as_long(ask, beside):
    """The work of one beside the other's, each at its quickest: whatever else runs is no fault."""
    pairs = [(seconds_of(ask), seconds_of(beside)) for _ in range(TRIES)]
    quickest = min(one for one, _ in pairs)
    assert quickest < SECONDS
    return quickest / min(other for _, other in pairs)


def seconds_of(ask):
    """In this thread and in the database."""
    begun = time.thread_time()
    with CaptureQueriesContext(connection) as queries:
        ask()
    spent = time.thread_time() - begun
    return spent + sum(float(query["time"]) for query in queries.captured_queries)


def chat_of(user, num_turns):
    said = [text for n in range(num_turns) for text in (f"question {n}", f"{REPLY}\nReply {n}.")]
    return make_chat(user, *said)


def test_a_chat_of_a_thousand_messages_takes_no_longer(ada):
    client = client_of(ada)
    long, short = chat_of(ada, 500), chat_of(ada, 50)
    address, beside = (reverse("chat-detail", args=[chat.pk]) for chat in (long, short))
    assert text_of(client.get(address)).count("<article") == 50
    assert times_as_long(lambda: client.get(address), lambda: client.get(beside)) < 2
    shown, also = (chat.messages.order_by("-created_at")[49].pk for chat in (long, short))
    before = partial(htmx_get, client, address, before=shown)
    assert times_as_long(before, partial(htmx_get, client, beside, before=also)) < 2


@pytest.mark.parametrize("page", ["/chats/", "/"])
def test_a_person_with_500_chats_waits_no_longer_for_a_page(ada, ben, page):
    Chat.objects.bulk_create(Chat(user=ada, title=f"Chat {n}") for n in range(500))
    Chat.objects.bulk_create(Chat(user=ben, title=f"Chat {n}") for n in range(60))
    busy, quiet = client_of(ada), client_of(ben)
    assert "Chat 499" in text_of(busy.get(page))
    assert times_as_long(lambda: busy.get(page), lambda: quiet.get(page)) < 2
