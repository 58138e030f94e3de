"""What stays behind at a browser, and what goes on paper."""

import pytest
from playwright.sync_api import expect

from memoryapp.models import MemoryEvent
from tests.browser.thread import box
from tests.factories import make_chat, make_fact

pytestmark = pytest.mark.django_db(transaction=True)
DRAFTS = "Object.keys(localStorage).filter(key => key.startsWith('draft:'))"


def sign_in(page, name):
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("a-long-password")
    page.keyboard.press("Enter")
    expect(page.locator(".empty__title")).to_be_visible()


def test_a_draft_goes_when_its_writer_signs_out(browse, ada):
    page = browse(ada).open("/")
    box(page).fill("Nobody may see this.")
    assert page.evaluate(DRAFTS) != []
    page.goto("/settings/")
    page.get_by_role("main").get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_label("Username")).to_be_visible()
    assert page.evaluate(DRAFTS) == []


def test_a_draft_is_never_there_for_the_next_person(browse, ada, ben):
    person = browse(ada)
    page = person.open("/")
    box(page).fill("Nobody may see this.")
    person.context.clear_cookies()  # as when a session is over
    page.goto("/")
    sign_in(page, "ben")
    expect(box(page)).to_have_value("")
    assert page.evaluate(DRAFTS) == []
    box(page).fill("Mine.")
    page.reload()
    expect(box(page)).to_have_value("Mine.")


def test_on_paper_all_is_open_and_nothing_can_be_pressed(browse, ada):
    long = "\n".join(f"line {number}" for number in range(60))
    chat = make_chat(ada, long, "Noted.", title="To be printed", title_source="manual")
    question, reply = chat.messages.order_by("created_at")
    fact = make_fact(ada, "city", "Vienna", source_message=question)
    MemoryEvent.objects.create(
        user=ada, message=question, action="added", table="fact", row_id=fact.pk, key="city",
        after="Vienna", actor="extractor",
    )  # fmt: skip
    page = browse(ada, color_scheme="dark").open(f"/chats/{chat.pk}/")
    folded = page.locator(".paste").bounding_box()["height"]
    page.emulate_media(media="print")
    assert page.locator(".paste").bounding_box()["height"] > folded + 52 * 10  # pixels a line
    for shown in ("To be printed", "Learned from your message"):
        expect(page.get_by_role("main").get_by_text(shown)).to_be_visible()
    for left_out in page.locator("button, .act, .composer, .side, .drawer").all():
        assert not left_out.is_visible()  # at once: paper doesn't wait
    expect(page.locator("html")).to_have_css("background-color", "rgb(253, 253, 252)")
    box = page.locator("#messages").evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert box[0] == box[1]
