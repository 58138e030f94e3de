"""Who is let in at /mcp, and what the wire may bring."""

from dataclasses import replace

import pytest
from django.core.cache import cache

from memoryapp.api import auth
from memoryapp.api.mcp.tools import TOOLS
from memoryapp.models import ApiKey, Fact
from tests.api.callers import told
from tests.api.mcp.conftest import ACCEPT, LATEST, Program

pytestmark = pytest.mark.django_db
REMEMBER = {"name": "remember", "arguments": {"key": "city", "value": "Graz"}}


def test_without_a_key_nobody_comes_in(stranger):
    response = stranger.send("tools/call", REMEMBER)
    assert told(response, 401)["code"] == "not_signed_in"
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert not Fact.objects.exists()


def test_a_session_of_the_pages_is_no_key(ada, stranger):
    stranger.client.force_login(ada)
    told(stranger.send("tools/call", REMEMBER), 401)


def test_a_revoked_key_is_told_so(as_ada):
    ApiKey.objects.all().delete()
    assert told(as_ada.send("tools/list"), 401)["code"] == "key_not_valid"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_and_no_session(as_ada, method):
    response = as_ada(method, "", headers=ACCEPT)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"


def test_an_older_client_introduces_itself_first(as_ada):
    hello = {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    }
    result = told(as_ada.send("initialize", hello), 200)["result"]
    assert result["protocolVersion"] == "2025-03-26"
    assert set(result["capabilities"]) == {"tools"}
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert as_ada("POST", "", begun, headers=ACCEPT).status_code == 202
    assert told(as_ada.send("ping"), 200)["result"] == {}


def test_a_version_from_the_future_is_told_which_there_are(as_ada):
    error = told(as_ada.send_latest("tools/list", version="2999-01-01"), 400)["error"]
    assert error["data"]["supported"] == [LATEST]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
        ("resources/list", {}),
        ("prompts/get", {"name": "greeting"}),
    ],
)
def test_what_is_not_offered_is_refused_at_once(as_ada, method, params):
    assert told(as_ada.send_latest(method, params), 404)["error"]["code"] == -32601


@pytest.mark.parametrize("send", [Program.send, Program.send_latest])
def test_an_error_of_our_own_stays_in_the_log(as_ada, monkeypatch, caplog, send):
    def break_down(key, asked):
        raise RuntimeError("at line 7")

    monkeypatch.setitem(TOOLS, "remember", replace(TOOLS["remember"], work=break_down))
    error = told(send(as_ada, "tools/call", REMEMBER), 200)["error"]
    assert error["message"].startswith("Something went wrong on the server.")
    assert "at line 7" in caplog.text


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://[", "evil"])
def test_pages_of_other_sites_are_kept_out(as_ada, origin):
    response = as_ada.send("tools/call", REMEMBER, Origin=origin)
    assert told(response, 403)["code"] == "foreign_page"
    assert not Fact.objects.exists()


@pytest.mark.parametrize("origin", ["http://testserver", "http://localhost:8000"])
def test_a_page_of_this_site_may_call(as_ada, origin):
    told(as_ada.send("tools/call", REMEMBER, Origin=origin), 200)
    assert Fact.objects.get().value == "Graz"


BODIES = [
    "",
    "{",
    "null",
    "7",
    '"x"',
    "[]",
    "{}",
    "[" * 100_000,
    b"\xff\xfe",
    '{"jsonrpc": "2.0"}',
    '{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": null, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 1, "method": 7}',
    '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}',
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}',
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall", '
    '"arguments": []}}',
    '{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}',
    '{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
    '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
    '{"jsonrpc": "2.0", "id": 1, "result": {}}',
]


@pytest.mark.parametrize("version", [None, LATEST])
@pytest.mark.parametrize("body", BODIES)
def test_nonsense_is_an_error_and_never_breaks_it(as_ada, body, version):
    headers = {**ACCEPT, **({"MCP-Protocol-Version": version} if version else {})}
    response = as_ada("POST", "", body, headers=headers)
    assert response.status_code < 500, response.content
    is_notice = response.status_code == 202 and not response.content
    assert is_notice or response.status_code >= 400 or "error" in response.json()


def test_a_body_that_is_too_large_is_refused(as_ada, settings):
    large = "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    response = as_ada.send("tools/call", {"name": "recall", "arguments": {"query": large}})
    assert told(response, 413)["code"] == "too_large"


def test_requests_are_counted_with_those_of_the_api(as_ada, monkeypatch):
    cache.clear()
    monkeypatch.setattr(auth, "REQUESTS_PER_MINUTE", 1)
    told(as_ada.send("ping"), 200)
    response = as_ada.send("ping")
    assert told(response, 429)["code"] == "too_many_requests"
    assert int(response.headers["Retry-After"]) <= 60
