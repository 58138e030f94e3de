import pytest
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.memory import eviction
from tests.factories import make_chat
from tests.fakes import Script

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_summary_is_viewed_and_written_again_in_place(browse, ada):
    chat = make_chat(ada, "I like leeks.", "Good.", "And tea.", "Fine.")
    eviction.evict(chat, list(chat.history)[:2], "The old words.")
    page = browse(ada).open(f"/chats/{chat.pk}/")
    summary = page.locator(".summary")
    summary.get_by_text("2 earlier messages condensed").click()
    expect(summary).to_contain_text("The old words.")
    with llm.override({"summarizer": Script([TimeoutError()], ["The new words."])}):
        summary.get_by_role("button", name="Write it again").click()
        expect(summary.get_by_role("alert")).to_contain_text("didn't answer in time")
        expect(summary).to_contain_text("The old words.")
        summary.get_by_role("button", name="Write it again").click()
        expect(summary).to_contain_text("The new words.")
    expect(summary.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_text("I like leeks.")).to_be_visible()
