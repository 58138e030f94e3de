import json

import pytest
from playwright.sync_api import expect

from memoryapp.memory import resources
from memoryapp.models import Fact, Resource
from tests.browser.conftest import PHONE
from tests.browser.thread import say
from tests.documents.making import pdf
from tests.factories import make_chat, make_fact, make_prompt, remember
from tests.importing import exports

LONG = "supercalifragilistic" * 20


def test_a_fact_is_added_edited_found_and_forgotten(browse, ada):
    page = browse(ada).open("/memory/")
    page.get_by_role("link", name="Add a fact").click()
    page.get_by_label("About").fill("Units")
    page.get_by_label("What I should know").fill("metric")
    page.get_by_role("button", name="Save").click()
    fact = page.locator(".fact")
    expect(fact).to_contain_text("metric")
    fact.hover()
    fact.get_by_role("link", name="Edit").click()
    fact.get_by_label("What I should know").fill("metric, and Celsius")
    fact.get_by_role("button", name="Save").click()
    expect(fact).to_contain_text("metric, and Celsius")
    fact.get_by_role("link", name="History").click()
    expect(fact.locator(".was")).to_have_text("metric")
    page.get_by_label("Search facts").fill("celsius")
    expect(page.get_by_text("1 fact found")).to_be_visible()
    fact.get_by_role("link", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(fact).to_have_count(0)
    assert not Fact.objects.exists()


def test_a_wrong_fact_is_refused_in_the_dialog(browse, ada):
    page = browse(ada).open("/memory/")
    page.get_by_role("link", name="Add a fact").click()
    page.get_by_label("About").fill("Until when")
    page.get_by_label("What I should know").fill("something")
    page.get_by_label("Use until").fill("2001-01-01")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("This day is over.")


def test_a_fact_is_pinned_and_paused_in_place(browse, ada):
    make_fact(ada, "units", "metric")
    page = browse(ada).open("/memory/")
    page.locator(".fact").hover()
    page.get_by_role("button", name="Pin: always use").click()
    expect(page.get_by_text("always used")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".fact--paused")).to_be_visible()


def test_a_row_that_is_changed_by_keyboard_keeps_the_focus(browse, ada):
    make_fact(ada, "units", "metric")
    page = browse(ada).open("/memory/")
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.get_by_role("button", name="Use again")).to_be_focused()
    page.get_by_role("link", name="Edit").press("Enter")
    expect(page.get_by_label("About")).to_be_focused()
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.locator(".fact:not(.fact--edit)")).to_be_focused()
    page.get_by_role("link", name="History").press("Enter")
    expect(page.locator(".history")).to_be_visible()
    expect(page.get_by_role("link", name="History")).to_be_focused()


def test_the_fields_of_a_resource_stay_in_line_when_one_is_refused(browse, ada):
    page = browse(ada).open("/resources/")
    page.get_by_role("button", name="Add").click()
    expect(
        page.get_by_text("Choose a file, type the address of a page, or paste some text.")
    ).to_be_visible()
    file, name = (
        page.get_by_label(label, exact=True).bounding_box() for label in ("A file", "Name")
    )
    assert file["y"] == name["y"]


def test_a_resource_is_uploaded_read_and_removed(browse, ada):
    page = browse(ada).open("/resources/")
    file = {"name": "runbook.md", "mimeType": "text/markdown", "buffer": b"Drain the queue first."}
    page.get_by_label("A file", exact=True).set_input_files(file)
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".resource")).to_contain_text("1 passage")
    page.get_by_role("link", name="Remove runbook.md").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".resource")).to_have_count(0)
    assert not Resource.objects.exists()


def test_a_receipt_leads_to_the_passage_on_its_page(browse, ada):
    body = pdf("The pump is checked each spring.", "In an emergency, close valve 7.")
    resources.read(resources.add(user=ada, name="runbook.pdf", body=body))
    page = browse(ada).open("/")
    say(page, "What does the runbook say: which valve do I close in an emergency?")
    page.get_by_text("Looked up 1 passage").click()
    expect(page.locator(".chip__why")).to_have_text("runbook.pdf, page 2, passage 2")
    page.get_by_role("link", name="runbook.pdf").click()
    expect(page.get_by_role("heading", name="Page 2")).to_be_in_viewport()
    expect(page.locator("#passage-2")).to_contain_text("close valve 7")


def test_an_export_is_imported_and_its_chats_are_there(browse, ada):
    page = browse(ada).open("/settings/")
    page.get_by_role("link", name="Import").click()
    chats = json.dumps([exports.chatgpt(), exports.CLAUDE]).encode()
    file = {"name": "conversations.json", "mimeType": "application/json", "buffer": chats}
    page.get_by_label("The file, JSON or ZIP").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("2 chats were taken in, with 8 messages.")).to_be_visible()
    expect(page.locator("#chats").get_by_role("link", name="Cities")).to_have_count(2)
    page.locator("#chats").get_by_role("link", name="Cities").first.click()
    expect(page.locator("#thread")).to_contain_text("Where is Graz?")


def test_a_file_that_is_no_export_is_told_so_beside_it(browse, ada):
    page = browse(ada).open("/import/")
    file = {"name": "me.png", "mimeType": "image/png", "buffer": b"\x89PNG"}
    page.get_by_label("The file, JSON or ZIP").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".field__error")).to_contain_text("neither a JSON file nor a ZIP")
    expect(page.get_by_role("button", name="Import")).to_be_enabled()


