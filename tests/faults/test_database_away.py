"""A person at the pages while PostgreSQL is gone for longer than a request waits for it."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from memoryapp import embedded_postgres
from tests.browser.thread import box, is_finished, reply, say
from tests.faults.product import product
from tests.processes import short_folder

NEVER_SENT = "Are you there? [[words=3]]"


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL that nobody starts again but the test."""
    with short_folder() as folder:
        place = folder / "postgres"
        embedded_postgres.start(place, is_durable=False)
        yield place
        embedded_postgres.stop(place)


@pytest.fixture(scope="module")
def up(model, postgres):
    with product(model, DATABASE_URL=embedded_postgres.uri(postgres)) as up:
        yield up


@contextmanager
def gone(postgres):
    embedded_postgres.stop(postgres)
    try:
        yield
    finally:
        embedded_postgres.start(postgres, is_durable=False)


@pytest.fixture
def page(sign_in):
    page = sign_in("/")
    expect(page.locator("#composer")).to_be_visible()
    return page


def test_a_page_stands_in_for_another_until_that_can_be_had(postgres, page):
    with gone(postgres):
        page.goto("/memory/")
        expect(page.get_by_role("heading")).to_have_text("The database can't be reached")
        with page.expect_response(lambda response: response.status == 503):
            pass  # it tries by itself, in vain
        expect(page.get_by_role("link", name="Try now")).to_be_visible()
    expect(page.get_by_role("heading", name="Memory", exact=True)).to_be_visible(timeout=60_000)


def test_what_was_written_meanwhile_stays_and_is_sent_later(postgres, page):
    with gone(postgres):
        say(page, NEVER_SENT)
        expect(page.locator("#problem")).to_contain_text("can't be reached", timeout=60_000)
        expect(box(page)).to_have_value(NEVER_SENT)
    page.reload()
    expect(page.locator("#composer")).to_be_visible(timeout=60_000)
    expect(box(page)).to_have_value(NEVER_SENT)
    page.keyboard.press("Enter")
    is_finished(page)
    expect(reply(page)).to_contain_text("wörd1")
