"""OpenAI's own client against a running server."""

from uuid import UUID

import openai
import pytest

from memoryapp.agents import llm
from memoryapp.models import Chat, Message
from tests.fakes import Script, says
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = [f"word{n} " for n in range(200)]


def ask(client, *said, model="memoryapp", **fields):
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": body} for n, body in enumerate(said)]
    return client.chat.completions.create(model=model, messages=messages, **fields)


def test_it_lists_the_models_that_a_request_may_name(client):
    names = [model.id for model in client.models.list()]
    assert names == ["memoryapp", "memoryapp-temporary"]
    assert client.models.retrieve("memoryapp").owned_by == "memoryapp"


def test_a_model_that_is_not_there_is_told_as_openai_does(client):
    with pytest.raises(openai.NotFoundError) as refused:
        ask(client, "Hello", model="gpt-4")
    assert refused.value.code == "model_not_found"
    assert "memoryapp-temporary" in str(refused.value)


def test_it_answers(client):
    completion = ask(client, "I live in Graz.")
    [choice] = completion.choices
    assert (choice.message.content, choice.finish_reason) == ("Good to know.", "stop")
    assert completion.usage.total_tokens > completion.usage.completion_tokens > 0
    reply = Message.objects.get(role="assistant")
    assert (completion.id, reply.body) == (f"chatcmpl-{reply.pk}", "Good to know.")


def test_it_streams_and_tells_what_it_took(client):
    chunks = list(ask(client, "Hello", stream=True, stream_options={"include_usage": True}))
    said = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    assert "".join(filter(None, said)) == "Good to know."
    assert [chunk.choices[0].finish_reason for chunk in chunks[-2:-1]] == ["stop"]
    assert (chunks[-1].choices, chunks[-1].usage.completion_tokens > 0) == ([], True)
    assert {chunk.usage for chunk in chunks[:-1]} == {None}


def test_a_stream_has_no_usage_unless_it_is_asked_for(client):
    chunks = list(ask(client, "Hello", stream=True))
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert not any(chunk.usage for chunk in chunks)


def test_a_chat_of_the_program_is_one_chat_here(client):
    said = []
    for question in ("Hello", "And now?", "And then?"):
        said += [question]
        said += [ask(client, *said).choices[0].message.content]
    chat = Chat.objects.get()
    assert [message.body for message in chat.archive] == said
    assert chat.archive.last().receipt["window"] == 4
    assert chat.seen_at > chat.last_message_at


def test_a_chat_that_is_named_goes_on(client, chat):
    raw = client.chat.completions.with_raw_response.create(
        model="memoryapp",
        messages=[{"role": "user", "content": "And?"}],
        metadata={"chat_id": str(chat.pk)},
    )
    assert UUID(raw.headers["X-Chat-Id"]) == chat.pk
    assert raw.parse().choices[0].message.content == "Good to know."
    assert chat.messages.count() == 4


def test_a_program_that_hangs_up_has_stopped_the_reply(client):
    with llm.override({"talker": says(*WORDS, pause=0.02)}):
        stream = ask(client, "Count", stream=True)
        got = "".join(next(stream).choices[0].delta.content or "" for _ in range(3))
        stream.close()
        wait_until(lambda: Message.objects.filter(status="stopped"))
    reply = Message.objects.get(role="assistant")
    assert reply.body.startswith(got)
    assert len(reply.body) < len("".join(WORDS)) / 2
    ask(client, "Count", got, "Go on")
    assert Chat.objects.get().messages.count() == 4


def test_a_program_that_gives_up_waiting_has_stopped_the_reply(client):
    with llm.override({"talker": says(*WORDS, pause=0.02)}):
        with pytest.raises(openai.APITimeoutError):
            ask(client.with_options(timeout=0.8, max_retries=0), "Count")
        wait_until(lambda: Message.objects.filter(status="stopped"))


def test_a_model_that_fails_is_told_once_and_not_asked_again(client):
    model = Script([RuntimeError("secret detail")])
    with llm.override({"talker": model}), pytest.raises(openai.InternalServerError) as refused:
        ask(client, "Hello")
    assert (refused.value.status_code, refused.value.code) == (503, "reply_failed")
    assert "secret detail" not in str(refused.value)
    assert len(model.requests) == 1


def test_a_model_that_fails_in_a_stream_is_told_in_it(client):
    with (
        llm.override({"talker": Script(["Well, ", RuntimeError("secret detail")])}),
        pytest.raises(openai.APIError) as refused,
    ):
        list(ask(client, "Hello", stream=True))
    assert refused.value.code == "reply_failed"


def test_without_memory_it_streams_too_and_stores_nothing(client):
    chunks = list(ask(client, "Hello", stream=True, extra_headers={"X-Memory": "off"}))
    said = [chunk.choices[0].delta.content for chunk in chunks]
    assert "".join(filter(None, said)) == "Good to know."
    assert not Chat.objects.exists()


def test_a_key_that_is_wrong_is_told_as_openai_does(client):
    with pytest.raises(openai.AuthenticationError) as refused:
        client.with_options(api_key="ma_wrong").models.list()
    assert refused.value.code == "key_not_valid"


def test_a_body_that_is_far_too_large_is_told_as_openai_does(client, settings):
    with pytest.raises(openai.APIStatusError) as refused:
        ask(client, "x" * settings.BODY_MAX_BYTES)
    assert (refused.value.status_code, refused.value.code) == (413, "too_large")
