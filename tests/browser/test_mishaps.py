"""What happens to people: the network goes away, keys are hit twice, tabs are closed too early."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Chat, Message
from tests.browser.thread import box, is_finished, reply, say, words_of
from tests.factories import make_chat
from tests.fakes import says
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_while_without_a_network_costs_no_word(streaming, person, chat, slow_talker):
    person.context.set_offline(True)
    expect(streaming.locator("#offline")).to_be_visible()
    slow_talker.go_on(30)
    wait_until(chat.messages.filter(body__contains="word29").exists)
    assert "word8" not in reply(streaming).inner_text()
    person.context.set_offline(False)
    expect(reply(streaming)).to_contain_text("word29")
    expect(streaming.locator("#offline")).to_be_hidden()
    slow_talker.go_on()
    is_finished(streaming)
    assert words_of(reply(streaming)) == slow_talker.text.split()
    person.errors.clear()


def test_going_back_and_forward_again_costs_no_word(person, ada, chat, slow_talker):
    other = make_chat(ada, "Hello", "Hi")
    page = person.open(f"/chats/{other.pk}/")
    page.goto(f"/chats/{chat.pk}/")
    say(page, "Tell me words")
    expect(reply(page)).to_contain_text("word5")
    page.go_back()
    expect(reply(page)).to_have_text("Hi")
    page.go_forward()
    slow_talker.go_on(24)
    expect(reply(page)).to_contain_text("word20")
    slow_talker.go_on()
    is_finished(page)
    assert words_of(reply(page)) == slow_talker.text.split()


@pytest.mark.parametrize("address", ["/", "/chats/{}/"])
def test_a_double_click_sends_once(person, chat, server, address):
    with llm.override({"talker": says("Good evening.")}):
        page = person.open(address.format(chat.pk))
        box(page).fill("And now?")
        page.get_by_role("button", name="Send", exact=True).dblclick()
        expect(reply(page)).to_have_text("Good evening.")
        is_finished(page)
    assert Message.objects.filter(body="And now?").count() == 1
    assert Message.objects.filter(body="Good evening.").count() == 1


@pytest.mark.parametrize("address", ["/", "/chats/{}/"])
def test_enter_hit_again_and_again_sends_once(person, chat, server, address):
    with llm.override({"talker": says("Good evening.", pause=1)}):
        page = person.open(address.format(chat.pk))
        box(page).fill("And now?")
        for _ in range(10):
            page.keyboard.press("Enter")
        expect(reply(page)).to_have_text("Good evening.")
        is_finished(page)
    assert Message.objects.filter(body="And now?").count() == 1
    assert Message.objects.filter(body="Good evening.").count() == 1


def test_enter_hit_again_before_the_server_confirms_queues_nothing(person, chat, server):
    held = []
    with llm.override({"talker": says("Good ", "evening.", pause=1)}):
        page = person.open(f"/chats/{chat.pk}/")
        page.route("**/messages/", lambda route: held.append((route, route.fetch())))
        say(page, "And now?")
        expect(page.get_by_role("button", name="Stop answering")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.locator(".message--waiting")).to_have_count(0)
        [(route, confirmation)] = held
        route.fulfill(response=confirmation)
        expect(reply(page)).to_have_text("Good evening.")
        is_finished(page)
        expect(box(page)).to_have_value("")
    assert Message.objects.filter(body="And now?").count() == 1


def test_a_stop_before_the_first_word_ends_the_reply(person, chat, server):
    with llm.override({"talker": says("late", pause=60)}):
        page = person.open(f"/chats/{chat.pk}/")
        say(page, "And now?")
        page.get_by_role("button", name="Stop answering").click()
        expect(page.get_by_text("You stopped this reply.")).to_be_visible()
        is_finished(page)
    with llm.override({"talker": says("Good evening.")}):
        page.get_by_role("button", name="Answer again").last.click()
        expect(reply(page)).to_have_text("Good evening.")


def test_a_chat_that_is_deleted_while_it_answers_leaves_what_was_not_sent(streaming, person, chat):
    say(streaming, "Waits for its turn.")
    box(streaming).fill("Half a thought.")
    other = person.open(f"/chats/{chat.pk}/")
    other.get_by_role("button", name="Chat menu").click()
    other.get_by_role("link", name="Delete").click()
    other.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(other.locator(".empty__title")).to_be_visible()
    expect(streaming.get_by_text("This chat was deleted")).to_be_visible()
    expect(streaming.get_by_role("button", name="Send", exact=True)).to_be_visible()
    expect(streaming.locator("[aria-busy], .message--waiting")).to_have_count(0)
    for banner in ("#offline", "#problem"):
        expect(streaming.locator(banner)).to_be_hidden()
    expect(box(streaming)).to_have_value("Waits for its turn.\n\nHalf a thought.")
    expect(box(streaming)).to_be_in_viewport()
    expect(streaming.locator(".chats__item [aria-current]")).to_have_count(0)
    assert not Message.objects.exists()
    with llm.override({"talker": says("Go on.")}):
        streaming.get_by_role("button", name="Send", exact=True).click()
        expect(reply(streaming)).to_have_text("Go on.")
    said = Message.objects.get(role="user")
    assert said.body == "Waits for its turn.\n\nHalf a thought."


@pytest.fixture
def empty_chat(ada):
    """A chat of which nothing follows: no task writes to it while it is deleted."""
    return Chat.objects.create(user=ada)


def test_what_was_not_sent_to_a_deleted_chat_is_there_in_a_new_one(person, empty_chat, server):
    page = person.open("/")
    box(page).fill("Begun before.")
    page.goto(f"/chats/{empty_chat.pk}/")
    box(page).fill("Don't lose this.")
    empty_chat.delete()
    page.get_by_role("link", name="Start a new chat").click()
    expect(page.locator(".empty__title")).to_be_visible()
    expect(box(page)).to_have_value("Begun before.\n\nDon't lose this.")
    person.errors.clear()  # the page may have read its chat at that moment


def test_a_chat_that_was_deleted_while_the_page_was_away_says_so(person, empty_chat, server):
    page = person.open(f"/chats/{empty_chat.pk}/")
    expect(page.locator("#offline")).to_be_hidden()
    person.context.set_offline(True)
    expect(page.locator("#offline")).to_be_visible()
    empty_chat.delete()
    person.context.set_offline(False)
    expect(page.get_by_text("This chat was deleted")).to_be_visible()
    expect(page.locator("#offline")).to_be_hidden()
    person.errors.clear()


def test_a_page_whose_session_has_ended_says_so(person, chat, server):
    page = person.open(f"/chats/{chat.pk}/")
    box(page).fill("Don't lose this.")
    expect(page.locator("#offline")).to_be_hidden()
    page.wait_for_load_state("networkidle")  # what is asked for after this is refused
    Session.objects.all().delete()
    expect(page.locator("#problem")).to_contain_text("You were signed out")
    expect(page.locator("#offline")).to_be_hidden()
    expect(box(page)).to_have_value("Don't lose this.")
