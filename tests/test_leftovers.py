"""No English is left on a German page: each one is read in both languages, and compared."""

from html.parser import HTMLParser

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from memoryapp.memory import ledger, resources, review
from memoryapp.models import ApiKey, Chat, Fact, Message, Prompt, Resource, User
from memoryapp.models.messages import INTERRUPTED
from tests.importing import exports
from tests.importing.exports import taken_in
from tests.pages import after_password, client_of, text_of

pytestmark = pytest.mark.django_db
SPOKEN = ("aria-label", "title", "placeholder", "alt")
# Names, and words that are the same in both languages.
SAME = {
    *("memoryapp", "English", "Deutsch", "JSON", "API", "Enter", "Esc", "Chat", "Name", "Status"),
    "Code",
    *("Browser", "http://testserver/v1", "http://testserver/mcp"),
    *("Tokens", "Export", "Text", "demo", "Chats", "Chats · memoryapp", "A model of your choice"),
    *("April", "August", "September", "November", "OPENAI_API_KEY", "TALKER_MODEL"),
}


class Texts(HTMLParser):
    """All that a page says or has a screen reader say."""

    def __init__(self, html):
        super().__init__()
        self.found = set()
        self.is_silent = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.is_silent = tag in ("script", "style") or ("class", "code sent") in attrs
        for name, value in attrs:
            is_sentence = name.startswith("data-") and " " in (value or "")
            if name in SPOKEN or is_sentence:
                self.handle_data(value)

    def handle_data(self, text):
        if not self.is_silent and any(char.isalpha() for char in text):
            self.found.add(" ".join(text.split()))


@pytest.fixture
def demo(db):
    call_command("seed_demo")
    demo = User.objects.get(username="demo")
    chat = Chat.objects.for_user(demo).first()
    question = chat.add_message("user", "And now?")
    chat.add_message("assistant", "Half a", status="interrupted", failure=INTERRUPTED)
    demo.memory_events.create(
        action="failed", message=question, actor="extractor", reason=failed_to_learn()
    )
    demo.memory_events.create(action="refused", actor="extractor", reason=review.UNSAID)
    fact = Fact.objects.for_user(demo).current().filter(status="active").first()
    ledger.edit(row=fact, actor="demo", is_pinned=True, kind="project")
    resource = resources.add(user=demo, name="Empty", body="text")
    Resource.objects.filter(pk=resource.pk).update(status="failed", error=resources.NO_TEXT)
    ApiKey.make(user=demo, name="Laptop")
    taken_in(demo, [exports.CLAUDE])
    return demo


def failed_to_learn():
    from memoryapp import tasks
    from memoryapp.agents import failures

    return tasks.EXTRACTOR_FAILED.format(failures.explain(TimeoutError()))


def addresses(user):
    yield from (
        "/",
        "/chats/temporary/",
        "/chats/",
        "/chats/?q=zzzz",
        "/memory/",
        "/memory/?q=zzzz",
        "/memory/persona/",
    )
    yield from ("/memory/tasks/", "/memory/health/", "/memory/inbox/", "/memory/log/")
    yield from ("/memory/forget/", "/memory/facts/add/", "/memory/prompts/add/", "/resources/")
    yield from ("/import/", "/settings/", "/settings/delete-account/", "/accounts/password/change/")
    yield from ("/accounts/logout/", "/accounts/password/none/", "/nowhere/")
    yield "/resources/00000000-0000-0000-0000-000000000000/"
    for chat in Chat.objects.for_user(user):
        for name in ("detail", "menu", "rename", "delete"):
            yield reverse(f"chat-{name}", args=[chat.pk])
    for reply in Message.objects.for_user(user).filter(role="assistant"):
        yield reverse("message-receipt", args=[reply.pk])
    said = Message.objects.for_user(user).filter(role="user").first()
    yield reverse("message-edit", args=[said.pk])
    for row in Fact.objects.for_user(user)[:3]:
        for name in ("edit", "history", "forget"):
            yield reverse(f"memory-{name}", args=["facts", row.pk])


def own_words(user):
    """What the person, their model and their resources say: shown as it is."""
    for rows in (Fact.objects, Prompt.objects):
        for row in rows.for_user(user):
            yield from (f"{row.key.replace('_', ' ')}: {row.value}", row.quote)
    for message in Message.objects.for_user(user).select_related("chat"):
        yield from (message.body, message.chat.title, *texts_in(message.receipt))
    for event in user.memory_events.exclude(action="edited"):
        yield from (event.key.replace("_", " "), event.before, event.after, event.quote)
    for resource in Resource.objects.owned_by(user):
        yield from (resource.name, resource.body)
    for key in user.api_keys.all():
        yield from (key.name, key.prefix)


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def read(user, language):
    user.language = language
    user.save()
    client = client_of(user)
    return {address: Texts(text_of(client.get(address))).found for address in addresses(user)}


def read_second_factor(user, language):
    """The pages that are there once a password was given again, before a device is and after."""
    user.language = language
    user.save()
    client = client_of(user)
    pages = [after_password(client, "/accounts/second-factor/")]
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)
    shown = ("recovery-codes/", "recovery-codes/", "recovery-codes/new/", "second-factor/off/")
    pages += [client.get(f"/accounts/{address}") for address in shown]
    pages += [client.get(f"/accounts/{address}") for address in ("reauthenticate/", "code/again/")]
    asked = Client(headers={"Accept-Language": language})
    data = {"login": user.username, "password": "a-long-password"}
    pages.append(asked.post("/accounts/login/", data, follow=True))
    pages.append(asked.post("/accounts/code/", {"code": "000000"}))
    Authenticator.objects.all().delete()
    return [Texts(text_of(page)).found for page in pages]


def test_no_english_is_left_where_a_code_is_set_up_and_asked_for(ada):
    english, german = read_second_factor(ada, "en"), read_second_factor(ada, "de")
    assert len(english) == 9
    for number, (before, after) in enumerate(zip(english, german, strict=True)):
        assert len(after) > 2
        assert {text for text in before & after if text not in SAME} == set(), number


def test_no_english_is_left_on_a_german_page(demo):
    own = " ".join(" ".join(own_words(demo)).split()).casefold()
    english, german = read(demo, "en"), read(demo, "de")
    assert len(english) > 30
    for address, texts in german.items():
        left = {text for text in texts & english[address] if text not in SAME}
        assert {text for text in left if without_marks(text) not in own} == set(), address


def without_marks(text):
    return text.removesuffix(" · memoryapp").removesuffix(":").casefold()
