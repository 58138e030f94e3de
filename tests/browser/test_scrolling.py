"""A long chat, scrolled by hand."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Chat, Message
from tests.browser.conftest import PHONE
from tests.browser.thread import is_finished, read_again, say
from tests.factories import make_chat
from tests.fakes import says

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def long_chat(ada):
    """A thousand messages that begin no background work."""
    chat = Chat.objects.create(user=ada, title="Long", title_source="manual")
    begun = timezone.now() - timedelta(days=1)
    Message.objects.bulk_create(
        Message(
            chat=chat,
            user=ada,
            role="assistant" if number % 2 else "user",
            body=f"message {number:03}\n\nwith a second paragraph",
            created_at=begun + timedelta(seconds=number),
        )
        for number in range(1000)
    )
    return chat


def receipt_of(num_memories):
    used = {"kind": "fact", "reason": "words", "score": 0.5, "source_message_id": None}
    texts = (f"drink: tea {number}" for number in range(num_memories))
    memories = [{**used, "id": str(uuid4()), "text": text} for text in texts]
    return {"memories": memories, "turns": [], "near_misses": [], "prompts": []}


def test_older_messages_come_as_one_scrolls_up_and_what_is_in_view_stays(browse, ada, long_chat):
    page = browse(ada).open(f"/chats/{long_chat.pk}/")
    messages = page.locator(".message")
    expect(messages).to_have_count(50)
    expect(messages.last).to_be_in_viewport()
    page.get_by_role("button", name="Jump to latest").wait_for(state="hidden")
    page.locator("#messages").hover()
    for num_shown in (100, 150):
        oldest = page.locator(f"[id='{messages.first.get_attribute('id')}']")
        page.mouse.wheel(0, -100_000)
        expect(messages).to_have_count(num_shown)
        expect(oldest).to_be_in_viewport()
        assert page.locator("#messages").evaluate("box => box.scrollTop") > 1000
    page.get_by_role("button", name="Jump to latest").click()
    expect(messages.last).to_be_in_viewport()
    expect(messages).to_have_count(150)


def test_a_long_receipt_is_shown_from_its_beginning_on(browse, ada):
    chat = make_chat(ada, "What do I drink?", "Tea.", title="Tea", title_source="manual")
    chat.messages.filter(role="assistant").update(receipt=receipt_of(60))
    page = browse(ada, viewport=PHONE).open(f"/chats/{chat.pk}/")
    used = page.get_by_text("Used 60 memories")
    used.click()
    expect(page.get_by_text("Drink: tea 3", exact=True).first).to_be_in_viewport()
    expect(used).to_be_in_viewport()
    used.press("Enter")
    used.press("Enter")
    expect(used).to_be_in_viewport()


def test_the_drawer_stays_where_it_is_when_the_thread_is_read_again_and_when_a_reply_ends(
    browse, ada
):
    chat = make_chat(ada, "What do I drink?", "Tea.", title="Tea", title_source="manual")
    chat.messages.filter(role="assistant").update(receipt=receipt_of(60))
    page = browse(ada).open(f"/chats/{chat.pk}/")
    drawer = page.get_by_role("group", name="Memory in this chat")
    drawer.evaluate("drawer => { drawer.scrollTop = 300; drawer.focus(); }")
    chat.add_message("user", "Said elsewhere.")
    read_again(page, chat)
    expect(page.get_by_text("Said elsewhere.")).to_be_visible()
    expect(drawer).to_be_focused()
    assert drawer.evaluate("drawer => drawer.scrollTop") == 300
    before = drawer.element_handle()
    with llm.override({"talker": says("Yes.")}):
        say(page, "Are you there?")
        expect(page.get_by_text("Yes.")).to_be_visible()
        is_finished(page)
    expect(drawer).not_to_contain_text("tea 59")
    assert before.evaluate("drawer => drawer.isConnected")
