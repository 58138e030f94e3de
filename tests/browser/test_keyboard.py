"""The whole page without a mouse, and a selection that outlives what streams in."""

import pytest
from playwright.sync_api import expect

from memoryapp.models import Fact
from tests.browser.thread import box, say
from tests.factories import make_fact

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


def test_what_is_selected_stays_so_while_the_reply_streams(browse, ada, slow_talker):
    page = browse(ada).open("/")
    say(page, "Count.")
    reply = page.locator(".message--assistant .message__body")

    def stays_selected_until(word):
        page.evaluate(
            "() => getSelection().selectAllChildren(document.querySelector('.message__body p'))"
        )
        chosen = page.evaluate("getSelection().toString()")
        assert chosen.startswith("word0 word1")
        expect(reply).to_contain_text(word)
        return page.evaluate("getSelection().toString()") == chosen

    expect(reply).to_contain_text("word12")
    # Where a page reads the whole text anew, once, nothing of it stays selected.
    assert any(map(stays_selected_until, ("word24", "word36", "word48")))
