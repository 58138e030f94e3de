"""The menus of chats by keyboard: whatever is chosen, the focus comes back to where it was."""

import pytest
from playwright.sync_api import expect

from memoryapp.models import Chat
from tests.browser.conftest import PHONE, WIDE
from tests.factories import make_chat

THIS = "Chat menu"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def page(request, browse, ada, chat):
    """The page of Ada's chat, which has another one beside it in the list."""
    Chat.objects.filter(pk=chat.pk).update(title="Greetings", title_source="manual")
    make_chat(ada, "And now?", "Now it rains.", title="Weather", title_source="manual")
    return browse(ada, viewport=request.param).open(f"/chats/{chat.pk}/")


def button(page, name):
    """The button of this chat's menu, or of a chat's in the list."""
    return page.get_by_role("button", name=THIS if name == THIS else f"Menu of {name}")


def choose(page, name, what):
    """Go to a menu and down to what is called so, and press it."""
    if page.viewport_size == PHONE and name != THIS:
        page.get_by_role("button", name="Chats and pages").first.press("Enter")
    button(page, name).press("Enter")
    expect(page.get_by_role("link", name="Rename")).to_be_visible()
    chosen = page.locator("#menu .menu__item", has_text=what)
    chosen.focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("name", [THIS, "Weather"])
@pytest.mark.parametrize("what", ["Rename", "Delete"])
def test_a_dialog_that_is_left_gives_the_focus_back(page, name, what):
    choose(page, name, what)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(button(page, name)).to_be_focused()


@pytest.mark.parametrize(("name", "new"), [(THIS, THIS), ("Weather", "Rain")])
def test_a_new_name_gives_the_focus_back(page, name, new):
    choose(page, name, "Rename")
    page.get_by_label("Title").fill("Rain")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(button(page, new)).to_be_focused()
    assert Chat.objects.filter(title="Rain").count() == 1


@pytest.mark.parametrize("name", [THIS, "Weather"])
def test_pinning_gives_the_focus_back(page, name):
    choose(page, name, "Pin")
    expect(page.locator(".side__day").first).to_have_text("Pinned")
    expect(button(page, name)).to_be_focused()


def test_a_chat_that_leaves_the_list_gives_the_focus_to_the_next(page):
    choose(page, "Weather", "Archive")
    expect(page.locator(".chats__item")).to_have_count(1)
    expect(page.locator(".chats__link")).to_be_focused()
