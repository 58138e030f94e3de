"""The page of a temporary chat, and keeping one."""

import pytest
from django.test import Client
from django.urls import reverse

from memoryapp.models import Chat
from memoryapp.temporary import packed
from tests.dumps import everything
from tests.pages import client_of, htmx_post, text_of
from tests.test_temporary import talk

pytestmark = pytest.mark.django_db
PAGE, KEEP = "/chats/temporary/", "/chats/temporary/keep/"


def said(user):
    chat = talk(user, "Hello", "Good day")
    return [packed(chat, message) for message in chat.messages]


def test_opening_it_writes_nothing(ada):
    client = client_of(ada)
    client.get("/")  # the first page of a session is noted in the list of sessions
    before = everything()
    html = text_of(client.get(PAGE))
    assert 'ws-connect="/ws/temporary/"' in html
    assert "and learn nothing" in html
    assert everything() == before


def test_its_composer_keeps_no_draft_and_posts_nowhere(ada):
    html = text_of(client_of(ada).get(PAGE))
    composer = html[html.index('id="composer"') :]
    composer = composer[: composer.index(">")]
    assert "ws-send" in composer
    assert "data-draft" not in composer
    assert "hx-post" not in composer


def test_it_is_kept_at_an_address(ada):
    response = htmx_post(client_of(ada), KEEP, said=said(ada))
    kept = Chat.objects.for_user(ada).get()
    assert response.headers["HX-Redirect"] == reverse("chat-detail", args=[kept.pk])
    assert "Good day" in text_of(client_of(ada).get(response.headers["HX-Redirect"]))


def test_without_htmx_it_is_led_to(ada):
    response = client_of(ada).post(KEEP, {"said": said(ada)})
    assert response.url == reverse("chat-detail", args=[Chat.objects.get().pk])


@pytest.mark.parametrize("address", [PAGE, KEEP])
def test_it_needs_somebody_signed_in(address):
    response = Client().get(address) if address == PAGE else Client().post(address)
    assert response.url.startswith(reverse("account_login"))


def test_nobody_keeps_the_chat_of_somebody_else(ada, ben):
    response = htmx_post(client_of(ben), KEEP, said=said(ada))
    assert response.status_code == 422
    assert "taken up" in text_of(response)
    assert Chat.objects.count() == 0


@pytest.mark.parametrize("said", [[], ["nonsense"]])
def test_what_cannot_be_kept_is_refused_with_a_sentence(ada, said):
    response = client_of(ada).post(KEEP, {"said": said})
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    assert Chat.objects.count() == 0


def test_keeping_is_a_post(ada):
    assert client_of(ada).get(KEEP).status_code == 405
