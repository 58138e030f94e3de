"""What of a request is obeyed, what is ignored, and what is refused with a reason."""

import pytest
from asgiref.sync import sync_to_async
from django.core.cache import cache

from memoryapp.agents import llm
from memoryapp.models import Chat, Message
from memoryapp.receipts import sent_prompt
from memoryapp.schemas.openai import Completion
from tests.api.callers import told
from tests.api.openai.conftest import asked
from tests.fakes import says, texts

pytestmark = pytest.mark.django_db(transaction=True)
NONSENSE: list[object] = [
    None, True, 0, -1, 1.5, 10**400, float("inf"), float("nan"), "", "\0", "\ud83d", "seven",
    "x" * 100_001, [], [[]], {}, {"a": 1}, [None], [{}], [{"role": "user"}],
    [{"role": "user", "content": "a\0b"}], [{"role": "user", "content": "\ud83d"}],
    [{"role": "user", "content": [{"type": "text"}]}], [{"role": "user", "content": {}}],
    [{"role": ["user"], "content": "Hello"}], {"chat_id": "\0"}, {"chat_id": [1]},
]  # fmt: skip
IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}


async def test_system_messages_are_instructions_for_this_reply_only(ada, talker, ada_now):
    told(await ada_now.ask("Hello", system="You are a pirate."), 200)
    assert talker.instructions.endswith("adds:\nYou are a pirate.")
    reply = await Message.objects.select_related("parent", "chat").aget(role="assistant")
    sent = await sync_to_async(sent_prompt)(reply)
    assert (sent.instructions, sent.question) == (talker.instructions, talker.sent)
    told(await ada_now.ask("Hello", "Good to know.", "And?"), 200)
    assert "pirate" not in talker.instructions
    assert not await Message.objects.filter(body__contains="pirate").aexists()


async def test_all_system_and_developer_messages_count(talker, ada_now):
    body = asked("Hello", system="Be brief.")
    body["messages"].insert(1, {"role": "developer", "content": "Be kind."})
    told(await ada_now("POST", "/chat/completions", body), 200)
    assert talker.instructions.endswith("Be brief.\n\nBe kind.")


async def test_a_text_may_come_in_parts(talker, ada_now):
    parts = [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]
    body = {"model": "memoryapp", "messages": [{"role": "user", "content": parts}]}
    told(await ada_now("POST", "/chat/completions", body), 200)
    assert talker.sent.endswith("Hello\n\nthere")


async def test_settings_of_the_model_are_passed_on(talker, ada_now):
    wanted = {"temperature": 0.5, "top_p": 0.9, "seed": 7, "max_completion_tokens": 50}
    told(await ada_now.ask("Hello", stop="END", **wanted), 200)
    sent = talker.settings_sent
    assert (sent["temperature"], sent["top_p"], sent["seed"]) == (0.5, 0.9, 7)
    assert (sent["max_tokens"], sent["stop_sequences"]) == (50, ["END"])


async def test_a_reply_that_takes_all_its_tokens_is_told_as_cut_off(ada_now):
    with llm.override({"talker": says("One two three four five six")}):
        completion = told(await ada_now.ask("Count", max_tokens=3), 200)
    assert completion["choices"][0]["finish_reason"] == "length"


async def test_what_changes_nothing_is_ignored(talker, ada_now):
    ignored = {
        "user": "ada", "store": False, "tools": [], "tool_choice": "auto", "n": 1, "logprobs": None,
        "response_format": {"type": "text"}, "parallel_tool_calls": True, "num_ctx": 4096,
        "metadata": {"task": "x"}, "stream": None, "stream_options": None, "modalities": ["text"],
    }  # fmt: skip
    told(await ada_now.ask("Hello", stop=[], **ignored), 200)
    assert not {"stop_sequences", "temperature"} & set(talker.settings_sent)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n", 2),
        ("tools", [{"type": "function", "function": {"name": "weather"}}]),
        ("functions", [{"name": "weather"}]),
        ("response_format", {"type": "json_object"}),
        ("logprobs", True),
        ("modalities", ["text", "audio"]),
        ("audio", {"voice": "alloy"}),
        ("temperature", 3),
        ("max_tokens", 0),
        ("messages", []),
        ("messages", [{"role": "assistant", "content": "Hello"}]),
        ("messages", [{"role": "user", "content": " \u200b "}]),
        ("messages.0.content", [{"role": "user", "content": [IMAGE]}]),
        ("messages.0.role", [{"role": "tool", "content": "7", "tool_call_id": "1"}]),
    ],
)
async def test_what_cannot_be_done_is_refused_by_name(field, value, talker, ada_now):
    body = {**asked("Hello"), field.partition(".")[0]: value}
    error = told(await ada_now("POST", "/chat/completions", body), 400)["error"]
    assert (error["param"], error["type"]) == (field, "invalid_request_error")
    assert error["message"].startswith(f"{field}: ")
    assert not await Chat.objects.aexists()


async def test_a_question_that_is_too_long_is_refused(talker, ada_now, settings):
    settings.MESSAGE_MAX_CHARS = 10
    for model in ("memoryapp", "memoryapp-temporary"):
        error = told(await ada_now.ask("Hello, are you there?", model=model), 400)["error"]
        assert error["code"] == "too_long"
    assert not await Chat.objects.aexists()


@pytest.mark.parametrize("field", Completion.model_fields)
async def test_nonsense_is_refused_and_never_breaks_it(field, talker, ada_now):
    for value in NONSENSE:
        cache.clear()
        response = await ada_now("POST", "/chat/completions", {**asked("Hello"), field: value})
        assert response.status_code < 500, (value, response.content)
        if response.status_code != 200 and response.headers["Content-Type"] != "text/event-stream":
            assert set(response.json()["error"]) == {"message", "type", "param", "code"}


@pytest.mark.parametrize("body", ["{", "[]", "null", '"a"', "", b"\xff\xfe"])
async def test_a_body_that_is_no_object_is_told_in_openais_shape(body, ada_now):
    error = told(await ada_now("POST", "/chat/completions", body), 400)["error"]
    assert error["message"].startswith("The body ")


async def test_what_a_program_claims_was_said_is_what_the_model_reads(talker, ada_now):
    told(await ada_now.ask("Hello", "I am your banker.", "And?"), 200)
    first, second, _ = texts(talker.requests[-1])
    assert (first, second) == (("user", "Hello"), ("assistant", "I am your banker."))


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("model", ["memoryapp", "memoryapp-temporary"])
def test_half_of_a_character_is_refused_wherever_it_stands(as_ada, number, model):
    request = asked("Hello", "Hello.", system="Be brief.", model=model)
    request["messages"].append({"role": "user", "content": "And now?"})
    request["messages"][number]["content"] = "a\ud83d"
    refused = told(as_ada("POST", "/chat/completions", request), 400)["error"]
    assert refused["param"] == f"messages.{number}.content"
    assert not Message.objects.exists()
