"""A temporary chat while what serves it is killed, cut off and replaced."""

import re
import subprocess
import time

import pytest
from playwright.sync_api import expect

from tests.browser.test_temporary import shut_off
from tests.browser.thread import say
from tests.faults.model import words
from tests.faults.product import kill, product
from tests.faults.test_two_web_processes import writing

SECRET = "marmalade"


@pytest.fixture(scope="module")
def up(model):
    with product(model, "--workers=2") as up:
        yield up


@pytest.fixture
def page(sign_in):
    page = sign_in("/chats/temporary/")
    expect(page.get_by_text("Nothing here is written down")).to_be_visible()
    return page


def answering(up, model):
    """The one of the web processes that reads a reply from the model."""
    return next(
        process
        for process in writing(up)
        if any(each.raddr and each.raddr.port == model.port for each in process.net_connections())
    )


def cut(page):
    shut_off(page)
    page.get_by_role("button", name="Try now").click()


def is_written_down(up):
    """Whether any file of the product, the database's own among them, holds the secret."""
    # Quietly: files of PostgreSQL come and go.
    return subprocess.run(["grep", "-rqs", SECRET, str(up.data_dir)], check=False).returncode == 0


def test_it_goes_on_in_another_process_and_is_written_down_nowhere_until_it_is_kept(
    up, model, page
):
    before = up.num_rows()
    replies = page.locator(".message--assistant .message__body")
    ends = {
        "its process is killed": lambda: kill(answering(up, model)),
        "its connection is cut": lambda: cut(page),
        "the whole server is killed": lambda: kill(up.web),
    }
    for number, (how, end) in enumerate(ends.items(), 1):
        say(page, f"I like {SECRET}, {how}. [[words=40 pace=0.1]]")
        expect(replies).to_have_count(number)
        expect(replies.last).to_contain_text("wörd9")
        page.get_by_label("Message", exact=True).fill("Half a thought")
        ended_at = time.monotonic()
        end()
        expect(replies.last).to_have_text(words(40).strip(), timeout=60_000)
        assert model.left_at > ended_at  # whoever read it first went before its end
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()
        expect(page.get_by_label("Message", exact=True)).to_have_value("Half a thought")
    expect(page.locator(".message--user")).to_have_count(3)
    assert up.num_rows() == before
    assert not is_written_down(up)
    assert SECRET not in up.up.printed
    page.get_by_role("button", name="Keep this chat").click()
    expect(page).to_have_url(re.compile("/chats/[0-9a-f-]{36}/$"))
    expect(page.locator(".message--user")).to_have_count(3)
    kept = up.rows("select distinct body from memoryapp_message where role = 'assistant'")
    assert kept == [(words(40),)]
    assert is_written_down(up)
