from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Chat
from memoryapp.views import CHATS_IN_SIDE
from tests.browser.thread import say
from tests.factories import make_chat
from tests.fakes import says


def chats(page):
    return page.locator("#chats .chats__item")


def answer_to(page, text):
    with llm.override({"talker": says("I don't ", "know.", pause=0.2)}):
        say(page, text)
        expect(page.locator(".message--assistant").last).to_contain_text("I don't know.")
        expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_what_was_found_stays_while_a_reply_arrives(browse, ada):
    chat = make_chat(ada, "Leeks?", "Braise them.", title="Leeks", title_source="manual")
    make_chat(ada, "And dill?", "Chop it.", title="Dill", title_source="manual")
    page = browse(ada).open(f"/chats/{chat.pk}/")
    page.get_by_role("searchbox").fill("dill")
    expect(chats(page)).to_have_count(1)
    answer_to(page, "And leeks?")
    expect(chats(page)).to_have_count(1)
    expect(chats(page)).to_contain_text("Dill")
    page.get_by_role("searchbox").fill("")
    expect(chats(page)).to_have_count(2)


def test_a_chat_that_is_too_old_for_the_list_goes_on(browse, ada):
    chat = make_chat(ada, "Leeks?", "Braise them.", title="Leeks", title_source="manual")
    newer = [Chat(user=ada, title=f"Chat {n}", title_source="manual") for n in range(CHATS_IN_SIDE)]
    Chat.objects.bulk_create(newer)
    page = browse(ada).open(f"/chats/{chat.pk}/")
    expect(page.locator("#chats")).not_to_contain_text("Leeks")
    answer_to(page, "And leeks?")
    expect(chats(page)).to_have_count(CHATS_IN_SIDE)
    expect(page.locator("#chats")).not_to_contain_text("Leeks")


def test_a_title_that_was_missed_arrives_in_the_list_with_the_thread(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    Chat.objects.filter(pk=chat.pk).update(title="Leeks")
    page.evaluate("htmx.trigger(document.body, 'stale')")
    expect(page.locator("#chat-title")).to_have_text("Leeks")
    expect(page.locator("#chats [aria-current]")).to_have_text("Leeks")
    page.get_by_role("button", name="Menu of Leeks").click()
    expect(page.locator("#menu")).to_be_visible()
