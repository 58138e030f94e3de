import asyncio
import subprocess
import sys
import threading
import time
from decimal import Decimal

import pytest
from pydantic_ai import UserError
from pydantic_ai.usage import RunUsage

from memoryapp.agents import llm, servers
from memoryapp.agents.llm import Choice
from memoryapp.agents.summarizer import title
from memoryapp.agents.talker import Said
from tests.fakes import says

OFFLINE = Choice("offline", is_offline=True, is_local=True)


def test_with_nothing_at_hand_the_offline_responder_is_chosen():
    assert llm.choose("talker") == llm.choose("extractor") == OFFLINE


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("OPENAI_API_KEY", "openai:gpt-6-luna"),
        ("ANTHROPIC_API_KEY", "anthropic:claude-haiku-5-5"),
        ("GEMINI_API_KEY", "google:gemini-3.8-flash"),
    ],
)
def test_a_key_chooses_its_provider(monkeypatch, variable, name):
    monkeypatch.setenv(variable, "secret")

    assert llm.choose("talker") == Choice(name, is_offline=False, is_local=False)


def test_a_setting_goes_before_any_key(monkeypatch, settings):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    settings.TALKER_MODEL = "offline"

    assert llm.choose("talker") == OFFLINE


def test_agents_in_the_background_use_the_talkers_model_unless_they_are_set(settings):
    settings.TALKER_MODEL, settings.SUMMARIZER_MODEL = "openai:large", "openai:small"

    assert llm.choose("extractor").name == "openai:large"
    assert llm.choose("summarizer").name == "openai:small"


def test_a_model_that_is_set_is_chosen_without_waiting(settings):
    settings.TALKER_MODEL = "openai:small"
    with pytest.raises(StopIteration) as chosen:
        llm.achoose("talker").send(None)
    assert chosen.value.value == llm.choose("talker")


async def test_a_server_that_has_to_be_asked_holds_up_no_event_loop(monkeypatch):
    asked_in = []
    monkeypatch.setattr(llm, "_found", lambda: asked_in.append(threading.get_ident()) or "offline")
    assert await llm.achoose("talker") == OFFLINE
    assert asked_in != [threading.get_ident()]


def test_an_ollama_that_answers_is_chosen_with_its_first_chat_model(model_server, settings):
    settings.OLLAMA_BASE_URL = model_server.url
    model_server.models = ["nomic-embed-text:latest", "qwen3:8b", "llama3.2"]

    assert llm.choose("talker") == Choice("ollama:qwen3:8b", is_offline=False, is_local=True)


def test_an_ollama_without_a_chat_model_is_passed_over(model_server, settings):
    settings.OLLAMA_BASE_URL = model_server.url
    model_server.models = ["nomic-embed-text:latest"]

    assert llm.choose("talker") == OFFLINE


def test_a_server_is_asked_at_most_once_a_minute(model_server, settings, monkeypatch):
    settings.OLLAMA_BASE_URL = model_server.url
    llm.choose("talker")
    llm.choose("talker")
    assert model_server.num_listed == 1

    monkeypatch.setattr(servers, "LOOK_AGAIN_SECONDS", -1)
    llm.choose("talker")
    assert model_server.num_listed == 2


def test_ollama_is_never_sent_a_key(model_server, settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")

    servers.first_model(model_server.url, seconds=1)

    assert model_server.authorization is None


def test_a_silent_address_is_given_up_in_a_moment(settings):
    # TEST-NET-1 (RFC 5737): no machine has this address.
    settings.OLLAMA_BASE_URL = "http://192.0.2.1:11434/v1"
    started = time.monotonic()

    assert llm.choose("talker") == OFFLINE
    assert time.monotonic() - started < 20  # a connection is tried for more than a minute


def test_a_server_at_openai_base_url_is_chosen_before_a_provider(model_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)

    assert llm.choose("talker") == Choice("openai-chat:small", is_offline=False, is_local=True)
    assert model_server.authorization == "Bearer secret"


def test_a_server_at_openai_base_url_is_chosen_though_it_is_down(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")

    assert llm.choose("talker").name == "openai-chat:default"


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://192.168.1.7/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://ollama:11434/v1", True),
        ("http://nas.local/v1", True),
        ("https://8.8.8.8/v1", False),
        ("https://api.example.com/v1", False),
    ],
)
def test_only_what_stays_in_the_network_is_local(monkeypatch, settings, url, is_local):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    settings.TALKER_MODEL, settings.OLLAMA_BASE_URL = "openai-chat:small", url
    settings.EXTRACTOR_MODEL = "ollama:qwen3:8b"

    assert llm.choose("talker").is_local is is_local
    assert llm.choose("extractor").is_local is is_local


