"""Imported chats as a person learns from them: what it takes, how far it is, and what waits."""

import pytest
from playwright.sync_api import expect

from memoryapp.models import Fact
from tests.browser.conftest import PHONE, WIDE
from tests.importing import exports
from tests.importing.exports import taken_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def page(request, browse, ada):
    """The page on which Ada has imported a chat of two messages."""
    nodes = (
        exports.node("q", "root", "user", "I live in Graz.", at=1700000000),
        exports.node("a", "q", "assistant", "Nice.", at=1700000010),
        exports.node("q2", "a", "user", "I love tea.", at=1700000020),
    )
    taken_in(ada, [exports.chatgpt(*nodes, end="q2")])
    return browse(ada, viewport=request.param).open("/import/")


def test_learning_is_followed_to_its_end_and_leads_to_what_waits(page):
    expect(page.get_by_text("That makes about 1 question to the model")).to_be_visible()
    page.get_by_role("button", name="Start learning").click()
    expect(page.get_by_text("All 2 messages of yours are read.")).to_be_visible()
    page.get_by_role("link", name="2 things wait in the inbox.").click()
    expect(page.locator(".proposal")).to_have_count(2)
    assert set(Fact.objects.waiting().values_list("value", flat=True)) == {"Graz", "tea"}
