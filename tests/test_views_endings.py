"""What the page says of a message that ends what was known."""

import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from memoryapp import fragments
from memoryapp.memory import ledger
from memoryapp.models import MemoryEvent
from tests.factories import make_chat, make_fact, proposal
from tests.pages import client_of, htmx_post, text_of

pytestmark = pytest.mark.django_db
ENDED = "I no longer work at Acme"


def learn(user, body, *operations):
    """The reply to a message that teaches these operations."""
    chat = make_chat(user, body, "Noted.")
    messages = list(chat.archive)
    ledger.apply(user=user, operations=operations, messages=messages, model="scripted")
    return messages[-1]


@pytest.fixture
def job(ada):
    return make_fact(ada, "works_at", "Acme")


@pytest.fixture
def reply(ada, job):
    """The reply to what ended a job."""
    return learn(ada, f"{ENDED}.", proposal("works_at", "", ENDED, action="retract"))


def notice(reply):
    context = {"entry": fragments.entry(reply), "is_news": True}
    return words(render_to_string("chats/_notice.html", context))


def words(html):
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def undo(user, **event):
    undone = MemoryEvent.objects.get(**event)
    return htmx_post(client_of(user), reverse("memory-undo", args=[undone.pk]), is_news="1")


def test_the_notice_says_that_a_thing_no_longer_holds_and_which(reply):
    said = notice(reply)
    assert said.startswith("1 thing no longer holds")
    assert "Works at: Acme no longer holds" in said
    assert "Learned" not in said


def test_it_says_so_in_german(reply):
    with translation.override("de"):
        said = notice(reply)
    assert said.startswith("1 Sache gilt nicht mehr")
    assert "Acme gilt nicht mehr" in said


def test_a_turn_that_ends_one_thing_and_teaches_another_says_both(ada, job):
    reply = learn(
        ada,
        f"{ENDED}. I have a dog called Rex.",
        proposal("works_at", "", ENDED, action="retract"),
        proposal("dog", "Rex", "I have a dog called Rex"),
    )
    assert notice(reply).startswith("Learned 1 thing 1 thing no longer holds")


def test_the_line_under_the_reply_says_it_too(ada, reply):
    html = text_of(client_of(ada).get(f"/chats/{reply.chat_id}/"))
    assert "1 thing no longer holds" in html
    assert "Learned 1 thing" not in html


def test_an_ending_that_is_undone_is_gone_from_the_notice_and_holds_again(ada, reply):
    response = undo(ada, action="closed")
    assert response.status_code == 200
    said = words(text_of(response))
    assert "Taken back what was learned" in said
    assert "thing no longer holds" not in said
    assert [job.value for job in ada.facts.current()] == ["Acme"]


def test_an_ending_stays_one_when_something_else_holds_later(ada, reply):
    learn(ada, "I work at Bolt.", proposal("works_at", "Bolt", "I work at Bolt"))
    entry = fragments.entry(reply)
    assert [learned.standing for learned in entry.learned] == ["changed"]
    assert (entry.num_ended, entry.num_learned) == (1, 0)
