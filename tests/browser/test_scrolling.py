"""A long chat, scrolled by hand."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memoryapp.models import Chat, Message

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
