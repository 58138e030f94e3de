"""The whole page without a mouse, and a selection that outlives what streams in."""

import pytest
from playwright.sync_api import expect

from memoryapp.bus import chat_group, publish
from memoryapp.models import Fact
from tests.browser.thread import box, is_finished, read_again, reply, words_of
from tests.factories import make_chat, make_fact
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
FOCUSED = "(document.activeElement.ariaLabel || document.activeElement.innerText).trim()"


def tab_to(page, name, key="Tab"):
    """Press Tab until what is called so has the focus, as somebody would who can't see it."""
    for _ in range(80):
        page.keyboard.press(key)
        if page.evaluate(FOCUSED).startswith(name):
            return
    raise AssertionError(f"{name} is not reached by {key}")


def test_a_chat_is_had_by_keyboard_alone(browse, ada):
    page = browse(ada).open("/memory/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    tab_to(page, "New chat")
    page.keyboard.press("Enter")
    expect(box(page)).to_be_focused()
    page.keyboard.type("I live in Vienna.")
    page.keyboard.press("Enter")
    expect(page.locator(".receipt__learned")).to_be_visible()
    tab_to(page, "Learned 1 thing", "Shift+Tab")
    page.keyboard.press("Enter")
    tab_to(page, "Undo")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Taken back what was learned")).to_be_visible()
    assert not Fact.objects.current().exists()


def test_an_edit_gives_the_focus_back_or_to_the_composer(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    edit = page.get_by_role("link", name="Edit").first
    for begun_at, key in ((edit, "Enter"), (box(page), "ArrowUp")):
        begun_at.press(key)
        page.get_by_role("textbox", name="Edit").press("Escape")
        expect(begun_at).to_be_focused()
    edit.press("Enter")
    page.get_by_role("textbox", name="Edit").fill("And now?")
    page.keyboard.press("Enter")
    is_finished(page)
    expect(page.locator(".message--user").last).to_contain_text("And now?")
    expect(box(page)).to_be_focused()


def test_a_menu_and_a_dialog_give_the_focus_back(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    menu = page.get_by_role("button", name="Chat menu")
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Rename")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    make_fact(ada, "city", "Vienna")
    page.goto("/memory/")
    forget = page.get_by_role("link", name="Forget", exact=True)
    forget.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(forget).to_be_focused()


def select(page, selector):
    """Select what the first such element says, as one would to copy it."""
    page.locator(selector).first.evaluate("found => getSelection().selectAllChildren(found)")
    return selected(page)


def selected(page):
    return page.evaluate("getSelection().toString()")


def test_what_is_selected_stays_so_while_the_reply_streams_and_after(streaming, chat, slow_talker):
    page = streaming
    slow_talker.go_on(16)
    expect(reply(page)).to_contain_text("word12")
    chosen = select(page, ".message__body.prose p:has-text('word0')")
    assert chosen.startswith("word0 word1")
    slow_talker.go_on(26)
    expect(reply(page)).to_contain_text("word24")
    read_again(page, chat)
    slow_talker.go_on(38)
    expect(reply(page)).to_contain_text("word36")
    page.evaluate("dispatchEvent(new Event('online'))")  # which connects anew
    slow_talker.go_on(50)
    expect(reply(page)).to_contain_text("word48")
    assert selected(page) == chosen
    slow_talker.go_on()
    is_finished(page)
    assert selected(page) == chosen


def test_what_is_selected_in_a_page_opened_amid_a_reply_stays_so(
    streaming, person, chat, slow_talker
):
    slow_talker.go_on(26)
    wait_until(chat.messages.filter(body__contains="word24").exists)
    page = person.open(f"/chats/{chat.pk}/")
    chosen = select(page, ".message__body.prose p:has-text('word0')")
    assert chosen.split() == [f"word{n}" for n in range(10)]
    slow_talker.go_on()
    is_finished(page)
    assert selected(page) == chosen
    assert words_of(reply(page)) == words_of(reply(streaming))


def test_what_is_focused_in_the_side_stays_so_while_the_chat_goes_on(person, chat, server):
    page = person.open(f"/chats/{chat.pk}/")
    inbox = page.locator("#known").get_by_role("link", name="Inbox")
    inbox.focus()
    chat.add_message("user", "Said elsewhere.")
    read_again(page, chat)
    expect(page.get_by_text("Said elsewhere.")).to_be_visible()
    expect(inbox).to_be_focused()
    make_fact(chat.user, "city", "Graz", status="pending", waits_because="It is pasted.")
    said = str(chat.archive[0].pk)
    publish(chat_group(chat.pk), {"type": "chat.changed", "what": "learned", "message": said})
    expect(inbox).to_contain_text("1 waiting")
    expect(inbox).to_be_focused()


def test_what_stands_in_a_chat_stays_the_same_when_the_chat_is_read_again(browse, ada):
    tex = "By Euler $e^{i\\pi} = -1$ holds.\n\n```python\nprint(1)\n```\n\nAnd so on."
    chat = make_chat(ada, "Who was Euler?", tex)
    page = browse(ada).open(f"/chats/{chat.pk}/")
    expect(page.locator(".katex")).to_be_visible()
    before = page.evaluate_handle(
        "[...document.querySelectorAll('#thread :is(.message, .prose > *)')]"
    )
    copying = page.locator(".message--assistant").get_by_role("button", name="Copy").last
    copying.focus()
    chat.add_message("user", "Said elsewhere.")
    read_again(page, chat)
    expect(page.get_by_text("Said elsewhere.")).to_be_visible()
    expect(copying).to_be_focused()
    assert page.evaluate("before => before.every((element) => element.isConnected)", before)
