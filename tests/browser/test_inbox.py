"""The inbox as a person uses it: one thing decided, then all the rest at once."""

import pytest
from playwright.sync_api import expect

from memoryapp.models import Fact
from tests.browser.conftest import PHONE, WIDE
from tests.factories import make_fact

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def page(request, browse, ada):
    """The inbox of Ada, for whom three things wait."""
    why = {"status": "pending", "waits_because": "It is sensitive.", "origin": "typed"}
    for key, value in (("allergy", "nuts"), ("salary", "little"), ("doctor", "Novak")):
        make_fact(ada, key, value, **why)
    return browse(ada, viewport=request.param).open("/memory/inbox/")


def in_use():
    return set(Fact.objects.in_use().values_list("value", flat=True))


def test_what_was_decided_before_is_not_decided_again(page):
    expect(page.get_by_role("button", name="Accept all 3")).to_be_visible()
    page.locator(".proposal").first.get_by_role("button", name="Turn down").click()
    page.get_by_role("button", name="Accept all 2").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 things take effect")
    dialog.get_by_role("button", name="Accept all").click()
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert in_use() == {"little", "Novak"}


def test_a_dialog_that_is_left_decides_nothing(page):
    for name in ("Accept all 3", "Turn all 3 down"):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    assert in_use() == set()
    assert Fact.objects.waiting().count() == 3


def test_all_is_turned_down(page):
    page.get_by_role("button", name="Turn all 3 down").click()
    page.get_by_role("dialog").get_by_role("button", name="Turn all down").click()
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert not Fact.objects.exists()


def test_the_focus_goes_to_what_stands_in_the_place_of_what_was_decided(page):
    second = page.locator(".proposal").nth(1)
    second.get_by_role("button", name="Accept").press("Enter")
    expect(page.locator(".proposal")).to_have_count(2)
    expect(second).to_be_focused()
    second.get_by_role("button", name="Accept").press("Enter")
    expect(page.locator(".proposal")).to_have_count(1)
    expect(page.locator(".proposal")).to_be_focused()
    page.locator(".proposal").get_by_role("button", name="Turn down").press("Enter")
    expect(page.locator("#proposals .nothing")).to_be_focused()
