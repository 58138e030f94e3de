"""What is written, waits, is kept, folded and edited."""

import pytest
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Message
from tests.browser.thread import box, is_finished, read_again, say
from tests.factories import make_chat
from tests.fakes import says

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "\n".join(f"line {n}" for n in range(60))


def paste(page, text):
    box(page).evaluate(
        """(box, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const options = { clipboardData, bubbles: true, cancelable: true };
            box.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def test_what_is_sent_meanwhile_waits_survives_a_reload_and_goes_out_once(streaming, slow_talker):
    say(streaming, "And then?")
    waiting = streaming.locator(".message--waiting")
    expect(waiting).to_contain_text("Goes out when this reply is done")
    expect(box(streaming)).to_have_value("")
    say(streaming, "And after that?")
    expect(waiting).to_have_count(1)
    streaming.reload()
    expect(waiting).to_contain_text("And after that?")
    slow_talker.go_on()
    expect(waiting).to_have_count(0, timeout=30_000)
    expect(streaming.locator(".message--user").last).to_contain_text("And then?")
    assert Message.objects.filter(body="And then?\n\nAnd after that?").count() == 1
    is_finished(streaming)


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_the_button_that_stops_stays_where_it_is(streaming, width):
    streaming.set_viewport_size({"width": width, "height": 844})
    stop = streaming.get_by_role("button", name="Stop answering")
    before = stop.bounding_box()
    box(streaming).fill("And then?")
    queue = streaming.get_by_role("button", name="Send when done")
    assert queue.bounding_box()["height"] <= before["height"]
    assert stop.bounding_box() == before
    stop.click()
    is_finished(streaming)


def test_what_waits_is_edited_and_removed(streaming):
    say(streaming, "And then?")
    streaming.locator(".message--waiting").get_by_role("button", name="Edit").click()
    expect(box(streaming)).to_have_value("And then?")
    streaming.get_by_role("button", name="Send when done").click()
    streaming.locator(".message--waiting").get_by_role("button", name="Remove").click()
    expect(streaming.locator(".message--waiting")).to_have_count(0)
    streaming.get_by_role("button", name="Stop answering").click()
    is_finished(streaming)
    assert not Message.objects.filter(body="And then?").exists()


def test_what_waits_stays_when_the_network_is_gone_and_goes_out_later(streaming, person):
    say(streaming, "And then?")
    streaming.route("**/messages/", lambda route: route.abort())
    streaming.get_by_role("button", name="Stop answering").click()
    expect(streaming.locator("#problem")).to_contain_text("The server didn't answer")
    expect(streaming.locator(".message--waiting")).to_be_visible()
    streaming.unroute("**/messages/")
    streaming.reload()
    expect(streaming.locator(".message--waiting")).to_have_count(0)
    expect(streaming.get_by_text("And then?")).to_be_visible()
    streaming.get_by_role("button", name="Stop answering").click()
    is_finished(streaming)
    person.errors.clear()


def test_what_is_typed_before_the_scripts_are_there_is_kept_too(browse, ada):
    page, held = browse(ada).open(), []
    page.route("**/composer*.js", lambda route: held.append(route))
    page.reload(wait_until="commit")
    box(page).fill("Don't lose this.")
    while not held:
        page.wait_for_timeout(20)
    with page.expect_event("load"):
        held[0].continue_()
    page.unroute("**/composer*.js")
    page.reload()
    expect(box(page)).to_have_value("Don't lose this.")


def test_a_draft_is_kept_for_its_chat_until_it_is_sent(browse, ada, chat):
    other = make_chat(ada, "Hello", "Hi")
    page = browse(ada).open(f"/chats/{chat.pk}/")
    box(page).fill("Half a thought")
    page.goto(f"/chats/{other.pk}/")
    expect(box(page)).to_have_value("")
    page.goto(f"/chats/{chat.pk}/")
    expect(box(page)).to_have_value("Half a thought")
    with llm.override({"talker": says("Yes.")}):
        page.keyboard.press("Enter")
        expect(page.get_by_text("Yes.")).to_be_visible()
    page.reload()
    expect(box(page)).to_have_value("")


def test_a_long_paste_is_folded_opened_removed_and_sent_whole(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    paste(page, LONG)
    pasted = page.locator("#composer-pastes .paste")
    expect(pasted).to_contain_text("60 lines pasted")
    pasted.locator("summary").click()
    expect(pasted.get_by_text("line 59")).to_be_visible()
    page.reload()
    expect(pasted).to_have_count(1)
    paste(page, LONG)
    pasted.last.get_by_role("button", name="Remove the pasted text").click()
    expect(pasted).to_have_count(1)
    with llm.override({"talker": says("A log.")}):
        say(page, "What is this?")
        expect(page.get_by_text("A log.")).to_be_visible()
    expect(pasted).to_have_count(0)
    said = page.locator(".message--user").last
    expect(said.locator(".paste summary")).to_have_text("54 more lines")
    assert Message.objects.filter(body=f"What is this?\n\n{LONG}").count() == 1


def test_a_folded_message_is_copied_whole(browse, ada):
    chat = make_chat(ada, LONG, "I see.")
    person = browse(ada)
    person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = person.open(f"/chats/{chat.pk}/")
    page.locator(".message--user").get_by_role("button", name="Copy").click()
    expect(page.locator("#announce")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == LONG


def test_arrow_up_edits_the_last_message_and_its_versions_are_walked(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    box(page).press("ArrowUp")
    edit = page.get_by_role("textbox", name="Edit and ask again")
    expect(edit).to_be_focused()
    edit.press("Escape")
    expect(page.locator(".message--user")).to_contain_text("Hello there")
    box(page).press("ArrowUp")
    edit.fill("Good evening")
    with llm.override({"talker": says("And to you.")}):
        page.get_by_role("button", name="Ask again").click()
        expect(page.get_by_text("And to you.")).to_be_visible()
    is_finished(page)
    expect(page.locator(".message")).to_have_count(2)
    question = page.locator(".message--user")
    expect(question.locator(".siblings")).to_contain_text("2 / 2")
    question.get_by_role("button", name="The version before").click()
    expect(question).to_contain_text("Hello there")
    expect(page.locator(".message--assistant")).to_contain_text("Good morning.")
    question.get_by_role("button", name="The version after").click()
    expect(question).to_contain_text("Good evening")


def test_an_edit_is_sent_by_the_keys_that_send_a_message(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    box(page).press("ArrowUp")
    edit = page.get_by_role("textbox", name="Edit and ask again")
    edit.fill("Good evening")
    edit.press("Shift+Enter")
    edit.press("ArrowUp")  # which edits nothing else meanwhile
    expect(edit).to_have_value("Good evening\n")
    with llm.override({"talker": says("And to you.")}):
        edit.press("Enter")
        expect(page.get_by_text("And to you.")).to_be_visible()
    expect(page.locator(".message--user")).to_contain_text("Good evening")


def test_an_edit_outlives_what_else_happens_in_the_chat(browse, ada, chat):
    person = browse(ada)
    page, other = person.open(f"/chats/{chat.pk}/"), person.open(f"/chats/{chat.pk}/")
    box(page).press("ArrowUp")
    edit = page.get_by_role("textbox", name="Edit and ask again")
    edit.fill("Half changed")
    with llm.override({"talker": says("Another one.")}):
        other.get_by_role("button", name="Answer again").click()
        expect(other.get_by_text("Another one.")).to_be_visible()
    expect(edit).to_have_value("Half changed")
    edit.press("Escape")
    expect(page.get_by_text("Another one.")).to_be_visible()
    expect(page.locator(".message")).to_have_count(2)


def test_an_edit_begins_though_the_thread_is_read_again_meanwhile(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    held = []
    page.route("**/edit/", lambda route: held.append(route))
    with page.expect_request("**/edit/"):
        box(page).press("ArrowUp")
    read_again(page, chat)
    held.pop().continue_()
    edit = page.get_by_role("textbox", name="Edit and ask again")
    edit.fill("Half changed")
    read_again(page, chat)
    expect(edit).to_have_value("Half changed")
    with page.expect_response(f"**/chats/{chat.pk}/"):
        edit.press("Escape")
    expect(page.locator(".message--user")).to_contain_text("Hello there")


def test_an_answer_arrives_though_the_thread_is_read_again_meanwhile(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    held = []
    page.route("**/regenerate/", lambda route: held.append(route))
    with llm.override({"talker": says("Another one.")}):
        with page.expect_request("**/regenerate/"):
            page.get_by_role("button", name="Answer again").click()
        read_again(page, chat)
        held.pop().continue_()
        expect(page.get_by_text("Another one.")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_an_edit_works_on_a_page_of_its_own_too(browse, ada, chat):
    question = chat.messages.get(role="user")
    page = browse(ada).open(f"/messages/{question.pk}/edit/")
    page.get_by_role("textbox", name="Edit and ask again").fill("Good evening")
    with llm.override({"talker": says("And to you.")}):
        page.get_by_role("button", name="Ask again").click()
        page.wait_for_url("**/chats/*/#message-*")
        expect(page.get_by_text("And to you.")).to_be_visible()


def test_another_tab_follows_to_the_branch_that_is_shown(browse, ada, chat):
    chat.fork_at(None)
    chat.add_message("user", "Good evening")
    person = browse(ada)
    first, second = person.open(f"/chats/{chat.pk}/"), person.open(f"/chats/{chat.pk}/")
    expect(second.locator("#offline")).to_be_hidden()
    first.get_by_role("button", name="The version before").click()
    for page in (first, second):
        expect(page.locator(".message--user")).to_contain_text("Hello there")


def test_a_question_mark_shows_the_shortcuts_but_not_while_writing(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    box(page).press("?")
    expect(box(page)).to_have_value("?")
    page.locator("#messages").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts").locator("dt")).to_have_count(8)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox", name="Search chats")).to_be_focused()
    page.keyboard.press("Control+Shift+O")
    expect(page.locator(".empty__title")).to_be_visible()
