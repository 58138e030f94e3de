"""A temporary chat in a real browser: what it shows, what it survives, and what it leaves."""

import re

import pytest
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Chat, Message
from tests.browser.conftest import PHONE
from tests.browser.thread import box, is_finished, say
from tests.dumps import everything
from tests.factories import make_fact
from tests.fakes import says

REPLY = "**Zebras** have stripes:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n"


@pytest.fixture
def talker(server):
    with llm.override({"talker": says(*re.split(r"(?<= )", REPLY), pause=0.02)}):
        yield


def shut_off(page):
    """What the browser does when the network is gone: the socket is closed under the page."""
    page.evaluate("() => document.querySelector('main')['htmx-internal-data'].webSocket.close()")


def test_it_streams_like_any_chat_and_leaves_nothing(browse, ada, talker):
    make_fact(ada, "city", "Rome")
    page = browse(ada).open("/")
    page.get_by_role("link", name="Temporary chat").click()
    expect(page.get_by_text("Nothing here is written down")).to_be_visible()
    expect(page.get_by_role("button", name="Keep this chat")).to_be_disabled()
    say(page, "What is a zebra?")
    expect(page.locator(".message--user")).to_contain_text("What is a zebra?")
    expect(page.locator(".message--assistant strong")).to_have_text("Zebras")
    expect(page.locator(".message--assistant table")).to_be_visible()
    is_finished(page)
    expect(page.locator("#composer-body")).to_have_value("")
    expect(page.get_by_role("button", name="Keep this chat")).to_be_enabled()
    kept = page.evaluate("() => JSON.stringify([localStorage, sessionStorage])")
    assert "zebra" not in kept.lower()
    assert (Chat.objects.count(), Message.objects.count()) == (0, 0)


def test_leaving_asks_first_when_something_would_be_lost(browse, ada, talker):
    page = browse(ada).open("/chats/temporary/")
    page.goto("/")  # nothing to lose yet
    page.goto("/chats/temporary/")
    say(page, "What is a zebra?")
    expect(page.get_by_role("button", name="Keep this chat")).to_be_enabled()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.get_by_role("link", name="New chat").click()
    expect(page).to_have_url(re.compile("/chats/temporary/$"))
    assert asked == ["beforeunload"]


def test_keeping_makes_an_ordinary_chat_without_asking(browse, ada, talker):
    page = browse(ada).open("/chats/temporary/")
    page.on("dialog", lambda dialog: pytest.fail(f"asked: {dialog.message}"))
    say(page, "What is a zebra?")
    page.get_by_role("button", name="Keep this chat").click()
    expect(page).to_have_url(re.compile("/chats/[0-9a-f-]{36}/$"))
    expect(page.locator(".message--user")).to_contain_text("What is a zebra?")
    expect(page.locator(".message--assistant table")).to_be_visible()
    kept = Chat.objects.for_user(ada).get()
    assert [message.role for message in kept.archive] == ["user", "assistant"]
    expect(page.locator("#chat-title")).not_to_have_text("New chat")


def test_what_is_sent_while_the_network_is_gone_goes_out_once_it_is_back(browse, ada, server):
    person = browse(ada)
    with llm.override({"talker": says("Fine.")}):
        page = person.open("/chats/temporary/")
        say(page, "I am Ada.")
        expect(page.locator(".message--assistant")).to_have_count(1)
        is_finished(page)
        person.context.set_offline(True)
        expect(page.locator("#offline")).to_be_visible()
        say(page, "And you?")
        box(page).press_sequentially(" More of it")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Send", exact=True).click()
        person.context.set_offline(False)
        expect(page.locator(".message--assistant")).to_have_count(2)
        is_finished(page)
    assert page.locator(".message--user .message__body").all_inner_texts() == [
        "I am Ada.",
        "And you?",
    ]
    expect(box(page)).to_have_value("More of it")
    person.errors.clear()


