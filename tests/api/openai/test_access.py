"""Who may ask, how often and how much, and whose chats and memory are used."""

import json
import uuid

import pytest
from django.test import Client

from memoryapp.api import auth
from memoryapp.api.openai import api
from memoryapp.models import Chat, Message
from tests.api.callers import secret_of, told
from tests.api.openai.conftest import Program, asked

pytestmark = pytest.mark.django_db(transaction=True)
PATHS = [("GET", "/models"), ("GET", "/models/memoryapp"), ("POST", "/chat/completions")]


def test_no_operation_is_missing_here():
    operations = {
        (method.upper(), path.removeprefix("/v1").format(name="memoryapp"))
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method in methods
    }
    assert operations == set(PATHS)


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_it_needs_a_key(method, path, stranger):
    response = stranger(method, path, asked("Hello"))
    error = told(response, 401)["error"]
    assert (error["type"], error["code"]) == ("authentication_error", "not_signed_in")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert not Chat.objects.exists()


def test_a_session_is_no_key(ada):
    browser = Client()
    browser.force_login(ada)
    body = json.dumps(asked("Hello"))
    response = browser.post("/v1/chat/completions", body, content_type="application/json")
    told(response, 401)
    assert not Chat.objects.exists()


def test_a_key_that_only_reads_may_list_models_and_not_ask(ada):
    caller = Program(secret_of(ada, scopes=("read",)))
    told(caller("GET", "/models"), 200)
    error = told(caller("POST", "/chat/completions", asked("Hello")), 403)["error"]
    assert (error["type"], error["code"]) == ("permission_error", "key_only_reads")


def test_requests_are_counted_with_those_of_the_api(ada, monkeypatch):
    monkeypatch.setattr(auth, "REQUESTS_PER_MINUTE", 2)
    caller = Program(secret_of(ada))
    caller("GET", "/models")
    caller.root = "/api/v1"
    told(caller("GET", "/me"), 200)
    caller.root = "/v1"
    response = caller("GET", "/models")
    assert told(response, 429)["error"]["type"] == "rate_limit_error"
    assert 0 < int(response.headers["Retry-After"]) <= 60


def test_other_sites_may_not_ask_from_a_browser(as_ada):
    response = as_ada("GET", "/models", headers={"Origin": "https://elsewhere.example"})
    assert not [name for name in response.headers if name.startswith("Access-Control-")]


@pytest.mark.parametrize(("method", "path"), [("GET", "/embeddings"), ("POST", "/completions")])
def test_an_address_that_is_not_there_is_told_in_openais_shape(method, path, as_ada):
    assert told(as_ada(method, path, {}), 404)["error"]["code"] == "not_found"


def test_a_body_that_is_too_large_is_told_in_openais_shape(as_ada, settings):
    body = asked("x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    assert told(as_ada("POST", "/chat/completions", body), 413)["error"]["code"] == "too_large"


@pytest.mark.parametrize("place", ["metadata", "header"])
async def test_the_chat_of_somebody_else_is_not_there(place, chat, talker, ben_now):
    def ask(id):
        fields = {"metadata": {"chat_id": id}} if place == "metadata" else {}
        headers = {"X-Chat-Id": id} if place == "header" else {}
        return ben_now("POST", "/chat/completions", asked("And?", **fields), headers=headers)

    foreign, unknown, nonsense = [
        await ask(id) for id in (str(chat.pk), str(uuid.uuid4()), "seven")
    ]
    assert told(foreign, 404) == told(unknown, 404) == told(nonsense, 404)
    assert await Message.objects.acount() == 2


async def test_a_chat_is_named_by_a_header_too(chat, talker, ada_now):
    headers = {"X-Chat-Id": str(chat.pk)}
    body = asked("This", "counts", "Not here")
    response = await ada_now("POST", "/chat/completions", body, headers=headers)
    assert response.headers["X-Chat-Id"] == str(chat.pk)
    said = [message.body async for message in chat.archive]
    assert said == ["Hello there", "Good morning.", "Not here", "Good to know."]


async def test_a_named_chat_that_is_answering_is_a_conflict(chat, ada_now):
    await Message.objects.acreate(
        chat=chat, user=chat.user, role="assistant", status="streaming", body=""
    )
    response = await ada_now.ask("And?", metadata={"chat_id": str(chat.pk)})
    assert told(response, 409)["error"]["code"] == "reply_streaming"
