"""Models and servers that misbehave, as a person or program that asks is told of it."""

import time

import pytest
from channels.layers import get_channel_layer
from django.utils.html import escape
from pydantic_ai import models

from memoryapp import replies, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.agents.reply import REPLY_MAX_CHARS
from memoryapp.models import Fact, Message
from memoryapp.patience import in_database
from tests.agents.model_server import ModelServer, chunk, streamed
from tests.api.callers import AsyncCaller, secret_of, told
from tests.pages import async_client_of, text_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def model_server(monkeypatch, settings):
    """The talker's server; nobody else is at hand."""
    with ModelServer() as server, models.override_allow_model_requests(True):
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        settings.TALKER_MODEL = "openai-chat:small"
        yield server


@pytest.fixture
async def ask(ada, chat):
    """Ada asks over the API; what is still written at the end ends with the test."""
    caller = AsyncCaller(await in_database(secret_of, ada))
    yield lambda: caller("POST", f"/chats/{chat.pk}/messages", {"body": "And now?"})
    await replies.drain()
    await get_channel_layer().flush()


async def failure(ask, chat):
    """What the caller is told, and the text that is kept."""
    error = told(await ask(), 503)
    reply = await chat.messages.aget(status="failed")
    assert error == {"code": "reply_failed", "detail": reply.failure}
    return error["detail"], reply.body


