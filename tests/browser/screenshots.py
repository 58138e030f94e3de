"""Takes the pictures in docs/screens, from the demo's person: make screenshots."""

import time
from pathlib import Path

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django_q.models import OrmQ
from playwright.sync_api import expect

from memoryapp.agents import llm
from memoryapp.memory import eviction
from memoryapp.models import Chat, User
from memoryapp.models.messages import INTERRUPTED
from tests.browser.conftest import PHONE
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
    "import": "/import/",
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
WEEKS = (
    "Where did we leave the move to EKS?",
    "The cluster is moved in two halves. The staging half runs, the production half waits.",
    "What still blocks production?",
    "The queue of invoices: it has to be empty before the cutover.",
    "Then we empty it on Thursday evening.",
    "Thursday 19:00, and the cutover on Friday at 08:00. Nobody deploys in between.",
    "And who watches the first hour?",
    "You and the on-call engineer. Look at the queue's age first, then at the error rate.",
)
CONDENSED = (
    "The move to EKS is in two halves:\n\n- Staging runs on the new cluster.\n"
    "- Production waits for the queue of invoices, which is emptied on **Thursday at 19:00**.\n\n"
    "The cutover is on Friday at 08:00, and nobody deploys in between."
)
MACHINES = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
)


@pytest.fixture
def demo(ada, server):
    call_command("seed_demo")
    while OrmQ.objects.exists():  # until what was made is read and indexed
        time.sleep(0.1)
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
    chat = make_chat(user, *bodies, title=title, title_source="manual")
    chat.messages.filter(role="assistant").update(status=status, failure=failure)
    return f"/chats/{chat.pk}/"


@pytest.mark.parametrize("look", LOOKS)
def test_states_of_a_chat(browse, demo, look):
    person = browse(demo, **LOOKS[look])
    take(person.open(chat_of(demo, *ARABIC, title="نقل قاعدة البيانات")), "chat-rtl" + look)
    take(person.open(chat_of(demo, *LONG, title="Wide things")), "chat-long" + look)
    why = "The model gave no answer within a minute. Nothing of it arrived; answer again."
    failed = chat_of(demo, "And now?", "", title="What comes next", status="failed", failure=why)
    take(person.open(failed), "chat-failed" + look)
    cut_off = ("Which job goes first?", "The invoice job goes first, because nobody waits for")
    address = chat_of(
        demo, *cut_off, title="First of the jobs", status="interrupted", failure=INTERRUPTED
    )
    take(person.open(address), "chat-interrupted" + look)


@pytest.mark.parametrize("look", LOOKS)
def test_a_chat_whose_beginning_is_condensed(browse, demo, look):
    chat = make_chat(demo, *WEEKS, title="The week of the move", title_source="manual")
    eviction.evict(chat, list(chat.history)[:6], CONDENSED)
    page = browse(demo, **LOOKS[look]).open(f"/chats/{chat.pk}/")
    page.locator(".summary__line").click()
    page.locator(".summary").evaluate("summary => summary.scrollIntoView()")
    take(page, "chat-summary" + look)


@pytest.mark.parametrize("look", LOOKS)
def test_the_browsers_that_are_signed_in(browse, demo, look):
    for machine in MACHINES:
        browse(demo, user_agent=machine).open("/")
    page = browse(demo, **LOOKS[look]).open("/settings/")
    page.locator("#sessions").evaluate("sessions => sessions.scrollIntoView()")
    take(page, "settings-sessions" + look)


@pytest.mark.parametrize("look", LOOKS)
def test_refusals(browse, ada, look):
    page = browse(ada, **LOOKS[look]).open("/nowhere/")
    for name in ("403", "403_csrf", "429", "500", "503"):
        context = {"status": name, "retry_seconds": 3600}
        page.set_content(render_to_string(f"{name}.html", context))
        take(page, f"error-{name.replace('_', '-')}" + look)


@pytest.mark.parametrize("look", LOOKS)
def test_a_reply_that_is_being_written(browse, demo, look):
    words = ("The invoice job goes first. " * 12).split(" ")
    with llm.override({"talker": says(*(f"{word} " for word in words), pause=0.2)}):
        page = browse(demo, **LOOKS[look]).open("/")
        page.get_by_label("Message", exact=True).fill(
            "Which of our services goes first to the new cluster?"
        )
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator(".message--assistant")).to_contain_text("invoice job goes first. The")
        page.screenshot(path=FOLDER / f"chat-streaming{look}.png")
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
