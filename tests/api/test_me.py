from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memoryapp.models import ApiKey, Usage
from tests.api.callers import Caller, secret_of, told

pytestmark = pytest.mark.django_db


def test_me_shows_the_callers_settings(as_ada):
    assert told(as_ada("GET", "/me"), 200) == {
        "username": "ada",
        "memory_on": True,
        "timezone": "UTC",
        "language": "en",
        "local_models_only": False,
        "notify_learned": True,
        "is_administrator": False,
    }


def test_me_edit_changes_what_is_named(ada, as_ada):
    changed = told(as_ada("PATCH", "/me", {"timezone": "Asia/Kolkata", "memory_on": False}), 200)
    assert changed["timezone"] == "Asia/Kolkata"
    ada.refresh_from_db()
    assert (ada.timezone, ada.memory_on, ada.language) == ("Asia/Kolkata", False, "en")


@pytest.mark.parametrize(
    "body",
    [
        {"timezone": "Mars/Base"},
        {"timezone": None},
        {"language": "tlh"},
        {"memory_on": "off"},
        {"username": "root"},
        {"is_administrator": True},
    ],
)
def test_me_edit_refuses_bad_input(ada, as_ada, body):
    told(as_ada("PATCH", "/me", {"notify_learned": False, **body}), 422)
    ada.refresh_from_db()
    assert ada.notify_learned


def test_keys_are_listed_without_their_secrets(ada, ben, as_ada):
    secret = secret_of(ada)
    secret_of(ben)
    page = told(as_ada("GET", "/keys"), 200)
    assert page["count"] == 2
    assert page["items"][0]["prefix"] == secret[:10]
    assert secret[10:] not in str(page)


def test_a_made_key_is_shown_once_and_works(as_ada):
    made = told(as_ada("POST", "/keys", {"name": "laptop", "scopes": ["read"]}), 201)
    caller = Caller(made["key"])
    assert told(caller("GET", "/me"), 200)["username"] == "ada"
    told(caller("POST", "/chats", {}), 403)
    assert made["key"] not in str(told(as_ada("GET", "/keys"), 200))


@pytest.mark.parametrize("wanted", [{}, {"scopes": ["read"]}, {"scopes": ["read", "write"]}])
def test_a_key_makes_none_that_may_do_more(ada, wanted):
    caller = Caller(secret_of(ada, scopes=("write",)))
    refusal = told(caller("POST", "/keys", {"name": "more", **wanted}), 403)
    assert refusal["code"] == "key_only_writes"
    assert ApiKey.objects.count() == 1
    made = told(caller("POST", "/keys", {"name": "same", "scopes": ["write"]}), 201)
    assert made["scopes"] == ["write"]


def test_a_key_makes_none_that_outlives_it(ada):
    expires_at = timezone.now() + timedelta(days=1)
    caller = Caller(secret_of(ada, expires_at=expires_at))
    told(caller("POST", "/keys", {"name": "heir"}), 201)
    assert ApiKey.objects.get(name="heir").expires_at == expires_at
    later = (expires_at + timedelta(days=1)).isoformat()
    told(caller("POST", "/keys", {"name": "longer", "expires_at": later}), 422)
    assert not ApiKey.objects.filter(name="longer").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"name": None},
        {"scopes": []},
        {"scopes": ["admin"]},
        {"scopes": "read"},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "tomorrow"},
    ],
)
def test_key_add_refuses_bad_input(as_ada, changes):
    told(as_ada("POST", "/keys", {"name": "laptop", **changes}), 422)
    assert ApiKey.objects.count() == 1


def test_a_revoked_key_stops_working(ada, as_ada):
    key, secret = ApiKey.make(user=ada, name="lost")
    assert told(as_ada("DELETE", f"/keys/{key.pk}"), 204) is None
    told(Caller(secret)("GET", "/me"), 401)


def run(user, created_at, **fields):
    fields = {"agent": "talker", "input_tokens": 10, "output_tokens": 2, **fields}
    return Usage.objects.create(user=user, model="test", created_at=created_at, **fields)


def test_usage_is_added_up_by_the_callers_days(ada, ben, as_ada):
    ada.timezone = "Asia/Kolkata"
    ada.save()
    today = timezone.now().astimezone(ada.zone).replace(hour=0, minute=30)
    run(ada, today, cost="0.5")
    run(ada, today.astimezone(UTC), cost="0.25")
    run(ada, today - timedelta(hours=1), agent="title")
    run(ada, datetime(2020, 1, 1, tzinfo=UTC))
    run(ben, today)
    this_day, day_before = told(as_ada("GET", "/usage"), 200)
    assert this_day == {
        "day": today.date().isoformat(),
        "agent": "talker",
        "runs": 2,
        "input_tokens": 20,
        "output_tokens": 4,
        "cost": "0.750000",
    }
    assert (day_before["agent"], day_before["cost"]) == ("title", None)


@pytest.mark.parametrize("days", ["0", "367", "x"])
def test_usage_refuses_a_bad_span(as_ada, days):
    told(as_ada("GET", f"/usage?days={days}"), 422)