def called(name, arguments):
    call = {
        "index": 0,
        "id": "1",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    return chunk(delta={"role": "assistant", "tool_calls": [call]})


def calls_tool(name):
    return called(name, "{}") + chunk(finish_reason="tool_calls")


FAULTS = {
    "401": (lambda server: server.refuse(401), "The provider refused the key for this model"),
    "404": (lambda server: server.refuse(404), "The provider doesn't know this model."),
    "429": (lambda server: server.refuse(429), "The provider takes no more requests"),
    "no credit": (
        lambda server: server.refuse(429, code="insufficient_quota"),
        "The account at the provider has no credit left.",
    ),
    "500": (lambda server: server.refuse(500), "The model's server failed while it answered."),
    "503": (lambda server: server.refuse(503), "The model is not available for the moment"),
    "no JSON": (lambda server: server.say(b"data: {]\n\n"), "The model"),
    "a web page": (
        lambda server: server.say(b"<html>Welcome</html>", content_type="text/html; charset=utf-8"),
        "A web page came where the model's answer should be",
    ),
    "no stream": (
        lambda server: server.say(b"{}", content_type="application/json"),
        "The model's server sent something that isn't an answer.",
    ),
    "nothing": (lambda server: server.say(b""), "The model"),
    "no words": (lambda server: server.say(streamed("", " ")), "The model sent an empty reply"),
    "only thoughts": (
        lambda server: server.say(streamed("<think>Hm.</think>")),
        "The model sent an empty reply",
    ),
    "an unknown tool": (
        lambda server: server.say(calls_tool("send_mail")),
        "The model answered in a way that can't be used: it called a tool that doesn't exist",
    ),
    "cut off": (
        lambda server: server.say(chunk(delta={"content": "It is"}), is_cut_off=True),
        "The connection to the model broke off before the reply was complete.",
    ),
    "closed in the middle": (
        lambda server: server.say(chunk(delta={"content": "It is"})),
        "The connection to the model broke off before the reply was complete.",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_went_wrong_is_told_to_programs_and_on_the_page(
    ask, ada, chat, model_server, fault
):
    misbehave, sentence = FAULTS[fault]
    misbehave(model_server)
    told_sentence, _ = await failure(ask, chat)
    assert told_sentence.startswith(sentence)
    assert (
        "ry again" in told_sentence or "settings" in told_sentence or "Top it up" in told_sentence
    )
    person = await async_client_of(ada)
    page = await person.get(f"/chats/{chat.pk}/")
    assert escape(told_sentence) in text_of(page)


async def test_an_extractor_that_echoes_its_schema_teaches_nothing_and_the_page_says_so(
    ada, chat, model_server, settings
):
    settings.EXTRACTOR_MODEL = "openai-chat:small"
    model_server.echoes_schema = True
    with pytest.raises(AgentFailed, match="didn't keep to the form it was asked for"):
        await in_database(tasks.extract, str(chat.pk))
    assert not await Fact.objects.aexists()
    person = await async_client_of(ada)
    page = await person.get(f"/chats/{chat.pk}/")
    assert "t learn from this message: The model answered in a way" in text_of(page)


async def test_a_web_page_instead_of_what_was_learned_is_named_on_the_page(
    ada, chat, model_server, settings
):
    settings.EXTRACTOR_MODEL = "openai-chat:small"
    model_server.say(b"<html>Sign in</html>", content_type="text/html")
    with pytest.raises(AgentFailed, match="A web page came"):
        await in_database(tasks.extract, str(chat.pk))
    person = await async_client_of(ada)
    page = await person.get(f"/chats/{chat.pk}/")
    assert "t learn from this message: A web page came where" in text_of(page)


async def test_a_refused_connection_is_tried_again_and_then_told(ask, chat, model_server):
    model_server.stop()
    started = time.monotonic()
    sentence, text = await failure(ask, chat)
    assert sentence.startswith("The connection to the model couldn't be made")
    assert text == ""
    assert 0.5 < time.monotonic() - started < 20


async def test_a_busy_provider_is_tried_again_after_its_own_delay(ask, chat, model_server):
    model_server.first = [(429, {"Retry-After": "2"})]
    started = time.monotonic()
    reply = told(await ask(), 201)
    assert (reply["status"], reply["body"]) == ("complete", "Hello")
    assert time.monotonic() - started > 2
    assert len(model_server.posted) == 2


async def test_a_provider_that_stays_busy_is_given_up(ask, chat, model_server):
    model_server.first = [(429, {"Retry-After": "1"})] * 10
    sentence, _ = await failure(ask, chat)
    assert sentence.startswith("The provider takes no more requests for the moment.")
    assert len(model_server.posted) == 3


async def test_nothing_is_tried_again_after_the_first_word(ask, chat, model_server):
    model_server.body = chunk(delta={"role": "assistant", "content": "It is"})
    model_server.is_cut_off = True
    sentence, text = await failure(ask, chat)
    assert sentence.startswith("The connection to the model broke off")
    assert (text, len(model_server.posted)) == ("It is", 1)


async def test_a_silent_model_is_given_up(ask, chat, model_server, monkeypatch):
    monkeypatch.setattr(llm, "WHILE_WAITING", {**llm.WHILE_WAITING, "first_event_timeout": 0.3})
    model_server.silence = 2
    sentence, _ = await failure(ask, chat)
    assert sentence.startswith("The model didn't answer in time.")


async def test_a_reply_without_end_is_ended_and_kept(ask, chat, model_server):
    model_server.body = streamed(*["x" * 10_000] * 100)
    sentence, text = await failure(ask, chat)
    assert sentence.startswith("The model wrote on and on")
    assert text == "x" * REPLY_MAX_CHARS


@pytest.mark.parametrize(
    "body",
    [
        streamed(*[" \n" * 10_000] * 100),
        streamed("<think>", *["Hm. " * 5_000] * 100),
        chunk(delta={"reasoning_content": "Hm. " * 5_000}) * 100,
        called("search_resources", '{"query": "') + called(None, "Hm. " * 5_000) * 100,
    ],
    ids=["blanks", "thinking", "thinking named so", "a tool's arguments"],
)
async def test_a_model_that_comes_to_no_word_is_ended(ask, chat, model_server, body):
    model_server.body = body
    sentence, text = await failure(ask, chat)
    assert sentence.startswith("The model wrote on and on")
    assert text == ""


@pytest.mark.parametrize("end_of_line", [b"\r\n", b"\r"])
async def test_lines_end_as_the_server_likes(ask, chat, model_server, end_of_line):
    model_server.body = streamed("Good ", "evening.").replace(b"\n", end_of_line)
    assert told(await ask(), 201)["body"] == "Good evening."


async def test_what_cannot_be_read_as_text_is_told(ask, chat, model_server):
    model_server.body = streamed("Hello").replace(b"Hello", b"H\xff\xfello")
    sentence, _ = await failure(ask, chat)
    assert sentence.startswith("The model's server sent something that isn't an answer.")


async def test_a_long_reply_is_whole(ask, chat, model_server):
    model_server.body = streamed(*["ä" * 1_000] * 300)
    reply = told(await ask(), 201)
    assert reply["body"] == "ä" * 300_000


async def test_thinking_is_never_shown_nor_kept(ask, chat, model_server):
    model_server.body = streamed("<thi", "nk>Hm, ", "Ada.</think>\n", "Good evening.")
    reply = told(await ask(), 201)
    assert reply["body"] == "Good evening."


async def test_another_model_answers_when_a_web_page_comes(ask, chat, model_server, settings):
    settings.FALLBACK_MODEL = "offline"
    model_server.say(b"<html>Sign in</html>", content_type="text/html")
    reply = told(await ask(), 201)
    assert (reply["status"], reply["receipt"]["model"]) == ("complete", "offline")
    assert len(model_server.posted) == 1


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_another_model_answers_when_the_first_fails(
    ask, chat, model_server, settings, status
):
    settings.FALLBACK_MODEL = "offline"
    model_server.refuse(status)
    reply = told(await ask(), 201)
    assert (reply["status"], reply["receipt"]["model"]) == ("complete", "offline")
    assert reply["receipt"]["instead_of"] == "openai-chat:small"
    assert len(model_server.posted) == 1


async def test_another_model_answers_when_the_first_says_nothing(ask, model_server, settings):
    settings.FALLBACK_MODEL = "offline"
    model_server.body = streamed("<think>Hm.</think>", " \n")
    reply = told(await ask(), 201)
    assert (reply["status"], reply["receipt"]["model"]) == ("complete", "offline")


async def test_no_other_model_goes_on_with_what_one_has_begun(ask, chat, model_server, settings):
    settings.FALLBACK_MODEL = "offline"
    model_server.body = chunk(delta={"role": "assistant", "content": "It is"})
    model_server.is_cut_off = True
    _, text = await failure(ask, chat)
    assert text == "It is"


async def test_when_both_fail_the_second_one_tells_why(ask, chat, model_server, settings):
    settings.FALLBACK_MODEL = "openai-chat:large"
    model_server.refuse(401)
    sentence, _ = await failure(ask, chat)
    assert sentence.startswith("The provider refused the key")
    assert [asked["model"] for asked in model_server.posted] == ["small", "large"]
    reply = await Message.objects.aget(status="failed")
    assert reply.receipt["model"] == "openai-chat:large"


async def test_the_model_that_is_set_answers_alone_when_it_can(ask, model_server, settings):
    settings.FALLBACK_MODEL = "offline"
    reply = told(await ask(), 201)
    assert (reply["receipt"]["model"], reply["receipt"]["instead_of"]) == ("openai-chat:small", "")
