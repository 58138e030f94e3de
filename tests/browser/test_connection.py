"""The page's connection: lost and opened anew, by itself and by hand, and never two at once."""

import time

import pytest
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.consumers.temporary import OPEN
from tests.browser.thread import say
from tests.factories import make_chat
from tests.fakes import says

PATIENTLY = "Math.random = () => 1"  # the page waits as long as it ever does


@pytest.fixture
def chat(ada):
    return make_chat(ada, "Hello", "Hi", title="Greetings", title_source="manual")


@pytest.fixture
def sockets(person):
    """The connections of the person's pages, in the order in which they were opened."""
    opened = []

    def watch(socket):
        opened.append(socket)
        socket.connect_to_server()

    person.context.route_web_socket("**/ws/**", watch)
    return opened


def test_a_lost_connection_is_said_and_heals_with_what_was_missed(person, chat, sockets):
    page = person.open(f"/chats/{chat.pk}/")
    expect(page.locator("#offline")).to_be_hidden()
    chat.add_message("user", "Said while the page was away.")
    sockets[0].close(code=1012)
    expect(page.get_by_text("Said while the page was away.")).to_be_visible()
    expect(page.locator("#offline")).to_be_hidden()
    assert len(sockets) > 1


def test_what_is_connected_by_hand_is_not_connected_again_by_itself(person, sockets, slow_talker):
    person.context.add_init_script(PATIENTLY)
    page = person.open("/chats/temporary/")
    say(page, "Tell me words")
    expect(page.locator(".message--assistant")).to_contain_text("word2")
    sockets[0].close(code=1012)
    page.get_by_role("button", name="Try now").click()
    expect(page.locator(".message--assistant")).to_contain_text("word2")
    page.wait_for_timeout(1500)
    assert len(sockets) == 2
    expect(page.locator("#offline")).to_be_hidden()


def test_a_page_that_could_not_connect_at_all_is_connected_by_hand(person, chat):
    opened = []

    def refuse_the_first(socket):
        opened.append(socket)
        if len(opened) == 1:
            socket.close(code=1012)
        else:
            socket.connect_to_server()

    person.context.route_web_socket("**/ws/**", refuse_the_first)
    person.context.add_init_script(PATIENTLY.replace("1", "1000"))
    page = person.open(f"/chats/{chat.pk}/")
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#offline")).to_be_hidden()
    say(page, "Are you there?")
    expect(page.locator(".message--assistant")).to_have_count(2)


def test_a_network_that_comes_back_again_and_again_leaves_one_connection(person, ada, server):
    page = person.open("/chats/temporary/")
    say(page, "Hello")
    expect(page.locator(".message--assistant")).to_have_count(1)
    for _ in range(5):
        page.evaluate("dispatchEvent(new Event('online'))")
    deadline = time.monotonic() + 10
    while OPEN[ada.pk] != 1 and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert OPEN[ada.pk] == 1
    expect(page.locator("#offline")).to_be_hidden()
    expect(page.locator(".message--assistant")).to_have_count(1)
    person.errors.clear()  # Chromium complains of each that was closed before it was open


def test_a_page_whose_thread_could_not_be_read_again_hears_of_its_chat_all_the_same(
    person, chat, server
):
    page, other = person.open(f"/chats/{chat.pk}/"), person.open(f"/chats/{chat.pk}/")
    page.route(f"**/chats/{chat.pk}/", lambda route: route.abort(), times=1)
    page.evaluate("htmx.trigger(document.body, 'stale')")
    expect(page.locator("#problem")).to_contain_text("The server didn't answer.")
    with llm.override({"talker": says("I am.")}):
        say(other, "Are you there?")
        expect(page.get_by_text("Are you there?")).to_be_visible()
        expect(page.get_by_text("I am.")).to_be_visible()
    person.errors.clear()