def test_a_key_is_made_and_shown_once(browse, ada):
    page = browse(ada).open("/settings/")
    page.get_by_label("Name of a new key").fill("Laptop")
    page.get_by_role("button", name="Make a key").click()
    expect(page.locator("#new-key")).to_contain_text("ma_")
    expect(page.locator("#new-key")).to_be_in_viewport()
    page.get_by_role("link", name="Settings").click()
    expect(page.locator("#new-key")).to_have_count(0)
    expect(page.get_by_role("rowheader", name="Laptop")).to_be_visible()


@pytest.fixture
def pages(ada):
    """Every page with the longest words it may have to hold."""
    code = f"```\n{LONG}\n```\n\n| {LONG} | b |\n|---|---|\n| 1 | 2 |\n\n{LONG} `{LONG}`"
    chat = make_chat(ada, LONG, code, title=LONG[:200])
    make_fact(ada, LONG[:100], LONG, quote=LONG, source_message=chat.messages.first())
    make_fact(ada, "allergy", LONG, status="pending", waits_because="It is sensitive.")
    make_prompt(ada, "length", LONG)
    resources.add(user=ada, name=LONG[:200], body="text")
    page = resources.add_page(user=ada, url=f"https://example.org/{LONG}")
    Resource.objects.filter(pk=page.pk).update(status="failed", error=f"{LONG} doesn't answer.")
    return [
        *("/", f"/chats/{chat.pk}/", "/chats/", "/memory/", "/memory/persona/", "/memory/log/"),
        *("/memory/tasks/", "/memory/health/", "/memory/forget/", "/settings/delete-account/"),
        *("/memory/inbox/", "/resources/", "/settings/", "/nowhere/", "/accounts/logout/"),
        *("/import/", f"/resources/{page.pk}/"),
    ]


def test_no_page_scrolls_sideways_on_a_phone(browse, ada, pages):
    person = browse(ada, viewport=PHONE, has_touch=True, is_mobile=True)
    for address in pages:
        page = person.open(address)
        for width in (320, 390, 720):  # 720: a window of 1440 at a zoom of 200 per cent
            page.set_viewport_size({**PHONE, "width": width})
            box = page.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
            assert box == [width, width], address
        page.close()


def test_on_a_phone_the_log_gives_each_change_a_line_of_its_own(browse, ada):
    remember(ada, "city", "Vienna")
    page = browse(ada, viewport=PHONE, has_touch=True, is_mobile=True).open("/memory/log/")
    row, change = page.locator("tbody tr"), page.get_by_role("cell", name="City Vienna")
    assert change.bounding_box()["width"] == row.bounding_box()["width"]
    assert change.bounding_box()["y"] > page.get_by_role("cell", name="Added").bounding_box()["y"]


def test_on_a_phone_the_chats_open_over_the_page(browse, ada, chat):
    page = browse(ada, viewport=PHONE, has_touch=True, is_mobile=True).open("/memory/")
    expect(page.locator("#side")).to_be_hidden()
    page.get_by_role("button", name="Chats and pages").tap()
    page.locator(f"#side a[href='/chats/{chat.pk}/']").tap()
    page.wait_for_url(f"**/chats/{chat.pk}/")


@pytest.mark.parametrize(
    ("scheme", "paper"), [("light", "rgb(253, 253, 252)"), ("dark", "rgb(22, 25, 23)")]
)
def test_the_page_is_light_or_dark_as_the_system(browse, ada, scheme, paper):
    page = browse(ada, color_scheme=scheme).open("/")
    expect(page.locator("html")).to_have_css("background-color", paper)


def test_what_is_written_from_right_to_left_is_set_so(browse, ada):
    chat = make_chat(ada, "اسمي أمل", "أهلا يا أمل.", title="أمل")
    make_fact(ada, "name", "أمل")
    person = browse(ada)
    page = person.open(f"/chats/{chat.pk}/")
    for said in page.locator(".message__said, .message .prose").all():
        expect(said).to_have_css("direction", "rtl")
    value = person.open("/memory/").locator(".fact__value")
    expect(value).to_have_css("direction", "rtl")
    expect(value).to_have_css("text-align", "start")


def test_facts_are_filtered_as_one_chooses(browse, ada):
    make_fact(ada, "city", "Vienna", kind="identity")
    make_fact(ada, "tool", "awk", status="paused")
    page = browse(ada).open("/memory/")
    page.get_by_label("Status").select_option("Paused")
    expect(page.locator(".fact")).to_have_count(1)
    expect(page.locator(".fact")).to_contain_text("awk")
    page.get_by_label("Status").select_option("Known now")
    page.get_by_text("Identity", exact=False).first.click()
    expect(page.locator(".fact")).to_contain_text("Vienna")


def test_everything_is_forgotten_after_a_typed_word(browse, ada):
    make_fact(ada, "city", "Vienna")
    page = browse(ada).open("/memory/")
    page.get_by_role("link", name="Forget everything").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Vienna")
    dialog.get_by_role("textbox").fill("forget")
    dialog.get_by_role("button", name="Forget").click()
    expect(page.get_by_text("Forgotten for good: 1 thing.")).to_be_visible()
    assert not Fact.objects.exists()
