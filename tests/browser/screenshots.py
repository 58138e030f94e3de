"""Takes the pictures in docs/screens, from the demo's person: make screenshots."""

from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Chat, User
from tests.browser.conftest import PHONE, WIDE, say
from tests.factories import make_chat
from tests.fakes import says

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
LOOKS = {
    "": {},
    "-dark": {"color_scheme": "dark"},
    "-phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
PAGES = {
    "new": "/",
    "chats": "/chats/",
    "memory": "/memory/",
    "persona": "/memory/persona/",
    "inbox": "/memory/inbox/",
    "log": "/memory/log/",
    "resources": "/resources/",
    "settings": "/settings/",
    "nothing-here": "/nowhere/",
}


@pytest.fixture
def demo(ada):
    call_command("seed_demo")
    person = User.objects.get(username="demo")
    person.is_staff = person.is_superuser = True
    person.save()
    return person


def take(page, name):
    page.wait_for_load_state("networkidle")
    FOLDER.mkdir(exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


@pytest.mark.parametrize("look", LOOKS)
def test_every_page(browse, demo, look):
    person = browse(demo, **LOOKS[look])
    pinned = Chat.objects.for_user(demo).get(is_pinned=True)
    for name, address in PAGES.items():
        take(person.open(address), name + look)
    page = person.open(f"/chats/{pinned.pk}/")
    page.locator(".receipt__line").last.click()
    page.locator(".message--user").last.evaluate("said => said.scrollIntoView()")
    take(page, "chat" + look)
    page.goto(page.locator("a[href$='/receipt/']").last.get_attribute("href"))
    take(page, "receipt" + look)
