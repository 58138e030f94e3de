import uuid

import pytest
from django.urls import reverse

from memoryapp import fragments
from memoryapp.models import Chat, Fact, Message
from tests.factories import NOBODYS, make_chat, make_fact
from tests.pages import client_of, htmx_get, htmx_post, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _offline(settings):
    settings.TALKER_MODEL = "offline"


def address(chat, view="detail"):
    return reverse(f"chat-{view}", args=[chat.pk])


def test_the_new_chat_page_teaches_and_says_how_to_connect_a_model(ada):
    html = text_of(client_of(ada).get("/"))
    assert "Say something worth keeping" in html
    assert "data-saying" in html
    assert "it is no language model" in html
    assert "Offline responder" in html


def test_the_chat_page_shows_its_messages_in_order(chat, ada):
    html = text_of(client_of(ada).get(address(chat)))
    assert 0 < html.index("Hello there") < html.index("Good morning.")
    assert f'ws-connect="/ws/chats/{chat.pk}/"' in html


def test_a_page_knows_that_it_is_stale_when_something_happened_while_it_was_made(
    chat, ada, monkeypatch
):
    read = fragments.thread

    def read_before_another_message(*args):
        thread = read(*args)
        chat.add_message("user", "And then?")
        return thread

    monkeypatch.setattr(fragments, "thread", read_before_another_message)
    html = text_of(client_of(ada).get(address(chat)))
    assert "And then?" not in html
    assert f'data-stamp="{fragments.stamp(chat)}"' not in html


def test_what_a_person_wrote_is_shown_letter_for_letter_and_never_as_markup(ada):
    chat = make_chat(ada, "1. <b>one</b>\n   *two*", title="<i>x</i>")
    html = text_of(client_of(ada).get(address(chat)))
    assert "1. &lt;b&gt;one&lt;/b&gt;\n   *two*" in html
    assert "<i>x</i>" not in html


@pytest.mark.parametrize("view", ["detail", "menu", "rename", "delete"])
def test_a_chat_of_somebody_else_is_not_there(chat, ben, view):
    assert client_of(ben).get(address(chat, view)).status_code == 404


@pytest.mark.parametrize("view", ["pin", "archive", "memory", "rename", "delete"])
def test_nobody_else_changes_a_chat(chat, ben, view):
    response = client_of(ben).post(address(chat, view), {"title": "Mine"})
    assert response.status_code == 404
    before = (chat.title, chat.is_pinned, chat.is_archived, chat.memory_on)
    chat.refresh_from_db()
    assert (chat.title, chat.is_pinned, chat.is_archived, chat.memory_on) == before


@pytest.mark.parametrize("name", ["chat-new", "chat-list", "memory-facts", "settings"])
def test_every_page_needs_somebody_signed_in(client, db, name):
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response.url.startswith("/accounts/login/")


def test_a_long_chat_opens_at_its_end_and_older_messages_follow_on_demand(ada):
    chat = make_chat(ada, *(f"message {n:03}" for n in range(120)))
    client = client_of(ada)
    html = text_of(client.get(address(chat)))
    assert html.count("<article") == 50
    assert "message 119" in html
    first = chat.messages.get(body="message 070")
    older = text_of(htmx_get(client, address(chat), before=first.pk))
    assert older.count("<article") == 50
    assert "message 069" in older
    assert "<html" not in older


def test_earlier_messages_without_htmx_are_a_page_that_leads_back(ada):
    chat = make_chat(ada, *(f"message {n:03}" for n in range(60)))
    first = chat.messages.get(body="message 010")
    html = text_of(client_of(ada).get(address(chat), {"before": first.pk}))
    assert "message 009" in html
    assert "To the latest messages" in html
    assert "ws-connect" not in html


@pytest.mark.parametrize("before", ["nonsense", NOBODYS])
def test_an_unknown_place_in_a_chat_is_not_there(chat, ada, before):
    assert client_of(ada).get(address(chat), {"before": before}).status_code == 404


def test_a_summary_stands_where_it_condenses_and_nothing_is_hidden(ada):
    chat = make_chat(ada, "first words", "first reply", "then this", "and that")
    summary = chat.add_message("summary", "They said hello.")
    evicted = chat.messages.filter(body__startswith="first")
    summary.created_at = evicted.order_by("created_at").last().created_at
    summary.save()
    evicted.update(evicted_by=summary)
    html = text_of(client_of(ada).get(address(chat)))
    order = ["first reply", "2 earlier messages condensed", "They said hello.", "then this"]
    assert [html.index(text) for text in order] == sorted(html.index(text) for text in order)


