"""axe-core's rules on every page: nothing serious and nothing critical."""

from pathlib import Path

import pytest
from django.core.management import call_command

from memoryapp.memory import eviction
from memoryapp.models import Chat, Fact, Resource, User
from tests.browser.conftest import PHONE, WIDE
from tests.importing import exports
from tests.importing.exports import taken_in

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PAGES = [
    "/chats/temporary/",
    *("/", "/chats/", "/memory/", "/memory/persona/", "/memory/tasks/", "/memory/health/"),
    *("/memory/log/", "/memory/inbox/", "/memory/forget/", "/memory/facts/add/", "/resources/"),
    *("/import/", "/settings/", "/settings/delete-account/", "/accounts/password/change/"),
    *("/accounts/logout/", "/nowhere/", "/admin/", "/chats/?q=cluster", "/memory/?q=cluster"),
    "/resources/00000000-0000-0000-0000-000000000000/",
]
ADMINISTERED = ("fact", "prompt", "memoryevent", "chat", "message", "resource", "user", "usage")
# Each page is looked at in each of these; where only colours change, only they are.
ALL, COLOURS = None, ["color-contrast"]
LOOKS = [
    (WIDE, "light", ALL),
    (WIDE, "dark", COLOURS),
    (PHONE, "dark", ALL),
    (PHONE, "light", COLOURS),
]
FADED = "() => Promise.all(document.getAnimations().map((each) => each.finished))"
FINDINGS = """async (rules) => (await axe.run(rules ? { runOnly: rules } : {})).violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))"""


@pytest.fixture
def demo(transactional_db):
    call_command("seed_demo")
    person = User.objects.get(username="demo")
    person.is_staff = person.is_superuser = person.learns_imports = True
    person.save()
    taken_in(person, [exports.CLAUDE])
    chat = Chat.objects.for_user(person).first()
    eviction.evict(chat, list(chat.history)[:2], "They moved the cluster.")
    return person


def pages_of(user):
    """The pages of what this person has."""
    fact = Fact.objects.for_user(user).current().first()
    resource = Resource.objects.owned_by(user).first()
    reply = user.messages.filter(role="assistant").last()
    yield from (f"/memory/facts/{fact.pk}/{part}/" for part in ("edit", "history", "forget"))
    yield from (f"/resources/{resource.pk}/", f"/resources/{resource.pk}/delete/")
    yield f"/messages/{reply.pk}/receipt/"
    yield from (f"/admin/memoryapp/{table}/" for table in ADMINISTERED)
    yield f"/admin/memoryapp/fact/{fact.pk}/change/"
    yield f"/admin/memoryapp/message/{reply.pk}/change/"
    yield f"/admin/memoryapp/chat/{reply.chat_id}/change/"
    yield f"/messages/{reply.parent_id}/edit/"
    yield from (f"/chats/{reply.chat_id}/{part}/" for part in ("rename", "delete"))


def findings(page):
    """What is wrong with this page in any of its looks; it is left in the last one, a phone's."""
    page.add_script_tag(path=AXE)
    found = []
    for viewport, scheme, rules in LOOKS:
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        page.evaluate(FADED)  # the administration's colours change slowly
        looked = f"{viewport['width']} {scheme}"
        found += [f"{looked} {each}" for each in page.evaluate(FINDINGS, rules)]
    return found


def test_no_page_shuts_anybody_out(browse, demo):
    person = browse(
        demo,
        bypass_csp=True,  # for axe's own script
        reduced_motion="reduce",  # a colour half faded in has no contrast yet
    )
    found = {}
    for chat in Chat.objects.for_user(demo):
        page = person.open(f"/chats/{chat.pk}/")
        for line in page.locator("summary.receipt__line").all():
            line.click()
        found[chat.title] = findings(page)
        page.close()
    for address in [*PAGES, *pages_of(demo)]:
        page = person.open(address)
        found[address] = findings(page)
        page.close()
    person.context.clear_cookies()
    for address in ("/accounts/login/", "/accounts/signup/"):
        found[address] = findings(person.open(address))
    assert {address: each for address, each in found.items() if each} == {}
