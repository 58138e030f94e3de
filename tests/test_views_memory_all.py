"""The memory page as a whole: filters, tasks, health, export, and forgetting much at once."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memoryapp.memory import embeddings, ledger
from memoryapp.models import Fact, Message
from tests.factories import make_chat, make_fact, make_prompt
from tests.pages import client_of, htmx_get, htmx_post, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def facts(ada):
    """Facts of every standing: in use, paused, superseded, expired, old, of a chat."""
    now = timezone.now()
    chat = make_chat(ada, "I keep bees.", title="Bees")
    make_fact(ada, "pet", "bees", source_message=chat.messages.get(), kind="preference")
    make_fact(ada, "city", "Vienna")
    make_fact(ada, "tool", "awk", status="paused")
    make_fact(ada, "employer", "Acme", valid_from=now - timedelta(days=9), valid_to=now)
    make_fact(ada, "guest", "Jonas", expires_at=now - timedelta(days=1))
    make_fact(ada, "school", "Linz", recorded_at=now - timedelta(days=100))
    return {"chat": str(chat.pk)}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, "bees Vienna awk Linz"),
        ({"status": "active"}, "bees Vienna Linz"),
        ({"status": "paused"}, "awk"),
        ({"status": "closed"}, "Acme Jonas"),
        ({"chat": "chat"}, "bees"),
        ({"days": "30"}, "bees Vienna awk"),
        ({"days": "30", "status": "active", "kind": "preference"}, "bees"),
        ({"q": "awk", "status": "active"}, ""),
        ({"status": "x", "days": "-1", "chat": "x", "kind": "x"}, "bees Vienna awk Linz"),
    ],
)
def test_facts_are_filtered(ada, facts, asked, found):
    asked = {name: facts.get(value, value) for name, value in asked.items()}
    html = text_of(htmx_get(client_of(ada), "/memory/", **asked))
    values = ["bees", "Vienna", "awk", "Acme", "Jonas", "Linz"]
    shown = [value for value in values if f'dir="auto">{value}</p>' in html]
    assert shown == [value for value in values if value in found.split()]


def test_all_facts_with_the_very_words_are_found(ada):
    for number in range(40):
        make_fact(ada, f"spare_key_{number}", "lies in a drawer")
    html = text_of(htmx_get(client_of(ada), "/memory/", q="drawer"))
    assert "40 facts found" in html
    assert html.count('class="fact"') == 40


def test_only_chats_that_taught_something_are_offered(ada, ben, facts):
    make_chat(ada, "Hello", title="Small talk")
    html = text_of(client_of(ada).get("/memory/"))
    assert ">Bees</option>" in html
    assert "Small talk</option>" not in html
    assert "Bees" not in text_of(client_of(ben).get("/memory/"))


def test_a_chat_of_somebody_else_filters_nothing(ben, facts):
    make_fact(ben, "city", "Graz")
    assert "Graz" in text_of(htmx_get(client_of(ben), "/memory/", chat=facts["chat"]))


def test_a_superseded_value_can_only_be_brought_back(ada):
    ledger.edit(row=make_fact(ada, "city", "Vienna"), actor="ada", value="Graz")
    html = text_of(htmx_get(client_of(ada), "/memory/", status="closed"))
    assert "Vienna" in html
    assert 'aria-label="History"' in html
    assert 'aria-label="Edit"' not in html
    assert 'aria-label="Pause"' not in html


def test_open_tasks_come_by_their_day_and_are_done_with_one_press(ada):
    client, now = client_of(ada), timezone.now()
    make_fact(ada, "someday", "sort photos", kind="task")
    late = make_fact(ada, "tax", "hand in the form", kind="task", due_at=now - timedelta(days=1))
    make_fact(ada, "visit", "call Jonas", kind="task", due_at=now + timedelta(days=1))
    make_fact(ada, "city", "Vienna")
    html = text_of(client.get("/memory/tasks/"))
    assert html.index("hand in") < html.index("call Jonas") < html.index("sort photos")
    assert html.count("tag--bad") == 1
    assert "Vienna" not in html
    htmx_post(client, f"/memory/facts/{late.pk}/close/")
    assert "hand in the form" not in text_of(client.get("/memory/tasks/"))
    assert ada.memory_events.get().action == "closed"


def test_nobody_else_closes_a_task(ada, ben):
    task = make_fact(ada, "tax", "hand in the form", kind="task")
    assert client_of(ben).post(f"/memory/facts/{task.pk}/close/").status_code == 404
    assert Fact.objects.current().exists()


def test_a_task_is_given_a_moment_in_the_persons_zone(ada):
    ada.timezone = "Asia/Kolkata"
    ada.save()
    data = {"key": "Tax", "value": "form", "kind": "task", "due_at": "2999-01-31T09:30"}
    data = {f"new-{name}": value for name, value in data.items()}
    client_of(ada).post("/memory/facts/add/", data)
    assert ada.facts.get().due_at.isoformat() == "2999-01-31T04:00:00+00:00"


@pytest.fixture
def tidy(ada):
    long_ago = timezone.now() - timedelta(days=200)
    make_fact(ada, "old", "forgotten lore", use_count=3, last_used_at=long_ago)
    make_fact(ada, "idle", "collects stamps", recorded_at=long_ago)
    make_fact(ada, "employer", "works as a nurse at the hospital in Graz")
    make_fact(ada, "job", "works as a nurse in a hospital in Graz")
    make_fact(ada, "city", "Vienna")
    make_fact(ada, "city", "Linz", status="pending", waits_because="It contradicts.")
    make_prompt(ada, "length", "Be brief, please.")
    embeddings.fill(Fact.objects.all(), lambda fact: fact.text)
    chat = make_chat(ada, "Hello", "Hi")
    chat.messages.filter(role="assistant").update(receipt={"tokens": {"memory": 120}})


def section(html, name):
    return html.split(f'aria-labelledby="{name}"')[1].split("</section>")[0]


def test_health_names_what_could_be_tidied_up(ada, tidy):
    html = text_of(client_of(ada).get("/memory/health/"))
    assert "forgotten lore" in section(html, "stale")
    assert "collects stamps" not in section(html, "stale")
    assert "collects stamps" in section(html, "never-used")
    assert "nurse at the hospital" in section(html, "near-duplicates")
    assert "nurse in a hospital" in section(html, "near-duplicates")
    assert "Vienna" not in section(html, "near-duplicates")
    assert "Linz" in section(html, "conflicts")
    assert "<dd>120</dd>" in section(html, "cost")
    assert "<dd>5</dd>" in section(html, "cost")


def test_health_of_somebody_else_stays_theirs(ben, tidy):
    html = text_of(client_of(ben).get("/memory/health/"))
    assert "No two facts are alike." in html
    assert "Graz" not in html
    assert "<dd>120</dd>" not in html


@pytest.mark.parametrize("address", ["/memory/tasks/", "/memory/health/", "/memory/export.json"])
def test_it_needs_somebody_signed_in(client, db, address):
    assert client.get(address).url.startswith("/accounts/login/")


def test_memory_is_exported_as_json_with_its_past(ada, facts):
    response = client_of(ada).get("/memory/export.json")
    data = json.loads(response.content)
    assert {fact["value"] for fact in data["facts"]} >= {"bees", "Acme"}
    assert "embedding" not in data["facts"][0]
    assert response.headers["Content-Disposition"].startswith('attachment; filename="memory-')


def test_memory_is_exported_as_text(ada, facts):
    make_prompt(ada, "length", "Be brief.")
    make_fact(ada, "secret", "waits", status="pending")
    text = text_of(client_of(ada).get("/memory/export.md"))
    assert "- **city:** Vienna" in text
    assert "- **length:** Be brief." in text
    assert text.index("# No longer so") < text.index("Acme")
    assert "waits" not in text


def test_the_text_tells_when_a_task_is_due_where_its_owner_is(ada):
    ada.timezone = "Asia/Tokyo"
    ada.save()
    due_at = datetime(2026, 12, 1, 20, 30, tzinfo=UTC)
    make_fact(ada, "taxes", "file them", kind="task", due_at=due_at)
    text = text_of(client_of(ada).get("/memory/export.md"))
    assert "- **taxes:** file them (due 2026-12-02 05:30)" in text


def test_an_export_is_of_nobody_else_and_of_no_other_kind(ben, facts):
    assert "Vienna" not in text_of(client_of(ben).get("/memory/export.json"))
    assert client_of(ben).get("/memory/export.exe").status_code == 404


def test_forgetting_everything_lists_it_and_wants_a_typed_word(ada, ben, facts):
    make_fact(ben, "city", "Graz")
    make_prompt(ada, "length", "Be brief.")
    client = client_of(ada)
    html = text_of(htmx_get(client, "/memory/forget/"))
    for value in ("bees", "Vienna", "awk", "Linz", "Be brief."):
        assert value in html
    assert "7 versions in all" in html
    refused = htmx_post(client, "/memory/forget/", word="no")
    assert refused.status_code == 422
    assert "Nothing was removed" in text_of(refused)
    assert ada.facts.count() == 6
    done = htmx_post(client, "/memory/forget/", word=" Forget ")
    assert done.headers["HX-Redirect"] == "/memory/"
    assert not ada.facts.exists()
    assert not ada.prompts.exists()
    assert ben.facts.get().value == "Graz"
    assert Message.objects.for_user(ada).exists()
    assert "Forgotten for good: 7 things." in text_of(client.get("/memory/"))


@pytest.mark.parametrize(("scope", "rest"), [("kind=preference", 5), ("chat={chat}", 5)])
def test_forgetting_a_part_leaves_the_rest(ada, facts, scope, rest):
    address = "/memory/forget/?" + scope.format(**facts)
    assert "Vienna" not in text_of(htmx_get(client_of(ada), address))
    client_of(ada).post(address, {"word": "forget"})
    assert ada.facts.count() == rest
    assert not ada.facts.filter(key="pet").exists()


def test_what_goes_or_is_edited_says_whom_it_is_about(ada):
    make_fact(ada, "city", "Vienna")
    boss = make_fact(ada, "city", "Graz", subject="my boss")
    client = client_of(ada)
    html = text_of(htmx_get(client, "/memory/forget/"))
    assert "<strong>my boss: City:</strong>" in html
    assert "<strong>City:</strong>" in html
    for part in ("edit", "forget", "history"):
        assert "my boss: City" in text_of(htmx_get(client, f"/memory/facts/{boss.pk}/{part}/"))


@pytest.mark.parametrize("chat", ["{chat}", "x"])
def test_nobody_forgets_what_a_chat_of_somebody_else_taught(ada, ben, facts, chat):
    address = "/memory/forget/?chat=" + chat.format(**facts)
    assert client_of(ben).post(address, {"word": "forget"}).status_code == 404
    assert ada.facts.count() == 6


def test_a_read_of_an_administrator_stands_in_the_log(ada):
    ada.memory_events.create(
        action="read", table="fact", row_id=ada.chats.create().pk, key="city", actor="root"
    )
    html = text_of(client_of(ada).get("/memory/log/"))
    assert "Read by an administrator" in html
    assert "root" in html
