import pytest

from memoryapp.models import Chat, Fact, Message, Prompt, User
from tests.api.callers import told
from tests.factories import make_chat, make_fact, make_prompt

pytestmark = pytest.mark.django_db


def titles(response):
    return [chat["title"] for chat in told(response, 200)["items"]]


def test_chat_list_has_pinned_chats_first_and_the_latest_next(ada, as_ada):
    for title in ("old", "pinned", "new"):
        make_chat(ada, "Hello", title=title, is_pinned=title == "pinned")
    assert titles(as_ada("GET", "/chats")) == ["pinned", "new", "old"]


def test_chat_list_comes_in_pages(ada, as_ada):
    for title in "abc":
        make_chat(ada, "Hello", title=title)
    page = told(as_ada("GET", "/chats?limit=1&offset=1"), 200)
    assert [chat["title"] for chat in page["items"]] == ["b"]
    assert page["count"] == 3


def test_chat_list_leaves_out_other_peoples_chats(chat, as_ben):
    assert told(as_ben("GET", "/chats"), 200) == {"items": [], "count": 0}


def test_chat_list_filters_by_pinned_and_archived(ada, as_ada):
    make_chat(ada, title="plain")
    make_chat(ada, title="pinned", is_pinned=True)
    make_chat(ada, title="archived", is_archived=True)
    assert titles(as_ada("GET", "/chats?pinned=true")) == ["pinned"]
    assert titles(as_ada("GET", "/chats?pinned=false")) == ["plain"]
    assert titles(as_ada("GET", "/chats?archived=true")) == ["archived"]


def test_chat_list_finds_words_in_titles_and_messages(ada, as_ada):
    make_chat(ada, "We talked about sourdough", title="Baking")
    make_chat(ada, "Hello", title="Sourdough starter")
    make_chat(ada, "Hello", title="Other")
    assert titles(as_ada("GET", "/chats?q=sourdough")) == ["Sourdough starter", "Baking"]


@pytest.mark.parametrize(("language", "title"), [("en", "New chat"), ("de", "Neuer Chat")])
def test_a_made_chat_is_called_so_in_its_owners_language(ada, as_ada, language, title):
    User.objects.filter(pk=ada.pk).update(language=language)
    assert told(as_ada("POST", "/chats", {}), 201)["title"] == title


def test_a_made_chat_is_empty_and_remembers(ada, as_ada):
    made = told(as_ada("POST", "/chats", {}), 201)
    assert made["memory_on"]
    assert not made["pinned"]
    assert not made["archived"]
    assert made["created_at"].endswith("Z")
    assert str(Chat.objects.get().pk) == made["id"]


def test_a_title_that_is_given_is_kept_as_made_by_hand(as_ada):
    told(as_ada("POST", "/chats", {"title": "  Mine ", "memory_on": False}), 201)
    chat = Chat.objects.get()
    assert (chat.title, chat.title_source, chat.memory_on) == ("Mine", "manual", False)


def test_one_chat_is_shown(chat, as_ada):
    assert told(as_ada("GET", f"/chats/{chat.pk}"), 200)["id"] == str(chat.pk)


def test_chat_edit_changes_what_is_named_and_nothing_else(chat, as_ada):
    changed = told(as_ada("PATCH", f"/chats/{chat.pk}", {"pinned": True, "archived": True}), 200)
    assert changed["pinned"]
    assert changed["archived"]
    chat.refresh_from_db()
    assert (chat.is_pinned, chat.is_archived) == (True, True)
    assert (chat.title_source, chat.memory_on) == ("default", True)


def test_a_renamed_chat_keeps_its_place_in_the_list(chat, as_ada):
    told(as_ada("PATCH", f"/chats/{chat.pk}", {"title": "Ours"}), 200)
    renamed = Chat.objects.get()
    assert (renamed.title, renamed.title_source) == ("Ours", "manual")
    assert renamed.last_message_at == chat.last_message_at


@pytest.mark.parametrize(
    "body", [{"title": ""}, {"title": None}, {"pinned": "yes"}, {"pinned": 1}, {"id": "x"}]
)
def test_chat_edit_refuses_bad_input(chat, as_ada, body):
    told(as_ada("PATCH", f"/chats/{chat.pk}", body), 422)
    unchanged = Chat.objects.get()
    assert (unchanged.title, unchanged.is_pinned) == (chat.title, False)


def test_a_deleted_chat_is_gone_and_what_it_taught_is_known(ada, chat, as_ada):
    make_fact(ada, "city", "Graz", source_message=chat.messages.first())
    assert told(as_ada("DELETE", f"/chats/{chat.pk}"), 200) == {"forgotten": 0}
    assert not Chat.objects.exists()
    assert not Message.objects.exists()
    assert Fact.objects.get().value == "Graz"


def test_a_chat_deleted_with_forget_takes_along_what_it_taught(ada, chat, as_ada):
    source = chat.messages.first()
    make_fact(ada, "city", "Graz", source_message=source)
    make_prompt(ada, "length", "Short", source_message=source)
    make_fact(ada, "employer", "Acme")
    assert told(as_ada("DELETE", f"/chats/{chat.pk}?forget=true"), 200) == {"forgotten": 2}
    assert [fact.key for fact in Fact.objects.all()] == ["employer"]
    assert not Prompt.objects.exists()