def test_a_lost_connection_heals_with_all_that_was_said(browse, ada, server):
    model = says("Fine.")
    with llm.override({"talker": model}):
        page = browse(ada).open("/chats/temporary/")
        say(page, "I am Ada.")
        expect(page.get_by_text("Fine.")).to_be_visible()
        shut_off(page)
        expect(page.get_by_text("The connection is lost.")).to_be_visible()
        box(page).fill("Who am I?")
        page.get_by_role("button", name="Try now").click()
        expect(page.get_by_text("The connection is lost.")).to_be_hidden()
        expect(page.locator("#composer-body")).to_have_value("Who am I?")
        page.keyboard.press("Enter")
        box(page).press("Enter")
        expect(page.locator(".message--assistant")).to_have_count(2)
        expect(page.get_by_role("button", name="Keep this chat")).to_be_enabled()
    assert "I am Ada." in str(model.requests[-1])
    assert page.locator(".message").count() == 4


def test_after_a_lost_connection_a_button_asks_once(browse, ada, server):
    with llm.override({"talker": says("Fine.", pause=0.5)}):
        page = browse(ada).open("/chats/temporary/")
        say(page, "I am Ada.")
        expect(page.get_by_text("Fine.")).to_be_visible()
        is_finished(page)
        said = page.locator(".message--user").element_handle()
        shut_off(page)
        page.get_by_role("button", name="Try now").click()
        expect(page.get_by_text("The connection is lost.")).to_be_hidden()
        page.locator(".message--assistant").hover()
        page.get_by_role("button", name="Answer again").click()
        expect(page.get_by_role("button", name="Stop answering")).to_be_visible()
        is_finished(page)
    expect(page.locator("#composer-error")).to_be_empty()
    expect(page.locator(".message--assistant")).to_have_count(1)
    assert said.evaluate("element => element.isConnected")


def test_a_reply_is_stopped_and_tried_again(browse, ada, server):
    with llm.override({"talker": says(*["word "] * 100, pause=0.05)}):
        page = browse(ada, viewport=PHONE).open("/chats/temporary/")
        say(page, "Go on")
        expect(page.locator(".message--assistant")).to_contain_text("word word")
        box(page).fill("Next question")
        page.keyboard.press("Enter")  # not while it answers; it stays in the box
        expect(page.locator("#composer-body")).to_have_value("Next question")
        page.get_by_role("button", name="Stop answering").click()
        expect(page.get_by_text("You stopped this reply.")).to_be_visible()
    with llm.override({"talker": says("A better one.")}):
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("A better one.")).to_be_visible()
    expect(page.locator(".message--assistant")).to_have_count(1)
    expect(page.locator("#composer-body")).to_have_value("Next question")


def test_an_interrupted_reply_is_continued_on_its_page(browse, ada, server):
    chat = Chat.objects.create(user=ada)
    chat.add_message("user", "How do I move house?")
    chat.add_message("assistant", "First call the mov", status="interrupted", failure="It broke.")
    with llm.override({"talker": says("movers, ", "**then** wait.", pause=0.3)}):
        page = browse(ada).open(f"/chats/{chat.pk}/")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator(".message--assistant")).to_contain_text("First call the movers, ")
        expect(page.locator(".message--assistant strong")).to_have_text("then")
    expect(page.locator(".siblings")).to_contain_text("2 / 2")
    expect(page.get_by_text("It broke.")).to_have_count(0)
    page.get_by_role("button", name="The version before").last.click()
    expect(page.get_by_text("First call the mov", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


def test_nothing_of_it_is_in_the_database_nor_in_the_log(browse, ada, server, settings, caplog):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 3, 2
    page = browse(ada).open("/chats/temporary/")
    expect(page.get_by_text("Nothing here is written down")).to_be_visible()
    before = everything()
    models = {"talker": says("Marmalade, ", "you say."), "summarizer": says("On Marmalade.")}
    with llm.override(models), caplog.at_level("DEBUG", "memoryapp"):
        for number in (1, 2):
            say(page, f"I am allergic to Marmalade {number}.")
            expect(page.locator(".message--assistant")).to_have_count(number)
            expect(page.locator(".message--assistant[aria-busy]")).to_have_count(0)
        expect(page.get_by_text("2 earlier messages condensed")).to_be_visible()
        shut_off(page)
        page.get_by_role("button", name="Try now").click()
        expect(page.get_by_text("The connection is lost.")).to_be_hidden()
        page.wait_for_timeout(1000)  # for background work, of which there must be none
    assert everything() == before
    assert "Marmalade" not in str(everything())
    assert "Marmalade" not in caplog.text