def test_a_summary_that_a_later_one_folded_in_is_left_out(ada):
    chat = make_chat(ada, "hello", "hi")
    old = chat.add_message("summary", "The old summary.")
    new = chat.add_message("summary", "The new summary.")
    Message.objects.filter(pk=old.pk).update(evicted_by=new)
    html = text_of(client_of(ada).get(address(chat)))
    assert "The new summary." in html
    assert "The old summary." not in html


def test_the_chat_page_asks_as_much_of_the_database_for_a_thousand_messages(
    ada, django_assert_num_queries
):
    few, many = make_chat(ada, "a", "b"), make_chat(ada, *"ab" * 500)
    for said in Message.objects.filter(role="user"):
        fact = make_fact(ada, f"key_{said.pk}", "value", source_message=said)
        event = {"action": "added", "table": "fact", "row_id": fact.pk, "key": fact.key}
        ada.memory_events.create(message=said, actor="extractor", **event)
    client = client_of(ada)
    client.get(address(few))
    with django_assert_num_queries(29):
        assert "Learned 1 thing" in text_of(client.get(address(few)))
    with django_assert_num_queries(29):
        assert text_of(client.get(address(many))).count("<article") == 50


def test_the_side_list_asks_once_however_many_chats_there_are(ada, django_assert_num_queries):
    client = client_of(ada)
    client.get("/")  # which notes the visit
    Chat.objects.bulk_create(Chat(user=ada, title=f"Chat {n}") for n in range(500))
    with django_assert_num_queries(5):
        html = text_of(client.get("/"))
    assert html.count("chats__item") == 100
    assert "All chats" in html


def test_a_chat_is_pinned_and_unpinned(chat, ada):
    client = client_of(ada)
    assert "Pinned" in text_of(htmx_post(client, address(chat, "pin")))
    assert "Pinned" not in text_of(htmx_post(client, address(chat, "pin")))


def test_a_title_given_by_hand_stays(chat, ada):
    response = htmx_post(client_of(ada), address(chat, "rename"), title="Leeks")
    chat.refresh_from_db()
    assert (chat.title, chat.title_source) == ("Leeks", "manual")
    assert "Leeks" in text_of(response)


@pytest.mark.parametrize("title", ["", "   ", "\u200b", "x" * 201, "a\0b"])
def test_a_title_that_cannot_be_is_refused_in_place(chat, ada, title):
    response = htmx_post(client_of(ada), address(chat, "rename"), title=title)
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    chat.refresh_from_db()
    assert chat.title == "New chat"


def test_memory_is_switched_off_and_on_for_one_chat(chat, ada):
    client = client_of(ada)
    htmx_post(client, address(chat, "memory"))
    chat.refresh_from_db()
    assert chat.memory_on is False
    htmx_post(client, address(chat, "memory"), memory_on="on")
    chat.refresh_from_db()
    assert chat.memory_on is True


def test_deleting_says_what_goes_and_leaves_what_was_learned(chat, ada):
    make_fact(ada, "city", "Vienna", source_message=chat.messages.first())
    client = client_of(ada)
    asked = text_of(htmx_get(client, address(chat, "delete")))
    assert "Its 2 messages go for good." in asked
    assert "Also forget the 1 thing it taught me" in asked
    response = htmx_post(client, address(chat, "delete"))
    assert response.headers["HX-Redirect"] == "/"
    assert not Chat.objects.filter(pk=chat.pk).exists()
    assert Fact.objects.get().value == "Vienna"


def test_deleting_can_forget_what_the_chat_taught(chat, ada):
    make_fact(ada, "city", "Vienna", source_message=chat.messages.first())
    make_fact(ada, "name", "Ada")
    client_of(ada).post(address(chat, "delete"), {"forget": "on"})
    assert [fact.key for fact in Fact.objects.all()] == ["name"]


def test_a_first_message_that_cannot_be_kept_makes_no_chat(ada):
    response = htmx_post(client_of(ada), "/", id=str(uuid.uuid4()), body="  ")
    assert response.status_code == 422
    assert "Write something first." in text_of(response)
    assert not Chat.objects.exists()


def test_without_htmx_a_refused_first_message_stays_in_the_composer(ada, settings):
    settings.MESSAGE_MAX_CHARS = 10
    response = client_of(ada).post("/", {"body": "far too many words"})
    assert response.status_code == 422
    assert "far too many words</textarea>" in text_of(response)
