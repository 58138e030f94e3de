import pytest
from pydantic_ai import models
from pydantic_ai.exceptions import AgentRunError, ContentFilterError, ModelRequestTimeout

from memoryapp.agents import llm, talker
from memoryapp.agents.failures import EmptyReply, explain
from tests.agents.model_server import chunk, streamed
from tests.agents.test_talker import NO_MEMORY
from tests.fakes import says

SECRET = "sk-very-secret-key"


async def hear(stream, said):
    async for piece in stream:
        said.append(piece)


async def failure(server, monkeypatch):
    """What was said before the reply failed, and the sentence about it."""
    monkeypatch.setenv("OPENAI_BASE_URL", server if isinstance(server, str) else server.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setattr(llm, "WHILE_WAITING", {**llm.WHILE_WAITING, "max_retries": 0})
    stream = talker.stream("Why?", NO_MEMORY, choice=llm.choose("talker"))
    said = []
    with pytest.raises((AgentRunError, EmptyReply)) as caught:
        await hear(stream, said)
    assert SECRET not in explain(caught.value)
    return "".join(said), explain(caught.value)


async def test_a_server_that_behaves_streams_its_reply(model_server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)
    model_server.body = streamed("Hel", "lo")
    choice = llm.choose("talker")

    stream = talker.stream("Why?", NO_MEMORY, choice=choice)
    *pieces, run = [piece async for piece in stream]

    assert "".join(pieces) == "Hello"
    assert run.output == "Hello"
    assert run.cost is None
    sent = model_server.posted[0]["messages"]
    assert [message["role"] for message in sent] == ["system", "user"]
    assert sent[-1]["content"] == talker.prompt("Why?", NO_MEMORY).question


@pytest.mark.parametrize(
    ("status", "code", "sentence"),
    [
        (400, None, "The provider refused the request."),
        (400, "context_length_exceeded", "The chat is too long for this model."),
        (401, "invalid_api_key", "The provider refused the key for this model"),
        (403, None, "The provider refused the key for this model"),
        (404, "model_not_found", "The provider doesn't know this model."),
        (429, "rate_limit_exceeded", "The provider takes no more requests for the moment."),
        (429, "insufficient_quota", "The account at the provider has no credit left."),
        (500, None, "The model's server failed while it answered."),
        (503, None, "The model is not available for the moment"),
    ],
)
async def test_a_refusal_is_explained(model_server, monkeypatch, status, code, sentence):
    model_server.refuse(status, message=f"Incorrect API key provided: {SECRET}", code=code)

    _, explained = await failure(model_server, monkeypatch)

    assert explained.startswith(sentence)


async def test_a_server_that_is_down_is_explained(monkeypatch):
    with models.override_allow_model_requests(True):
        _, explained = await failure("http://127.0.0.1:1/v1", monkeypatch)

    assert explained.startswith("The connection to the model couldn't be made")


async def test_what_had_come_before_the_stream_broke_off_is_kept(model_server, monkeypatch):
    model_server.body = chunk(delta={"role": "assistant", "content": "It is"})
    model_server.is_cut_off = True

    said, explained = await failure(model_server, monkeypatch)

    assert said == "It is"
    assert explained.startswith("The connection to the model broke off before the reply was")


@pytest.mark.parametrize("body", [streamed(), streamed("", " ")])
async def test_an_empty_reply_is_explained(model_server, monkeypatch, body):
    model_server.body = body

    _, explained = await failure(model_server, monkeypatch)

    assert explained.startswith("The model sent an empty reply")


@pytest.mark.parametrize("body", [b"data: {]\n\n", b"<html>Welcome</html>", b""])
async def test_an_answer_that_is_none_is_explained(model_server, monkeypatch, body):
    model_server.body = body

    _, explained = await failure(model_server, monkeypatch)

    assert explained.startswith("The model")
    assert explained.endswith("Try again, or choose another model.")


async def test_a_reply_that_the_provider_filters_is_explained(model_server, monkeypatch):
    model_server.body = chunk(finish_reason="content_filter") + b"data: [DONE]\n\n"

    _, explained = await failure(model_server, monkeypatch)

    assert explained.startswith("The provider's content filter held the reply back.")


@pytest.mark.parametrize("error", [TimeoutError(), ModelRequestTimeout("small", 120)])
def test_silence_is_explained(error):
    assert explain(error).startswith("The model didn't answer in time.")


async def test_a_model_that_stays_silent_is_given_up(monkeypatch):
    monkeypatch.setattr(llm, "WHILE_WAITING", {"first_event_timeout": 0.05})

    with llm.override({"talker": says("late", pause=30)}):
        choice = llm.choose("talker")
        stream = talker.stream("Why?", NO_MEMORY, choice=choice)
        with pytest.raises(ModelRequestTimeout):
            await anext(stream)


def test_what_is_no_fault_of_a_model_is_not_blamed_on_it():
    assert explain(KeyError(SECRET)).startswith("Something went wrong in memoryapp itself.")


def test_every_sentence_says_what_to_do():
    for error in (EmptyReply(), ContentFilterError("x"), KeyError()):
        assert "ry again" in explain(error)
