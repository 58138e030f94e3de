"""A page that is open while the server under it is started again."""

import signal

import pytest
from playwright.sync_api import expect

from tests.browser.thread import box, reply, say, words_of
from tests.faults.model import words
from tests.faults.product import kill
from tests.processes import wait_until, within


@pytest.fixture
def page(sign_in):
    page = sign_in("/")
    expect(page.locator("#composer")).to_be_visible()
    return page


def test_a_page_says_so_heals_by_itself_and_goes_on(up, model, page):
    say(page, "Tell me words [[words=3000 pace=0.05]]")
    expect(reply(page)).to_contain_text("wörd9")
    kill(up.web, signal.SIGTERM)
    expect(page.locator("#offline")).to_be_visible()
    box(page).fill("Half a thought")
    wait_until(lambda: up.is_answering, 60)
    expect(page.locator("#offline")).to_be_hidden(timeout=60_000)
    expect(page.get_by_text("The server stopped while this was being written.")).to_be_visible()
    expect(box(page)).to_have_value("Half a thought")
    [(body,)] = up.rows("select body from memoryapp_message where status = 'interrupted'")
    assert words_of(reply(page)) == body.split()
    assert words(3000).startswith(body)
    page.get_by_role("button", name="Answer again").last.click()
    expect(reply(page)).to_contain_text("wörd9")
    page.get_by_role("button", name="Stop answering").click()
    expect(page.get_by_text("You stopped this reply.")).to_be_visible()
    assert page.locator(".message--user").count() == 1
    within(10, lambda: not model.streaming)
