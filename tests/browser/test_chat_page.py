from playwright.sync_api import expect

from tests.browser.conftest import say


def test_a_first_message_makes_a_chat_and_its_reply_streams_in(browse, ada):
    page = browse(ada).open("/")
    say(page, "My name is Ada and I live in Vienna.")
    page.wait_for_url("**/chats/*/")
    expect(page.locator(".message--user")).to_contain_text("My name is Ada")
    expect(page.locator(".message--assistant .message__time")).to_be_attached()
    expect(page.locator(".receipt__learned")).to_contain_text("Learned")
    page.screenshot(path="/tmp/shot1.png")
