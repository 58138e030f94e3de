import re

import pytest
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.consumers.page import GONE
from memoryapp.models import Chat, Fact
from tests.browser.conftest import PHONE
from tests.browser.thread import box, is_finished, read_again, reply, say, words_of
from tests.factories import make_chat
from tests.fakes import says


def test_a_person_signs_in_says_something_and_sees_what_was_learned(browse, ada):
    somebody = browse(ada)
    somebody.context.clear_cookies()
    page = somebody.open("/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("a-long-password")
    page.keyboard.press("Enter")
    say(page, "My name is Ada and I live in Vienna.")
    page.wait_for_url("**/chats/*/")
    is_finished(page)
    expect(page.locator(".message--user")).to_contain_text("My name is Ada")
    expect(page.locator(".receipt__learned")).to_have_text("Learned 2 things")
    expect(page.locator(".notice")).to_contain_text("Vienna")
    expect(page.locator("#known .badge--plain")).to_have_text("2")


def test_the_title_arrives_by_itself(browse, ada):
    page = browse(ada).open("/")
    say(page, "How do I braise leeks in white wine?")
    page.wait_for_url("**/chats/*/")
    expect(page.locator("#chat-title")).to_contain_text("leeks")
    expect(page.locator(".chats__item [aria-current]")).to_contain_text("leeks")
    expect(page).to_have_title(re.compile("leeks"))


def test_what_was_said_in_one_chat_is_used_in_the_next(browse, ada):
    page = browse(ada).open("/")
    say(page, "We deploy infrastructure with Terraform.")
    page.wait_for_url("**/chats/*/")
    expect(page.locator(".receipt__learned")).to_be_visible()
    page.locator(".side__tools").get_by_role("link", name="New chat").click()
    say(page, "What do we use to deploy infrastructure?")
    page.wait_for_url("**/chats/*/")
    is_finished(page)
    page.locator(".receipt__line").click()
    expect(page.locator(".receipt__body .chip").first).to_contain_text("Terraform")
    page.get_by_role("link", name="See the exact prompt").click()
    expect(page.locator(".sent").last).to_contain_text("<memory>")


def test_text_streams_in_and_every_tab_has_all_of_it(browse, ada, slow_talker):
    person = browse(ada)
    first = person.open("/")
    say(first, "Tell me words")
    expect(reply(first)).to_contain_text("word5")
    assert "word59" not in first.content()
    second = person.open(first.url)
    slow_talker.go_on(20)
    expect(reply(second)).to_contain_text("word15")
    first.reload()
    slow_talker.go_on(30)
    expect(reply(first)).to_contain_text("word25")
    slow_talker.go_on()
    for page in (first, second):
        is_finished(page)
        assert words_of(reply(page)) == slow_talker.text.split()
        expect(reply(page).locator("p")).to_have_count(6)


def test_a_final_block_stays_while_the_rest_streams(browse, ada, slow_talker):
    page = browse(ada).open("/")
    say(page, "Tell me words")
    first = reply(page).locator("p").first
    slow_talker.go_on(15)
    expect(reply(page)).to_contain_text("word12")
    expect(first).to_have_text(re.compile(r"^word0 .* word9$"))
    first.evaluate("block => getSelection().selectAllChildren(block)")
    slow_talker.go_on(40)
    expect(reply(page)).to_contain_text("word35")
    assert page.evaluate("getSelection().toString()").startswith("word0 word1 ")


def test_a_reply_is_stopped_from_another_tab_and_its_text_stays(browse, ada, slow_talker):
    person = browse(ada)
    first = person.open("/")
    say(first, "Tell me words")
    expect(reply(first)).to_contain_text("word3")
    second = person.open(first.url)
    second.get_by_role("button", name="Stop answering").click()
    expect(first.get_by_text("You stopped this reply.")).to_be_visible()
    expect(reply(first)).to_contain_text("word3")
    assert "word59" not in first.content()
    say(first, "Go on")
    expect(first.locator(".message--user")).to_have_count(2)


def test_both_tabs_show_what_one_of_them_says_once(browse, ada, chat):
    with llm.override({"talker": says("Good ", "evening.")}):
        person = browse(ada)
        first, second = person.open(f"/chats/{chat.pk}/"), person.open(f"/chats/{chat.pk}/")
        expect(second.locator(".message")).to_have_count(2)
        say(first, "And now?")
        for page in (first, second):
            is_finished(page)
            expect(reply(page)).to_have_text("Good evening.")
            expect(page.locator(".message")).to_have_count(4)


def test_answering_again_replaces_the_reply_in_every_tab(browse, ada, chat):
    with llm.override({"talker": says("Another ", "answer.")}):
        person = browse(ada)
        first, second = person.open(f"/chats/{chat.pk}/"), person.open(f"/chats/{chat.pk}/")
        first.get_by_role("button", name="Answer again").click()
        for page in (first, second):
            expect(reply(page)).to_have_text("Another answer.")
            expect(page.locator(".message")).to_have_count(2)


def test_a_failed_reply_says_why_and_is_answered_again(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    # Slowly, so that the page is told of all of it before its other version is shown.
    with llm.override({"talker": says("Half a ", ValueError("gone"), pause=0.5)}):
        say(page, "And now?")
        expect(page.locator(".trouble")).to_contain_text("The reply failed")
    with llm.override({"talker": says("A whole answer.")}):
        page.locator(".trouble").get_by_role("button", name="Answer again").click()
        expect(reply(page)).to_have_text("A whole answer.")
    expect(page.locator(".trouble")).to_have_count(0)


def test_markdown_is_shown_and_its_code_can_be_copied(browse, ada):
    chat = make_chat(ada, "Show me", "Here:\n\n```python\nprint('hi')\n```")
    person = browse(ada)
    person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = person.open(f"/chats/{chat.pk}/")
    page.locator(".code").get_by_role("button", name="Copy").click()
    expect(page.locator("#announce")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == "print('hi')"


def test_enter_sends_shift_enter_starts_a_line_and_a_half_typed_word_is_left_alone(browse, ada):
    page = browse(ada).open("/")
    composer = box(page)
    composer.fill("one")
    composer.dispatch_event("keydown", {"key": "Enter", "keyCode": 229})
    composer.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(composer).to_have_value("one\ntwo")
    page.keyboard.press("Enter")
    page.wait_for_url("**/chats/*/")
    expect(page.locator(".message__said")).to_have_text("one\ntwo")


def test_on_touch_enter_is_a_new_line(browse, ada):
    page = browse(ada, viewport=PHONE, has_touch=True, is_mobile=True).open("/")
    box(page).fill("one")
    page.keyboard.press("Enter")
    expect(box(page)).to_have_value("one\n")
    assert not Chat.objects.exists()


def test_an_example_fills_the_composer(browse, ada):
    page = browse(ada).open("/")
    page.locator("[data-saying]").nth(2).click()
    expect(box(page)).to_have_value("What do you know about me?")
    expect(box(page)).to_be_focused()


def test_the_page_follows_the_text_until_somebody_scrolls_up(browse, ada):
    chat = make_chat(ada, "Hello", "Line.\n\n" * 60)
    lines = [f"line {n}\n\n" for n in range(80)]
    with llm.override({"talker": says(*lines, pause=0.04)}):
        page = browse(ada).open(f"/chats/{chat.pk}/")
        say(page, "Go")
        expect(reply(page)).to_contain_text("line 20")
        expect(reply(page).locator(".caret")).to_be_in_viewport()
        page.locator("#messages").hover()
        page.mouse.wheel(0, -600)
        expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
        expect(reply(page)).to_contain_text("line 45")
        expect(reply(page).locator(".caret")).not_to_be_in_viewport()
        page.get_by_role("button", name="Jump to latest").click()
        expect(reply(page).locator(".caret")).to_be_in_viewport()


def test_older_messages_come_on_demand_and_the_place_is_kept(browse, ada, settings):
    settings.SUMMARY_TRIGGER_MESSAGES = 1000
    chat = make_chat(ada, *(f"message {n:03}" for n in range(70)))
    page = browse(ada).open(f"/chats/{chat.pk}/")
    expect(page.locator(".message")).to_have_count(50)
    page.get_by_role("link", name="Older messages").click()
    expect(page.locator(".message")).to_have_count(70)
    expect(page.get_by_text("message 020", exact=True)).to_be_in_viewport()


def test_undo_takes_back_what_was_learned(browse, ada):
    page = browse(ada).open("/")
    say(page, "I live in Vienna.")
    page.wait_for_url("**/chats/*/")
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.locator(".notice")).to_have_count(0)
    expect(page.locator(".receipt__line")).to_contain_text("Taken back what was learned")
    assert not Fact.objects.for_user(ada).current().exists()


def test_the_menu_closes_with_what_was_chosen(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    page.get_by_role("button", name="Chat menu").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("#menu")).to_be_hidden()
    expect(page.locator("#chats").get_by_role("link", name=chat.title)).to_have_count(0)


def test_a_chat_is_renamed_and_deleted_from_its_menu(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    page.get_by_role("button", name="Chat menu").click()
    page.get_by_role("link", name="Rename").click()
    page.get_by_label("Title").fill("Leeks")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#chat-title")).to_have_text("Leeks")
    expect(page.locator(".chats__item")).to_contain_text("Leeks")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Chat menu").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".empty__title")).to_be_visible()
    assert not Chat.objects.exists()


def test_memory_is_switched_off_for_a_chat(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    with page.expect_response("**/memory/"):
        page.get_by_text("Memory on").click()
    expect(page.get_by_text("Memory off")).to_be_visible()
    chat.refresh_from_db()
    assert chat.memory_on is False


def test_the_drawer_stays_as_it_was_left(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    drawer = page.locator("#drawer")
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_be_hidden()
    page.reload()
    expect(drawer).to_be_hidden()
    page.get_by_role("button", name="Memory in this chat").click()
    expect(drawer).to_be_visible()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda route: route.abort(), "The server didn't answer."),
        (lambda route: route.fulfill(status=500), "The server couldn't do this."),
        (lambda route: route.fulfill(status=403), "You were signed out"),
    ],
)
def test_a_send_that_fails_says_so_and_keeps_the_text(browse, ada, chat, answer, sentence):
    person = browse(ada)
    page = person.open(f"/chats/{chat.pk}/")
    page.route("**/messages/", answer)
    say(page, "Don't lose this")
    expect(page.locator("#problem")).to_contain_text(sentence)
    expect(box(page)).to_have_value("Don't lose this")
    read_again(page, chat)  # by itself
    expect(page.locator("#problem")).to_contain_text(sentence)
    person.errors.clear()


def test_the_chat_of_somebody_else_is_not_there_and_its_socket_says_no_more(browse, ben, chat):
    person = browse(ben)
    page = person.open(f"/chats/{chat.pk}/")
    expect(page.get_by_text("There's nothing at this address")).to_be_visible()
    code, told = page.evaluate(
        """path => new Promise(done => {
            const socket = new WebSocket(`ws://${location.host}${path}`);
            let told = "";
            socket.onmessage = event => (told += event.data);
            socket.onclose = event => done([event.code, told]);
        })""",
        f"/ws/chats/{chat.pk}/",
    )
    assert code == GONE
    assert "This chat was deleted" in told
    assert chat.title not in told
    person.errors.clear()
