"""What a person with many rows sees: lists that stay where they are, and what comes when asked."""

import pytest
from playwright.sync_api import expect

from memoryapp.memory import forgetting
from memoryapp.models import Chat, Fact
from tests.browser.thread import read_again
from tests.factories import make_chat, make_fact

WAITS = {"status": "pending", "waits_because": "It stands in a text you pasted."}


def test_a_chat_far_down_the_side_list_is_in_sight_when_its_page_opens(browse, ada):
    chat = make_chat(ada, "Leeks?", "Braise them.", title="Leeks", title_source="manual")
    newer = [Chat(user=ada, title=f"Chat {n}", title_source="manual") for n in range(60)]
    Chat.objects.bulk_create(newer)
    page = browse(ada).open(f"/chats/{chat.pk}/")
    expect(page.locator("#chats [aria-current]")).to_be_in_viewport()


def test_what_is_pinned_is_in_sight_when_a_chat_near_it_opens(browse, ada):
    chats = [Chat(user=ada, title=f"Chat {n}", title_source="manual") for n in range(60)]
    chats[0].is_pinned = True
    Chat.objects.bulk_create(chats)
    page = browse(ada).open(f"/chats/{chats[-1].pk}/")
    expect(page.locator("#chats [aria-current]")).to_be_in_viewport()
    expect(page.locator("#chats").get_by_text("Pinned")).to_be_in_viewport()


def test_a_decision_in_the_inbox_brings_the_next_proposal_to_the_same_place(browse, ada):
    for n in range(60):
        make_fact(ada, f"number_{n}", f"value {n}", **WAITS)
    page = browse(ada).open("/memory/inbox/")
    rows = page.locator(".proposal")
    expect(rows).to_have_count(50)
    turn_down = rows.nth(20).get_by_role("button", name="Turn down")
    turn_down.scroll_into_view_if_needed()
    scrolled = page.locator("main").evaluate("main => main.scrollTop")
    assert scrolled > 1000
    turn_down.click()
    expect(page.locator(".page__lead")).to_contain_text("59 things wait")
    expect(page.locator("#known .badge").last).to_contain_text("59")
    expect(rows.nth(20)).to_contain_text("value 21")
    expect(rows).to_have_count(50)
    assert abs(page.locator("main").evaluate("main => main.scrollTop") - scrolled) < 300


@pytest.fixture
def receipts(ada):
    """A chat of two replies that were told the same memory, and the memory."""
    chat = make_chat(ada, "What do I drink?", "Tea.", "And eat?", "Bread.")
    fact = make_fact(ada, "drink", "tea")
    used = {"id": str(fact.pk), "text": "drink: tea", "kind": "fact", "reason": "words"}
    used |= {"score": 0.5, "source_message_id": None, "said_at": None}
    receipt = {"memories": [used], "turns": [], "near_misses": [], "prompts": []}
    chat.messages.filter(role="assistant").update(receipt=receipt)
    return chat, fact


def test_an_earlier_receipt_is_there_once_it_is_unfolded(browse, ada, receipts):
    chat, _ = receipts
    page = browse(ada).open(f"/chats/{chat.pk}/")
    earlier = page.locator("details.receipt").first
    expect(earlier.locator(".chip")).to_have_count(0)
    earlier.locator("summary").click()
    expect(earlier.locator(".chip")).to_contain_text("Drink: tea")
    earlier.get_by_role("button", name="Useful", exact=True).click()
    expect(earlier.get_by_role("button", name="Useful", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert chat.archive[1].memory_marks.get().is_useful


def test_an_unfolded_receipt_stays_and_is_renewed_when_the_thread_is_read_again(
    browse, ada, receipts
):
    chat, fact = receipts
    page = browse(ada).open(f"/chats/{chat.pk}/")
    first, last = page.locator("details.receipt").all()
    for receipt in first, last:
        receipt.locator("summary").click()
        expect(receipt.locator(".chip")).to_contain_text("Drink: tea")
    first.get_by_role("button", name="Not useful", exact=True).focus()
    chat.add_message("user", "And then?")
    chat.add_message("assistant", "Sleep.")
    read_again(page, chat)
    expect(page.get_by_text("Sleep.")).to_be_visible()
    for receipt in first, last:
        expect(receipt.locator(".chip")).to_be_visible()
    expect(first.get_by_role("button", name="Not useful", exact=True)).to_be_focused()
    forgetting.forget(rows=Fact.objects.filter(pk=fact.pk), actor="ada")
    read_again(page, chat)
    for receipt in first, last:
        expect(receipt).not_to_contain_text("tea")
