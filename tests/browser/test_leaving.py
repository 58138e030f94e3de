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
    expect(box(page)).to_be_visible()


def sign_out(page):
    page.goto("/settings/")
    page.get_by_role("main").get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_label("Username")).to_be_visible()


def test_a_draft_goes_when_its_writer_signs_out(browse, ada):
    page = browse(ada).open("/")
    box(page).fill("Nobody may see this.")
    assert page.evaluate(DRAFTS) != []
    sign_out(page)
    assert page.evaluate(DRAFTS) == []


def test_what_is_sent_after_its_writer_signed_out_elsewhere_stays_to_be_sent(browse, ada, chat):
    person = browse(ada)
    page = person.open(f"/chats/{chat.pk}/")
    box(page).fill("Don't lose this.")
    sign_out(person.open("/"))
    box(page).press("Enter")
    expect(page.locator("#problem")).to_contain_text("You were signed out")
    page.reload()
    sign_in(page, "ada")
    expect(box(page)).to_have_value("Don't lose this.")
    person.errors.clear()


@pytest.mark.parametrize(
    ("address", "role", "name", "status"),
    [
        ("/memory/", "button", "Pause", "active"),
        ("/memory/", "link", "Forget", "active"),
        ("/memory/inbox/", "button", "Accept", "pending"),
    ],
)
def test_what_is_pressed_after_signing_out_elsewhere_says_so(
    browse, ada, address, role, name, status
):
    fact = make_fact(ada, "city", "Vienna", status=status)
    person = browse(ada)
    page = person.open(address)
    sign_out(person.open("/"))
    page.get_by_role("main").get_by_role(role, name=name, exact=True).click()
    expect(page.locator("#problem")).to_contain_text("You were signed out")
    fact.refresh_from_db()
    assert fact.status == status
    person.errors.clear()


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
