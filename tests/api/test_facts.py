from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memoryapp.memory import ledger
from memoryapp.models import Fact, Prompt
from tests.api.callers import told
from tests.factories import NOBODYS, make_chat, make_fact, make_prompt

pytestmark = pytest.mark.django_db


def values(response):
    return [fact["value"] for fact in told(response, 200)["items"]]


def moved(ada):
    """A fact with an older version; returns both, the closed one first."""
    told_first = ledger.remember(
        user=ada, table="fact", key="city", value="Berlin", actor="ada", origin="user"
    )
    return told_first, ledger.edit(row=told_first, actor="ada", value="Vienna")


def test_fact_list_has_the_current_ones_newest_first(ada, as_ada):
    moved(ada)
    make_fact(ada, "employer", "Acme")
    make_fact(ada, "trip", "Rome", expires_at=timezone.now() - timedelta(days=1))
    assert values(as_ada("GET", "/facts")) == ["Acme", "Vienna"]


def test_fact_list_filters_by_kind_status_and_chat(ada, chat, as_ada):
    make_fact(ada, "name", "Ada", kind="identity")
    make_fact(ada, "tea", "green", status="paused")
    make_fact(ada, "city", "Graz", source_message=chat.messages.first())
    assert values(as_ada("GET", "/facts?kind=identity")) == ["Ada"]
    assert values(as_ada("GET", "/facts?status=paused")) == ["green"]
    assert values(as_ada("GET", f"/facts?chat_id={chat.pk}")) == ["Graz"]


def test_fact_list_shows_what_was_true_at_a_time(ada, as_ada):
    old, new = moved(ada)
    Fact.objects.filter(pk=old.pk).update(valid_from=datetime(2020, 1, 1, tzinfo=UTC))
    assert values(as_ada("GET", "/facts?as_of=2021-01-01T00:00:00Z")) == ["Berlin"]
    shown = told(as_ada("GET", f"/facts/{new.pk}"), 200)["valid_from"]
    assert values(as_ada("GET", f"/facts?as_of={shown}")) == ["Vienna"]


@pytest.mark.parametrize(
    "query", ["kind=rumour", "status=gone", "as_of=yesterday", "as_of=2021-01-01", "chat_id=7"]
)
def test_fact_list_refuses_bad_filters(as_ada, query):
    told(as_ada("GET", f"/facts?{query}"), 422)


def test_an_added_fact_is_stored_with_all_its_fields(ada, as_ada):
    body = {
        "key": "Weekly Report",
        "value": "due on Fridays",
        "kind": "task",
        "subject": "my team",
        "pinned": True,
        "local_only": True,
        "due_at": "2027-01-01T12:00:00+05:30",
        "expires_at": "2027-02-01T00:00:00Z",
    }
    added = told(as_ada("POST", "/facts", body), 201)
    assert added["key"] == "weekly_report"
    assert added["due_at"] == "2027-01-01T06:30:00Z"
    assert added["origin"] == "api"
    assert added["valid_to"] is None
    fact = Fact.objects.get()
    assert (fact.user, fact.subject, fact.is_pinned) == (ada, "my team", True)
    assert told(as_ada("GET", f"/facts/{fact.pk}"), 200) == added


def test_the_same_fact_added_again_changes_nothing(as_ada):
    first = told(as_ada("POST", "/facts", {"key": "city", "value": "Graz", "pinned": True}), 201)
    again = told(as_ada("POST", "/facts", {"key": "city", "value": "Graz"}), 201)
    assert again == first
    assert Fact.objects.count() == 1


def test_another_value_supersedes_the_old_one(as_ada):
    told(as_ada("POST", "/facts", {"key": "city", "value": "Berlin"}), 201)
    told(as_ada("POST", "/facts", {"key": "city", "value": "Vienna"}), 201)
    assert values(as_ada("GET", "/facts")) == ["Vienna"]


@pytest.mark.parametrize(
    "changes",
    [
        {"key": ""},
        {"key": "x" * 101},
        {"value": " "},
        {"value": "x" * 2001},
        {"value": "a\0b"},
        {"value": 7},
        {"kind": "rumour"},
        {"status": "pending"},
        {"pinned": "true"},
        {"due_at": "2027-01-01T12:00:00"},
        {"due_at": 1767225600},
        {"due_at": "0001-01-01T00:00:00+14:00"},
        {"origin": "typed"},
    ],
)
def test_fact_add_refuses_bad_input(as_ada, changes):
    told(as_ada("POST", "/facts", {"key": "city", "value": "Graz", **changes}), 422)
    assert not Fact.objects.exists()


