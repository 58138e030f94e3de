"""Takes the pictures in docs/screens, from the demo's person: make screenshots."""

from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.models import Chat, User
from memoryapp.models.chats import INTERRUPTED
from tests.browser.conftest import PHONE, say
from tests.factories import make_chat
from tests.fakes import says

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
LOOKS = {
    "": {},
    "-dark": {"color_scheme": "dark"},
    "-phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
PAGES = {
    "new": "/",
    "temporary": "/chats/temporary/",
    "chats": "/chats/",
    "memory": "/memory/",
    "persona": "/memory/persona/",
    "tasks": "/memory/tasks/",
    "health": "/memory/health/",
    "inbox": "/memory/inbox/",
    "log": "/memory/log/",
    "resources": "/resources/",
    "settings": "/settings/",
    "nothing-here": "/nowhere/",
    "administration": "/admin/",
}
ARABIC = (
    "اسمي أمل وأعمل مهندسة في القاهرة. كيف أنقل قاعدة البيانات PostgreSQL من دون توقف؟",
    "ابدئي بنسخة تتبع القاعدة الأصلية:\n\n1. أنشئي النسخة.\n2. راقبي التأخر حتى يصير صفرا.\n"
    "3. حوّلي التطبيق.\n\n```sql\nselect pg_is_in_recovery();\n```\n",
)
LONG = (
    "Show me a long line and a wide table.",
    "```\n"
    + "a long line of code " * 20
    + "\n```\n\n"
    + "| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n"
    + "| a column with words | another one | a third | and more | and more | the last |\n" * 4,
)


@pytest.fixture
def demo(ada):
    call_command("seed_demo")
    person = User.objects.get(username="demo")
    person.is_staff = person.is_superuser = True
    person.save()
    return person


def take(page, name):
    page.wait_for_load_state("networkidle")
    FOLDER.mkdir(exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


@pytest.mark.parametrize("look", LOOKS)
def test_every_page(browse, demo, look):
    person = browse(demo, **LOOKS[look])
    pinned = Chat.objects.for_user(demo).get(is_pinned=True)
    for name, address in PAGES.items():
        take(person.open(address), name + look)
    page = person.open(f"/chats/{pinned.pk}/")
    page.locator(".receipt__line").last.click()
    page.locator(".message--user").last.evaluate("said => said.scrollIntoView()")
    take(page, "chat" + look)
    page.goto(page.locator("a[href$='/receipt/']").last.get_attribute("href"))
    take(page, "receipt" + look)


def chat_of(user, *bodies, title, status="complete", failure=""):
    chat = make_chat(user, *bodies, title=title)
    chat.messages.filter(role="assistant").update(status=status, failure=failure)
    return f"/chats/{chat.pk}/"


def test_states_of_a_chat(browse, demo):
    person = browse(demo)
    take(person.open(chat_of(demo, *ARABIC, title="نقل قاعدة البيانات")), "chat-rtl")
    take(person.open(chat_of(demo, *LONG, title="Wide things")), "chat-long")
    why = "The model gave no answer within a minute. Nothing of it arrived; answer again."
    failed = chat_of(demo, "And now?", "", title="Failed", status="failed", failure=why)
    take(person.open(failed), "chat-failed")
    cut_off = ("Which job goes first?", "The invoice job goes first, because nobody waits for")
    address = chat_of(demo, *cut_off, title="Cut off", status="interrupted", failure=INTERRUPTED)
    take(person.open(address), "chat-interrupted")


def test_a_reply_that_is_being_written(browse, demo):
    words = ("The invoice job goes first. " * 12).split(" ")
    with llm.override({"talker": says(*(f"{word} " for word in words), pause=0.2)}):
        page = browse(demo).open("/")
        say(page, "Which of our services goes first to the new cluster?")
        expect(page.locator(".message--assistant")).to_contain_text("invoice job goes first. The")
        page.screenshot(path=FOLDER / "chat-streaming.png")
        page.get_by_role("button", name="Stop answering").click()
        expect(page.get_by_text("You stopped this reply.")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS)
def test_a_temporary_chat(browse, demo, look):
    with llm.override({"talker": says("Say it early, calmly, and in person.")}):
        page = browse(demo, **LOOKS[look]).open("/chats/temporary/")
        page.get_by_label("Message", exact=True).fill("How do I tell my team that I am leaving?")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("button", name="Keep this chat")).to_be_enabled()
        take(page, "temporary-chat" + look)


def test_a_person_who_is_new(browse, ada):
    person = browse(ada)
    for name in ("memory", "inbox", "resources"):
        take(person.open(PAGES[name]), f"{name}-empty")


def test_the_gate_and_german(browse, demo):
    person = browse(demo)
    demo.language = "de"
    demo.save()
    take(person.open("/memory/"), "memory-german")
    take(person.open("/memory/forget/"), "forget-german")
    person.context.clear_cookies()
    take(person.open("/accounts/login/"), "sign-in")