@pytest.mark.parametrize("name", ["anthropic:claude-haiku-5-5", "ollama:qwen3:480b-cloud"])
def test_what_is_only_reached_through_this_machine_is_not_local(monkeypatch, settings, name):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    settings.OLLAMA_BASE_URL = "http://127.0.0.1:11434/v1"
    settings.TALKER_MODEL = name

    assert not llm.choose("talker").is_local


@pytest.mark.parametrize(
    ("name", "url", "label"),
    [
        ("offline", "", "Offline responder"),
        ("openai-chat:gpt-6-luna", "https://api.example.com/v1", "gpt-6-luna"),
        ("openai-chat:qwen3:8b", "http://localhost:8080/v1", "qwen3:8b, on this machine"),
        ("openai-chat:qwen3:8b", "http://10.0.0.2/v1", "qwen3:8b, in this network"),
    ],
)
def test_a_label_says_which_model_and_how_near(monkeypatch, settings, name, url, label):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    settings.TALKER_MODEL = name

    assert llm.label(llm.choose("talker")) == label


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gpt-6-luna", "Unknown model: gpt-6-luna"),
        ("nobody:large", "Unknown provider: nobody"),
        ("anthropic:claude-haiku-5-5", "Set the `ANTHROPIC_API_KEY` environment variable"),
        ("groq:llama", "install the `groq` package"),
    ],
)
async def test_a_name_that_cannot_be_used_says_what_to_do(name, reason):
    with pytest.raises(UserError) as caught:
        llm.build(Choice(name, is_offline=False, is_local=False), "talker")

    sentence = llm.explain(caught.value)
    assert reason in sentence
    assert sentence.endswith("Check TALKER_MODEL and the provider's API key in the settings.")


async def test_a_model_is_built_once_for_each_address(monkeypatch):
    choice = Choice("openai-chat:small", is_offline=False, is_local=True)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    model = llm.build(choice, "talker")

    assert llm.build(choice, "talker") is model
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1")
    assert llm.build(choice, "talker") is not model


def test_an_override_holds_for_its_agents_and_ends():
    model = says("Hello")

    with llm.override({"talker": model}):
        assert llm.build(llm.choose("talker"), "talker") is model
        assert llm.choose("extractor") == OFFLINE

    assert llm.choose("talker") == OFFLINE


def test_a_run_tells_tokens_time_and_cost():
    usage = RunUsage(input_tokens=10, output_tokens=2, cost=Decimal("0.0001"))

    started = time.monotonic() - 1.5
    run = llm.finished("Hello", OFFLINE, usage, started)

    assert (run.model, run.input_tokens, run.output_tokens) == ("offline", 10, 2)
    assert run.cost == Decimal("0.0001")
    assert 1500 <= run.milliseconds <= 1000 * (time.monotonic() - started)


def test_provider_clients_are_imported_only_when_they_are_used():
    code = (
        "import django, sys; django.setup(); import memoryapp.agents.llm;"
        "print(sorted({'openai', 'anthropic', 'google.genai'} & set(sys.modules)))"
    )

    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert output.stdout.strip() == b"[]"


def test_one_model_works_in_one_event_loop_after_another(model_server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)
    model_server.keeps_connections = True
    model_server.content_type = "application/json"
    model_server.body = (
        b'{"id": "1", "object": "chat.completion", "created": 1, "model": "small", "choices":'
        b' [{"index": 0, "message": {"role": "assistant", "content": "A walk"},'
        b' "finish_reason": "stop"}]}'
    )

    for _ in range(3):
        run = asyncio.run(title([Said("user", "Hi")], choice=llm.choose("summarizer")))
        assert run.output == "A walk"
