"""Versions of a message on the page: which there are, showing another, asking differently."""

import uuid

import pytest
from channels.layers import get_channel_layer
from django.urls import reverse

from memoryapp import replies, turns
from memoryapp.agents import llm
from memoryapp.models import Message
from tests.factories import make_chat
from tests.fakes import says
from tests.pages import HTMX, async_client_of, client_of, htmx_get, htmx_post, text_of

quick = pytest.mark.django_db
slow = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def bus():
    with llm.override({"talker": says("Good to know.")}):
        yield
        await replies.drain()
        await get_channel_layer().flush()


@pytest.fixture
def two_branches(ada):
    """a b, and beside b: b2, which is shown."""
    chat = make_chat(ada, "a", "b")
    chat.fork_at(chat.messages.get(body="a"))
    chat.add_message("assistant", "b2")
    return chat


def url(name, message):
    return reverse(f"message-{name}", args=[message.pk])


def page(chat, user):
    return text_of(client_of(user).get(reverse("chat-detail", args=[chat.pk])))


@quick
def test_a_message_with_one_version_counts_none(chat, ada):
    assert "siblings" not in page(chat, ada)


@quick
def test_the_version_before_is_one_press_away(two_branches, ada):
    html = page(two_branches, ada)
    assert "2 / 2" in html
    old = two_branches.messages.get(body="b")
    assert f'hx-post="{url("show", old)}"' in html
    response = htmx_post(client_of(ada), url("show", old))
    assert (response.status_code, response.headers["HX-Trigger"]) == (204, '{"stale": {}}')
    assert "1 / 2" in page(two_branches, ada)


@quick
def test_without_htmx_another_version_leads_to_its_place(two_branches, ada):
    old = two_branches.messages.get(body="b")
    response = client_of(ada).post(url("show", old))
    assert response.url == url("detail", old)


@quick
def test_a_version_far_above_the_end_is_led_to(two_branches, ada, settings):
    old = two_branches.messages.get(body="b")
    two_branches.switch_to(old)
    for number in range(60):
        two_branches.add_message("assistant" if number % 2 else "user", str(number))
    two_branches.switch_to(two_branches.messages.get(body="b2"))
    response = htmx_post(client_of(ada), url("show", old))
    assert response.headers["HX-Redirect"] == url("detail", old)


@slow
async def test_no_other_version_is_shown_while_a_reply_streams(two_branches, ada):
    client = await async_client_of(ada)
    old = await two_branches.messages.aget(body="b")
    await two_branches.messages.filter(body="b2").aupdate(status="streaming")
    response = await client.post(url("show", old), headers=HTMX)
    assert response.status_code == 409
    assert "still answering" in text_of(response)
    assert response.headers["HX-Reswap"] == "none"


@quick
def test_versions_cost_no_query_each(ada, django_assert_num_queries, django_assert_max_num_queries):
    chat = make_chat(ada, *"ab" * 5)
    client, address = client_of(ada), reverse("chat-detail", args=[chat.pk])
    client.get(address)
    with django_assert_max_num_queries(100) as before:
        client.get(address)
    for question in Message.objects.filter(role="user"):
        old = Message(chat=chat, user=ada, parent=question, role="assistant", body="c")
        old.is_active = False
        old.save()
    with django_assert_num_queries(len(before)):
        assert text_of(client.get(address)).count(" / 2") == 5


@quick
def test_the_words_of_a_message_are_there_to_be_changed(chat, ada):
    message = chat.messages.get(role="user")
    form = text_of(htmx_get(client_of(ada), url("edit", message)))
    assert "Hello there</textarea>" in form
    assert "<html" not in form
    assert "Hello there" in text_of(htmx_get(client_of(ada), url("detail", message)))


@slow
async def test_asking_differently_makes_a_version_and_answers_it(bus, chat, ada):
    client = await async_client_of(ada)
    old = await chat.messages.aget(role="user")
    id = uuid.uuid4()
    for _ in range(2):
        data = {"id": str(id), "body": "Good evening"}
        response = await client.post(url("edit", old), data, headers=HTMX)
        assert response.headers["HX-Trigger"] == '{"stale": {}}'
    shown = [message.body async for message in chat.history.filter(role="user")]
    assert shown == ["Good evening"]
    new = await chat.messages.aget(pk=id)
    assert new.parent_id == old.parent_id
    assert await chat.messages.filter(role="user").acount() == 2


@quick
@pytest.mark.parametrize("body", ["", " ", "x" * 100_001])
def test_words_that_cannot_be_kept_are_refused_in_a_sentence(chat, ada, body):
    message = chat.messages.get(role="user")
    response = htmx_post(client_of(ada), url("edit", message), body=body)
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    assert chat.messages.count() == 2


@quick
def test_only_what_a_person_said_is_edited(chat, ada):
    reply = chat.messages.get(role="assistant")
    assert client_of(ada).get(url("edit", reply)).status_code == 404


@quick
def test_a_summary_is_no_version_to_be_shown(chat, ada):
    summary = chat.add_message("summary", "They greeted each other.")
    assert client_of(ada).post(url("show", summary)).status_code == 404
    assert chat.messages.spoken().on_branch().count() == 2


@quick
def test_nothing_is_edited_while_a_reply_streams(chat, ada):
    message = chat.messages.get(role="user")
    turns.open_turn(chat=chat, body="And now?")
    response = htmx_post(client_of(ada), url("edit", message), body="Good evening")
    assert response.status_code == 409


@quick
@pytest.mark.parametrize("name", ["edit", "show"])
def test_nobody_else_reaches_a_version(chat, ben, name):
    message = chat.messages.get(role="user")
    assert client_of(ben).post(url(name, message), {"body": "Mine"}).status_code == 404


@quick
def test_a_long_message_is_folded_and_whole(ada):
    chat = make_chat(ada, "\n".join(f"line {n}" for n in range(50)))
    html = page(chat, ada)
    assert "42 more lines" in html
    assert html.index("line 7") < html.index("<details") < html.index("line 8")


@quick
@pytest.mark.parametrize(
    ("body", "shown", "told"),
    [
        ("x" * 20_000, "x" * 500, "19,500 more characters"),
        ("word " * 4000, "word " * 100, "19,500 more characters"),
        ("字" * 10 + " " + "字" * 5000, "字" * 10 + " " + "字" * 489, "4,511 more characters"),
        ("short\n" * 10 + "x" * 5000, "short\n" * 8, "3 more lines"),
    ],
)
def test_a_message_of_few_but_long_lines_is_folded_and_whole(ada, body, shown, told):
    html = page(make_chat(ada, body), ada)
    assert f'dir="auto">{shown}<details class="paste"><summary>{told}</summary>' in html
    assert f"</summary>{body[len(shown) :]}</details>" in html
