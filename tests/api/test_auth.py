from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from memoryapp.api import auth
from memoryapp.models import ApiKey, Chat
from tests.api.callers import Caller, secret_of, told

pytestmark = pytest.mark.django_db


def test_a_key_lets_its_owner_in(as_ada):
    assert told(as_ada("GET", "/me"), 200)["username"] == "ada"


def test_without_a_key_or_a_session_nobody_comes_in(stranger):
    response = stranger("GET", "/me")
    assert told(response, 401)["code"] == "not_signed_in"
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_made_up_key_is_refused():
    assert told(Caller("ma_made-up")("GET", "/me"), 401)["code"] == "key_not_valid"


def test_an_expired_key_is_refused(ada):
    secret = secret_of(ada, expires_at=timezone.now() - timedelta(seconds=1))
    error = told(Caller(secret)("GET", "/me"), 401)
    assert error["code"] == "key_not_valid"
    assert "expired" in error["detail"]


def test_a_revoked_key_is_refused(ada):
    secret = secret_of(ada)
    ApiKey.objects.all().delete()
    assert told(Caller(secret)("GET", "/me"), 401)["code"] == "key_not_valid"


def test_the_key_of_a_person_who_was_switched_off_is_refused(ada, as_ada):
    ada.is_active = False
    ada.save()
    told(as_ada("GET", "/me"), 401)


def test_a_bad_key_is_refused_although_its_sender_is_signed_in(ada):
    caller = Caller("ma_made-up")
    caller.client.force_login(ada)
    told(caller("GET", "/me"), 401)


def test_a_key_that_only_reads_reads_and_writes_nothing(ada):
    caller = Caller(secret_of(ada, scopes=("read",)))
    told(caller("GET", "/chats"), 200)
    assert told(caller("POST", "/chats", {}), 403)["code"] == "key_only_reads"
    assert not Chat.objects.exists()


def test_a_key_that_only_writes_writes_and_reads_nothing(ada):
    caller = Caller(secret_of(ada, scopes=("write",)))
    told(caller("POST", "/chats", {}), 201)
    assert told(caller("GET", "/chats"), 403)["code"] == "key_only_writes"


def test_using_a_key_is_noted_once_a_minute(ada, as_ada):
    as_ada("GET", "/me")
    first = ApiKey.objects.get().last_used_at
    as_ada("GET", "/me")
    assert ApiKey.objects.get().last_used_at == first
    earlier = first - timedelta(minutes=2)
    ApiKey.objects.update(last_used_at=earlier)
    as_ada("GET", "/me")
    assert ApiKey.objects.get().last_used_at > earlier


def test_a_person_who_is_signed_in_reads_without_a_key(ada):
    client = Client()
    client.force_login(ada)
    assert told(client.get("/api/v1/me"), 200)["username"] == "ada"


def test_a_session_writes_nothing_without_its_csrf_token(ada):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    response = client.post("/api/v1/chats", "{}", content_type="application/json")
    assert told(response, 403)["code"] == "csrf_failed"
    assert not Chat.objects.exists()


def test_a_session_writes_with_its_csrf_token(ada):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    client.cookies["csrftoken"] = token = "a" * 32
    response = client.post(
        "/api/v1/chats", "{}", content_type="application/json", headers={"X-CSRFToken": token}
    )
    told(response, 201)


def test_a_stranger_who_writes_is_asked_to_sign_in_first():
    client = Client(enforce_csrf_checks=True)
    response = client.post("/api/v1/chats", "{}", content_type="application/json")
    told(response, 401)


def test_too_many_requests_have_to_wait(as_ada, as_ben, monkeypatch):
    monkeypatch.setattr(auth, "REQUESTS_PER_MINUTE", 2)
    monkeypatch.setattr(auth.time, "time", lambda: 1_000_000_010.0)
    for _ in range(2):
        told(as_ada("GET", "/me"), 200)
    response = as_ada("GET", "/me")
    assert told(response, 429)["code"] == "too_many_requests"
    assert response.headers["Retry-After"] == "10"
    told(as_ben("GET", "/me"), 200)


def test_nobody_has_to_wait_because_the_counter_is_away(as_ada, settings):
    redis = "django.core.cache.backends.redis.RedisCache"
    settings.CACHES = {"default": {"BACKEND": redis, "LOCATION": "redis://127.0.0.1:1"}}
    told(as_ada("GET", "/me"), 200)


def test_create_key_prints_a_key_that_works(ada, capsys):
    call_command("create_key", "ada", "laptop")
    secret = capsys.readouterr().out.removesuffix("\n")
    told(Caller(secret)("POST", "/chats", {}), 201)
    assert ApiKey.objects.get().expires_at is None


def test_create_key_makes_one_that_only_reads_for_some_days(ada, capsys):
    call_command("create_key", "ada", "laptop", "--scope", "read", "--days", "2")
    key = ApiKey.objects.get()
    assert key.scopes == ["read"]
    assert timedelta(days=1) < key.expires_at - timezone.now() < timedelta(days=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nobody", "laptop"],
        ["ada", " "],
        ["ada", "x" * 101],
        ["ada", "x", "--days=0"],
        ["ada", "x", "--days=9999999"],
    ],
)
def test_create_key_makes_none_from_bad_arguments(ada, arguments):
    with pytest.raises(CommandError):
        call_command("create_key", *arguments)
    assert not ApiKey.objects.exists()
