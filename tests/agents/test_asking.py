import json
from datetime import UTC, datetime
from functools import partial

import pytest

from memoryapp.agents import extractor, llm, summarizer
from memoryapp.agents.asking import begin
from memoryapp.agents.failures import AgentFailed
from memoryapp.agents.talker import Said

HEARD = [extractor.Heard(1, "user", "I moved to Graz.", datetime.now(UTC))]
SAID = [Said("user", "I moved to Graz."), Said("assistant", "How do you like it?")]


@pytest.fixture
def server(model_server, settings, monkeypatch):
    settings.TALKER_MODEL = "openai-chat:small"
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    llm._model.cache_clear()
    message = {"role": "assistant", "content": "Moving to Graz"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    data = {"id": "1", "object": "chat.completion", "created": 1, "model": "small"}
    model_server.say(json.dumps({**data, "choices": [choice]}).encode())
    model_server.content_type = "application/json"
    return model_server


def test_two_questions_go_over_one_connection(server):
    server.keeps_connections = True
    answers = [begin("summarizer", summarizer.summarize, SAID).result().output for _ in range(2)]
    assert answers == ["Moving to Graz"] * 2
    assert len(server.connections) == 1


def test_what_goes_wrong_is_raised_where_it_was_asked(server):
    server.stop()
    with pytest.raises(AgentFailed, match="connection to the model"):
        begin("summarizer", summarizer.summarize, SAID).result()


@pytest.mark.parametrize(
    ("agent", "work"),
    [
        ("extractor", partial(extractor.extract, HEARD, [])),
        ("summarizer", partial(summarizer.summarize, SAID)),
        ("summarizer", partial(summarizer.title, SAID)),
    ],
)
@pytest.mark.parametrize("kind", ["openai-chat", "openai"])
def test_a_web_page_in_the_place_of_an_answer_is_named(server, settings, kind, agent, work):
    settings.TALKER_MODEL = f"{kind}:small"
    server.say(b"<html>Sign in</html>", content_type="text/html; charset=utf-8")
    with pytest.raises(AgentFailed, match="A web page came where the model's answer should be"):
        begin(agent, work).result()
