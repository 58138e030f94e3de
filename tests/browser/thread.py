"""What a person does with the messages of a chat's page, and where they look."""

from playwright.sync_api import expect


def box(page):
    return page.get_by_label("Message", exact=True)


def say(page, text):
    box(page).fill(text)
    page.wait_for_load_state()  # until then Enter is only a new line
    page.keyboard.press("Enter")


def reply(page):
    return page.locator(".message--assistant").last.locator(".message__body")


def words_of(reply):
    """The words of a reply, however its blocks part them."""
    return reply.inner_text().split()


def is_finished(page):
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible(timeout=30_000)


def read_again(page, chat):
    """Have the page read its thread again, until it has."""
    with page.expect_response(f"**/chats/{chat.pk}/"):
        page.evaluate("htmx.trigger(document.body, 'stale')")
