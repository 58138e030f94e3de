"""What becomes of a text on its way to the server: nothing is lost, and nothing left over."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Message
from tests.browser.thread import box, is_finished, say
from tests.fakes import says

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(browse, ada, chat):
    return browse(ada).open(f"/chats/{chat.pk}/")


def test_what_is_refused_stays_to_be_changed(page, settings):
    settings.MESSAGE_MAX_CHARS = 20
    text = "This has more characters than are taken."
    say(page, text)
    expect(page.locator("#composer-error")).to_contain_text("Shorten it")
    expect(box(page)).to_have_value(text)
    page.reload()
    expect(box(page)).to_have_value(text)


def test_a_question_comes_too_late_while_another_tab_is_answered_and_stays(page, chat):
    held = []
    page.route("**/messages/", lambda route: held.append(route))
    say(page, "And mine?")
    while not held:
        page.wait_for_timeout(50)
    reply = chat.add_message("assistant", "", status="streaming")
    held[0].continue_()
    expect(page.locator("#composer-error")).to_contain_text("still answering")
    expect(box(page)).to_have_value("And mine?")
    reply.finish("stopped")


def test_what_waited_and_is_refused_comes_back(page, settings, slow_talker):
    say(page, "Tell me words")
    expect(page.get_by_text("word2")).to_be_visible()
    say(page, "And then, after all of these words?")
    settings.MESSAGE_MAX_CHARS = 20
    page.get_by_role("button", name="Stop answering").click()
    expect(page.locator("#composer-error")).to_contain_text("Shorten it")
    expect(box(page)).to_have_value("And then, after all of these words?")
    expect(page.locator(".message--waiting")).to_have_count(0)


def test_what_is_written_while_a_message_is_on_its_way_stays(page):
    held = []
    page.route("**/messages/", lambda route: held.append(route))
    with llm.override({"talker": says("Yes.")}):
        say(page, "First")
        box(page).press_sequentially(" and this next")
        held[0].continue_()
        expect(page.get_by_text("Yes.")).to_be_visible()
    expect(box(page)).to_have_value("and this next")
    assert Message.objects.filter(body="First").exists()


def test_the_first_message_of_a_chat_leaves_nothing_behind(browse, ada):
    page = browse(ada).open("/")
    with llm.override({"talker": says("Yes.")}):
        say(page, "A new beginning")
        expect(page.get_by_text("Yes.")).to_be_visible()
    page.goto("/")
    expect(box(page)).to_have_value("")


def test_an_answer_that_comes_after_the_reply_has_ended_brings_nothing_back(page):
    held = []
    page.route("**/messages/", lambda route: held.append((route, route.fetch())))
    with llm.override({"talker": says("Yes.")}):
        say(page, "Are you there?")
        expect(page.get_by_text("Yes.")).to_be_visible()
        is_finished(page)
    route, response = held[0]
    route.fulfill(response=response)
    expect(box(page)).to_have_value("")
    is_finished(page)
    expect(page.get_by_role("navigation").get_by_text("Still answering")).to_have_count(0)
    with llm.override({"talker": says("Again.")}):
        page.unroute("**/messages/")
        say(page, "And now?")
        expect(page.get_by_text("Again.")).to_be_visible()


def test_whoever_was_signed_out_is_told_and_keeps_the_text(browse, ada, chat):
    person = browse(ada)
    page = person.open(f"/chats/{chat.pk}/")
    Session.objects.all().delete()
    with page.expect_response("**/messages/"):
        say(page, "Don't lose this")
    expect(page.locator("#problem")).to_contain_text("You were signed out")
    expect(box(page)).to_have_value("Don't lose this")
    person.errors.clear()


def test_whoever_works_elsewhere_when_the_answer_comes_stays_there(page):
    held, search = [], page.get_by_role("searchbox", name="Search chats")
    page.route("**/messages/", lambda route: held.append(route))
    with llm.override({"talker": says("Yes.")}):
        with page.expect_request("**/messages/"):
            say(page, "Are you there?")
        search.focus()
        held[0].continue_()
        expect(page.get_by_text("Yes.")).to_be_visible()
    expect(box(page)).to_have_value("")
    expect(search).to_be_focused()


def test_whoever_sends_by_the_button_goes_on_typing(page):
    with llm.override({"talker": says("Yes.")}):
        box(page).fill("Are you there?")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_text("Yes.")).to_be_visible()
    expect(box(page)).to_be_focused()


def test_on_touch_sending_by_the_button_brings_no_keyboard_up(browse, ada, chat):
    page = browse(ada, has_touch=True, is_mobile=True).open(f"/chats/{chat.pk}/")
    with llm.override({"talker": says("Yes.")}):
        box(page).fill("Are you there?")
        page.get_by_role("button", name="Send", exact=True).tap()
        expect(page.get_by_text("Yes.")).to_be_visible()
    expect(box(page)).to_have_value("")
    expect(box(page)).not_to_be_focused()
