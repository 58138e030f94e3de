"""The list of chats: search by words and by meaning, the archived, and a chat as a file."""

import json

import pytest
from django.urls import reverse

from memoryapp.chat_search import matching_line
from memoryapp.memory import embeddings
from tests.factories import make_chat
from tests.pages import client_of, htmx_get, htmx_post, text_of

pytestmark = pytest.mark.django_db


def address(chat, view, *more):
    return reverse(f"chat-{view}", args=[chat.pk, *more])


def test_chats_are_found_by_words_of_their_title(ada, ben):
    make_chat(ada, title="Moving to Vienna")
    make_chat(ada, title="Leeks")
    make_chat(ben, title="Vienna, too")
    found = text_of(htmx_get(client_of(ada), "/chats/", q="vienna mov"))
    assert "Moving to Vienna" in found
    assert "Leeks" not in found
    assert "Vienna, too" not in found


def test_chats_are_found_by_words_that_were_said_with_the_line(ada, ben):
    chat = make_chat(ada, "First a greeting.\nThen: the plumber comes on Tuesday.", title="House")
    make_chat(ben, "My plumber is late.", title="Mine")
    found = text_of(htmx_get(client_of(ada), "/chats/", q="plumber"))
    assert "House" in found
    assert "Then: the plumber comes on Tuesday." in found
    assert "First a greeting" not in found
    assert reverse("message-detail", args=[chat.messages.get().pk]) in found
    assert "late" not in found


def test_the_line_of_a_reply_that_is_found_has_no_marks_but_what_somebody_typed_stays(ada):
    said = ("The *plumber*?", "- The **plumber** comes on Tuesday.")
    make_chat(ada, *said, title="House")
    make_chat(ada, said[0], title="Asked")
    found = text_of(htmx_get(client_of(ada), "/chats/", q="plumber comes Tuesday"))
    assert ">The plumber comes on Tuesday.</span>" in found
    assert ">The *plumber*?</span>" in found


def test_chats_are_found_by_meaning(ada):
    chat = make_chat(ada, "My dog has to see the vet tomorrow.", title="Tomorrow")
    make_chat(ada, "We deploy with Terraform.", title="Work")
    embeddings.fill(ada.messages.all(), lambda message: message.body)
    found = text_of(htmx_get(client_of(ada), "/chats/", q="When does my puppy go to the doctor?"))
    assert str(chat.messages.get().pk) in found
    assert "Terraform" not in found


def test_a_search_costs_the_same_however_much_it_finds(ada, django_assert_max_num_queries):
    for number in range(30):
        make_chat(ada, f"The plumber comes on day {number}.", title=f"Day {number}")
    client = client_of(ada)
    client.get("/")  # which notes the visit
    with django_assert_max_num_queries(12):
        html = text_of(htmx_get(client, "/chats/", q="plumber"))
    assert html.count("chats__line") > 10


def test_no_found_chat_is_said_in_a_sentence(ada):
    html = text_of(htmx_get(client_of(ada), "/chats/", q="<x>"))
    assert "No chat has to do with “&lt;x&gt;”." in html


def test_an_emptied_search_shows_the_list_again(chat, ada):
    assert "Today" in text_of(htmx_get(client_of(ada), "/chats/", q=" "))


def test_all_chats_are_a_page_too(ada):
    make_chat(ada, title="Leeks")
    assert "Leeks" in text_of(client_of(ada).get("/chats/", {"q": "leek"}))


def test_a_long_list_of_chats_has_pages(ada):
    for number in range(51):
        make_chat(ada, title=f"Number {number}.")
    client = client_of(ada)
    pages = [text_of(client.get("/chats/", {"page": page})) for page in (1, 2)]
    newest, oldest = (page.split('class="ledger"')[1] for page in pages)
    assert "Number 50." in newest
    assert "Number 0." not in newest
    assert "?page=2" in newest
    assert "Number 0." in oldest
    assert "Older chats" not in oldest


