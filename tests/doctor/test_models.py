import json
from functools import partial

import pytest
from pydantic_ai import models as pydantic_ai_models

from memoryapp.agents import llm, servers
from memoryapp.doctor import models
from tests.agents.model_server import ModelServer, streamed

LEARNED = {
    "action": "add", "table": "fact", "kind": "identity", "key": "home", "value": "Graz",
    "subject": "", "quote": "I live in Graz", "replaces": None, "valid_from": None,
    "due_at": None, "expires_at": None,
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch, settings):
    for variable, _ in llm.PROVIDERS:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(servers, "_seen", {})
    settings.TALKER_MODEL = settings.EXTRACTOR_MODEL = settings.SUMMARIZER_MODEL = "auto"
    settings.OLLAMA_BASE_URL = settings.FALLBACK_MODEL = ""
    llm._model.cache_clear()


@pytest.fixture
def server(monkeypatch):
    """A server of models at OPENAI_BASE_URL."""
    with ModelServer() as server, pydantic_ai_models.override_allow_model_requests(True):
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        yield server


def answer(server, content):
    """Have the server give this whole answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    data = {"id": "1", "object": "chat.completion", "created": 1, "model": "small"}
    choice["finish_reason"] = "stop"
    server.say(json.dumps({**data, "choices": [choice]}).encode(), content_type="application/json")


def asked(name):
    return partial(models.agent, name, asks=True)


def test_without_any_model_one_is_asked_for(said, settings):
    [(level, says)] = said(asked("talker"))

    assert level == "warning"
    assert says.startswith("No model is connected, so the built-in offline responder answers")
    assert said(asked("extractor")) == [("ok", "offline (auto: no other).")]


def test_the_offline_responder_that_was_chosen_is_well(said, settings):
    settings.TALKER_MODEL = "offline"

    assert said(asked("talker")) == [("ok", "offline (TALKER_MODEL).")]


def test_a_talker_that_answers_is_well_and_was_really_asked(said, server):
    [(level, says)] = said(asked("talker"))

    assert level == "ok"
    assert says.startswith("openai-chat:small (auto: OPENAI_BASE_URL), answered in ")
    assert server.posted[0]["stream"]
    assert {tool["function"]["name"] for tool in server.posted[0]["tools"]} >= {"search_archive"}


def test_nothing_is_asked_of_a_model_that_may_cost(said, server):
    told = said(partial(models.agent, "talker", asks=False))

    assert told == [("ok", "openai-chat:small (auto: OPENAI_BASE_URL).")]
    assert server.posted == []


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (401, "The provider refused the key for this model"),
        (404, "The provider doesn't know this model"),
        (429, "The provider takes no more requests for the moment"),
    ],
)
def test_a_model_that_refuses_is_a_problem_with_what_to_do(
    said, server, settings, status, sentence
):
    settings.FALLBACK_MODEL = "offline"  # else a busy server is asked again for a while
    server.refuse(status, "you sent sk-secret")

    [(level, says)] = said(asked("talker"))

    assert level == "problem"
    assert says.startswith(f"openai-chat:small (auto: OPENAI_BASE_URL): {sentence}")
    assert "sk-secret" not in says


def test_the_models_that_a_server_has_instead_are_listed(said, server, settings):
    settings.TALKER_MODEL = "openai-chat:smal"
    server.models = ["small", "large"]
    server.refuse(404)

    [(_, says)] = said(asked("talker"))

    assert says.endswith(" The server has small, large.")
    settings.TALKER_MODEL = "openai-chat:small"
    [(_, says)] = said(asked("talker"))
    assert "The server has" not in says


def test_a_web_page_in_the_place_of_a_model_is_named(said, server):
    server.say(b"<html>Sign in</html>", content_type="text/html")

    [(level, says)] = said(asked("talker"))

    assert level == "problem"
    assert "A web page came where the model's answer should be" in says


def test_an_address_where_nobody_answers_is_a_problem(said, server, settings):
    settings.FALLBACK_MODEL = "offline"
    server.stop()

    [(level, says)] = said(asked("talker"))

    assert level == "problem"
    assert "The connection to the model couldn't be made" in says


def test_a_key_that_is_missing_is_named(said, settings):
    settings.TALKER_MODEL = "anthropic:claude-haiku-5-5"

    [(level, says)] = said(asked("talker"))

    assert level == "problem"
    assert "ANTHROPIC_API_KEY" in says


def test_a_model_that_learns_what_is_said_is_well(said, server):
    answer(server, json.dumps({"operations": [LEARNED]}))

    [(level, says)] = said(asked("extractor"))

    assert (level, "answered in" in says) == ("ok", True)


def test_a_model_that_learns_nothing_is_a_problem(said, server):
    answer(server, json.dumps({"operations": []}))

    [(level, says)] = said(asked("extractor"))

    assert level == "problem"
    assert "It found nothing to remember in “My name is Ada and I live in Graz.”." in says


def test_a_model_that_keeps_to_no_form_is_a_problem(said, server):
    answer(server, "I remember that!")

    [(level, says)] = said(asked("extractor"))

    assert level == "problem"
    assert "didn't keep to the form it was asked for" in says


def test_a_summarizer_that_says_nothing_is_a_problem(said, server):
    answer(server, "Ada lives in Graz.")
    assert [level for level, _ in said(asked("summarizer"))] == ["ok"]
    answer(server, "<think>Who is Ada?</think>")
    [(level, says)] = said(asked("summarizer"))

    assert level == "problem"
    assert "The model answered in a way that can't be used" in says


def test_a_model_of_its_own_is_asked_for_each_agent(said, server, settings):
    settings.EXTRACTOR_MODEL = "openai-chat:tiny"
    answer(server, json.dumps({"operations": [LEARNED]}))

    [(_, says)] = said(asked("extractor"))

    assert says.startswith("openai-chat:tiny (EXTRACTOR_MODEL), answered")
    assert server.posted[-1]["model"] == "tiny"


def test_the_fallback_is_asked_too(said, server, settings):
    assert said(partial(models.fallback, asks=True)) == [("ok", "None is set.")]
    settings.FALLBACK_MODEL = "openai-chat:spare"
    server.say(streamed("Ready"))
    [(level, says)] = said(partial(models.fallback, asks=True))

    assert (level, server.posted[-1]["model"]) == ("ok", "spare")
    assert says.startswith("openai-chat:spare (FALLBACK_MODEL), answered in ")


CONTEXTS = {
    "/api/ps": lambda tokens: {"models": [{"model": "small:latest", "context_length": tokens}]},
    "/props": lambda tokens: {"default_generation_settings": {"n_ctx": tokens}},
    "/v1/models": lambda tokens: {"data": [{"id": "small", "max_model_len": tokens}]},
}


@pytest.mark.parametrize("path", CONTEXTS)
def test_a_context_that_chats_do_not_fit_into_is_told(said, server, settings, path):
    server.tells[path] = CONTEXTS[path](4096)
    [(level, says)] = said(asked("talker"))

    assert level == "warning"
    assert "But its server gives it 4,096 tokens, and a chat may take 9,000" in says

    server.tells[path] = CONTEXTS[path](16_384)
    assert [level for level, _ in said(asked("talker"))] == ["ok"]


def test_agents_that_read_in_portions_need_no_large_context(said, server):
    server.tells["/props"] = CONTEXTS["/props"](4096)
    answer(server, "Ada lives in Graz.")

    assert [level for level, _ in said(asked("summarizer"))] == ["ok"]