def test_fact_edit_of_a_value_answers_with_the_new_version(ada, as_ada):
    fact = make_fact(ada, "city", "Berlin", kind="identity")
    changed = told(as_ada("PATCH", f"/facts/{fact.pk}", {"value": "Vienna"}), 200)
    assert changed["id"] != str(fact.pk)
    assert (changed["value"], changed["kind"], changed["origin"]) == ("Vienna", "identity", "api")
    assert told(as_ada("GET", f"/facts/{fact.pk}"), 200)["valid_to"] is not None


def test_fact_edit_of_a_flag_keeps_the_version(ada, as_ada):
    fact = make_fact(ada, "city", "Graz", due_at=timezone.now())
    body = {"pinned": True, "status": "paused", "due_at": None}
    changed = told(as_ada("PATCH", f"/facts/{fact.pk}", body), 200)
    assert changed["id"] == str(fact.pk)
    assert (changed["pinned"], changed["status"], changed["due_at"]) == (True, "paused", None)


@pytest.mark.parametrize(
    "body", [{"value": ""}, {"value": None}, {"pinned": None}, {"kind": "x"}, {"use_count": 9}]
)
def test_fact_edit_refuses_bad_input(ada, as_ada, body):
    fact = make_fact(ada, "city", "Graz")
    told(as_ada("PATCH", f"/facts/{fact.pk}", body), 422)
    assert Fact.objects.get().value == "Graz"


def test_fact_edit_refuses_a_version_that_was_superseded(ada, as_ada):
    old, new = moved(ada)
    told(as_ada("PATCH", f"/facts/{old.pk}", {"value": "Rome"}), 422)
    assert values(as_ada("GET", "/facts")) == ["Vienna"]


def test_fact_edit_does_not_take_the_place_of_another_fact(ada, as_ada):
    make_fact(ada, "city", "Graz", subject="my sister")
    fact = make_fact(ada, "city", "Vienna")
    told(as_ada("PATCH", f"/facts/{fact.pk}", {"subject": "my sister"}), 422)
    assert set(values(as_ada("GET", "/facts"))) == {"Graz", "Vienna"}


def test_a_forgotten_fact_is_gone_with_its_versions(ada, as_ada):
    _, fact = moved(ada)
    assert told(as_ada("DELETE", f"/facts/{fact.pk}"), 200) == {"forgotten": 1}
    assert not Fact.objects.exists()
    told(as_ada("GET", f"/facts/{fact.pk}"), 404)


def test_the_history_of_a_fact_has_its_versions_newest_first(ada, as_ada):
    old, new = moved(ada)
    make_fact(ada, "city", "Graz", subject="my sister")
    assert values(as_ada("GET", f"/facts/{old.pk}/history")) == ["Vienna", "Berlin"]


def test_a_restored_version_is_current_again(ada, as_ada):
    old, _ = moved(ada)
    assert told(as_ada("POST", f"/facts/{old.pk}/restore"), 200)["value"] == "Berlin"
    assert values(as_ada("GET", "/facts")) == ["Berlin"]


def test_forgetting_all_takes_facts_and_prompts_and_leaves_everybody_elses(ada, ben, as_ada):
    moved(ada)
    make_prompt(ada, "length", "Short")
    make_prompt(None, "tone", "Friendly")
    make_fact(ben, "city", "Rome")
    assert told(as_ada("DELETE", "/facts?all=true"), 200) == {"forgotten": 2}
    assert [fact.value for fact in Fact.objects.all()] == ["Rome"]
    assert [prompt.value for prompt in Prompt.objects.all()] == ["Friendly"]


def test_forgetting_a_chat_takes_what_it_taught_and_nothing_else(ada, as_ada):
    chat, other = make_chat(ada, "I live in Graz"), make_chat(ada, "I work at Acme")
    make_fact(ada, "city", "Graz", source_message=chat.messages.get())
    make_fact(ada, "employer", "Acme", source_message=other.messages.get())
    assert told(as_ada("DELETE", f"/facts?chat_id={chat.pk}"), 200) == {"forgotten": 1}
    assert values(as_ada("GET", "/facts")) == ["Acme"]


@pytest.mark.parametrize(
    "query", ["", "?all=false", f"?all=true&chat_id={NOBODYS}", "?everything=1"]
)
def test_forgetting_without_one_clear_scope_forgets_nothing(ada, as_ada, query):
    make_fact(ada, "city", "Graz")
    told(as_ada("DELETE", f"/facts{query}"), 422)
    assert Fact.objects.count() == 1


def test_a_secret_is_refused(as_ada):
    refused = as_ada("POST", "/facts", {"key": "bank pin", "value": "PIN is 4711"})
    assert told(refused, 422)["code"] == "secret"
    assert not Fact.objects.exists()