def test_an_archived_chat_leaves_the_list_and_comes_back(ada):
    chat, client = make_chat(ada, title="Leeks"), client_of(ada)
    assert "Leeks" not in text_of(htmx_post(client, address(chat, "archive")))
    assert "Leeks" not in text_of(client.get("/chats/"))
    assert "Leeks" in text_of(client.get("/chats/", {"archived": "1"}))
    assert "Leeks" in text_of(client.get("/chats/", {"archived": "1", "q": "leek"}))
    assert client.get(address(chat, "detail")).status_code == 200
    assert "Bring back" in text_of(htmx_get(client, address(chat, "menu")))
    assert "Leeks" in text_of(htmx_post(client, address(chat, "archive")))


def test_an_archived_chat_can_be_talked_to(chat, ada):
    client = client_of(ada)
    client.post(address(chat, "archive"))
    message = chat.messages.get(role="assistant")
    htmx_post(client, reverse("message-regenerate", args=[message.pk]))
    assert "message--assistant" in text_of(client.get(address(chat, "detail")))


def test_a_reply_that_came_while_nobody_looked_is_unread(chat, ada):
    client = client_of(ada)
    assert "Unread" in text_of(client.get("/"))
    client.get(address(chat, "detail"))
    assert "Unread" not in text_of(client.get("/"))
    chat.add_message("user", "Said through the API.")
    assert "Unread" in text_of(client.get("/"))


def test_a_reply_is_seen_only_when_it_ended(chat, ada):
    reply, client = chat.add_message("assistant", "", status="streaming"), client_of(ada)
    client.get(address(chat, "detail"))
    elsewhere = text_of(client.get("/"))
    assert "Still answering" in elsewhere
    assert 'hx-trigger="every 5s"' in elsewhere
    reply.finish("complete")
    elsewhere = text_of(client.get("/"))
    assert "Unread" in elsewhere
    assert 'hx-trigger="every 5s"' not in elsewhere


@pytest.mark.parametrize(("cookie", "mark"), [("dark", ' data-theme="dark"'), ("<b>", "")])
def test_a_page_comes_in_the_look_that_was_chosen(ada, cookie, mark):
    client = client_of(ada)
    client.cookies["theme"] = cookie
    assert f'dir="ltr"{mark}>' in text_of(client.get("/"))


def test_a_chat_as_markdown_is_its_branch(chat, ada):
    chat.title = "Größe / two"
    chat.save()
    chat.fork_at(chat.messages.get(role="user"))
    chat.add_message("assistant", "Good *evening*.")
    response = client_of(ada).get(address(chat, "export", "md"))
    assert response.headers["Content-Disposition"] == 'attachment; filename="groe-two.md"'
    parts = text_of(response).split("\n\n")
    assert parts[0] == "# Größe / two"
    assert parts[1].startswith("## You, ")
    assert parts[2] == "Hello there"
    assert parts[4] == "Good *evening*.\n"


def test_a_chat_as_json_has_every_branch(chat, ada):
    chat.fork_at(chat.messages.get(role="user"))
    chat.add_message("assistant", "Good evening.")
    whole = json.loads(text_of(client_of(ada).get(address(chat, "export", "json"))))
    assert whole["title"] == chat.title
    said = [(message["body"], message["is_active"]) for message in whole["messages"]]
    assert said == [("Hello there", True), ("Good morning.", False), ("Good evening.", True)]
    assert whole["messages"][1]["parent"] == whole["messages"][0]["id"]


def test_nobody_else_exports_a_chat(chat, ben):
    assert client_of(ben).get(address(chat, "export", "md")).status_code == 404


def test_an_unknown_kind_of_file_is_not_there(chat, ada):
    assert client_of(ada).get(address(chat, "export", "exe")).status_code == 404


@pytest.mark.parametrize(
    ("query", "line"),
    [("two", "and two"), ("Three two", "two three"), ("none of it", "one"), ("", "one")],
)
def test_the_line_with_most_words_is_shown(query, line):
    assert matching_line("one\n\n  and two\ntwo three", query) == line
