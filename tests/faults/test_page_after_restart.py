"""A page that is open while the server under it is started again."""

import signal

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, say
from tests.faults.model import words
from tests.faults.product import PASSWORD, kill
from tests.processes import wait_until


@pytest.fixture
def page(up):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(base_url=f"http://localhost:{up.port}")
        page.goto("/")
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator("#composer")).to_be_visible()
        yield page
        browser.close()


def test_a_page_says_so_heals_by_itself_and_goes_on(up, model, page):
    say(page, "Tell me words [[words=3000 pace=0.05]]")
    reply = page.locator(".message--assistant").last.locator(".message__body")
    expect(reply).to_contain_text("wörd9")
    kill(up.web, signal.SIGTERM)
    expect(page.locator("#offline")).to_be_visible()
    page.get_by_label("Message", exact=True).fill("Half a thought")
    wait_until(lambda: up.is_answering, 60)
    expect(page.locator("#offline")).to_be_hidden(timeout=60_000)
    expect(page.get_by_text("The server stopped while this was being written.")).to_be_visible()
    expect(page.get_by_label("Message", exact=True)).to_have_value("Half a thought")
    [(body,)] = up.rows("select body from memoryapp_message where status = 'interrupted'")
    assert reply.inner_text().split() == body.split()
    assert words(3000).startswith(body)
    page.get_by_role("button", name="Answer again").last.click()
    expect(reply).to_contain_text("wörd9")
    page.get_by_role("button", name="Stop answering").click()
    expect(page.get_by_text("You stopped this reply.")).to_be_visible()
    assert page.locator(".message--user").count() == 1
    wait_until(lambda: not model.streaming, 10)
