"""axe-core's rules on every page: nothing serious and nothing critical."""

from pathlib import Path

import pytest
from django.core.management import call_command

from memoryapp.models import Chat, User
from tests.browser.conftest import PHONE, WIDE

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PAGES = [
    "/chats/temporary/",
    *("/", "/chats/", "/memory/", "/memory/persona/", "/memory/tasks/", "/memory/health/"),
    *("/memory/log/", "/memory/inbox/", "/memory/forget/", "/memory/facts/add/", "/resources/"),
    *("/settings/", "/settings/delete-account/", "/accounts/password/change/"),
    *("/accounts/logout/", "/nowhere/", "/admin/"),
]
FINDINGS = """async () => (await axe.run()).violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))"""


@pytest.fixture
def demo(transactional_db):
    call_command("seed_demo")
    person = User.objects.get(username="demo")
    person.is_staff = person.is_superuser = True
    person.save()
    return person


def findings(page):
    page.add_script_tag(path=AXE)
    return page.evaluate(FINDINGS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_page_shuts_anybody_out(browse, demo, scheme, viewport):
    person = browse(
        demo,
        color_scheme=scheme,
        viewport=viewport,
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
    for address in PAGES:
        page = person.open(address)
        found[address] = findings(page)
        page.close()
    assert {address: each for address, each in found.items() if each} == {}
