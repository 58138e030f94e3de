import pytest
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.memory import eviction
from tests.browser.thread import read_again
from tests.factories import make_chat
from tests.fakes import says

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_summary_is_viewed_and_written_again_in_place(browse, ada):
    chat = make_chat(ada, "I like leeks.", "Good.", "And tea.", "Fine.")
    summary = eviction.evict(chat, list(chat.history)[:2], "The old words.")
    chat.messages.filter(pk=summary.pk).update(failure="The model didn't answer in time.")
    page = browse(ada).open(f"/chats/{chat.pk}/")
    condensed = page.locator(".summary")
    expect(condensed).to_contain_text("2 earlier messages condensed")
    expect(condensed).to_contain_text("The old words.")
    expect(condensed.get_by_role("alert")).to_contain_text("didn't answer in time")
    with llm.override({"summarizer": says("The new words.")}):
        condensed.get_by_role("button", name="Write it again").click()
        expect(condensed).to_contain_text("The new words.")
    expect(condensed.get_by_role("alert")).to_have_count(0)
    expect(condensed.get_by_role("button", name="Write it again")).to_be_enabled()
    expect(page.get_by_text("I like leeks.")).to_be_visible()


def test_what_was_unfolded_stays_so_when_the_thread_is_read_again(browse, ada):
    chat = make_chat(ada, "I like leeks.", "Good.", "And tea.", "Fine.")
    eviction.evict(chat, list(chat.history)[:2], "The old words.")
    page = browse(ada).open(f"/chats/{chat.pk}/")
    page.locator(".summary").get_by_text("View").click()
    read_again(page, chat)
    chat.messages.filter(role="summary").update(body="The new words.")
    read_again(page, chat)
    expect(page.get_by_text("The new words.")).to_be_visible()


def test_each_line_of_a_summary_stands_by_itself(browse, ada):
    chat = make_chat(ada, "I like leeks.", "Good.", "And tea.", "Fine.")
    eviction.evict(chat, list(chat.history)[:2], "User: I like leeks.\nAssistant: Good.")
    condensed = browse(ada).open(f"/chats/{chat.pk}/").locator(".summary")
    condensed.get_by_text("View").click()
    assert condensed.locator("p").last.inner_text() == "User: I like leeks.\nAssistant: Good."
