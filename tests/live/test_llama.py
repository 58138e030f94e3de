"""The agents with a real model server: the protocol is asserted, for the model talks nonsense."""

import asyncio
import json
import time
import urllib.request
from datetime import datetime
from zoneinfo import ZoneInfo

from memoryapp.agents import llm
from memoryapp.agents.extractor import Heard, extract
from memoryapp.agents.servers import context_tokens
from memoryapp.agents.summarizer import summarize, title
from memoryapp.agents.talker import Context, Said, stream
from memoryapp.memory import ledger
from memoryapp.memory.operations import Operation
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Prompt
from tests.live.llama_server import CONTEXT_TOKENS

FRIDAY = datetime(2026, 8, 21, 14, 5, tzinfo=ZoneInfo("Europe/Vienna"))
CHAT = (
    Said("user", "I moved from Berlin to Vienna last week. What should I see first?"),
    Said("assistant", "Begin with the Naschmarkt, then take the tram around the Ring."),
)


async def nothing(query):
    return []


def is_computing(llama_url):
    with urllib.request.urlopen(llama_url.replace("/v1", "/slots"), timeout=5) as answer:
        return any(slot["is_processing"] for slot in json.load(answer))


CONTEXT = Context((), (), (), CHAT, FRIDAY, nothing, nothing)


def test_the_server_is_found_and_stays_in_the_house():
    choice = llm.choose("talker")

    assert choice.is_local
    assert llm.label(choice) == "smollm2, on this machine"


async def test_a_turn_is_streamed_token_by_token():
    choice, pieces, times = llm.choose("talker"), [], []

    async with llm.build(choice, "talker"):
        async for piece in stream("Thanks!", CONTEXT, choice=choice):
            pieces.append(piece)
            times.append(time.monotonic())

    *deltas, run = pieces
    assert len(deltas) > 3
    assert times[0] < times[-2]
    assert "".join(deltas) == run.output
    assert run.input_tokens > 100
    assert run.output_tokens >= len(deltas)


async def test_stopping_a_reply_ends_the_computing_too(llama_url, monkeypatch):
    # More than half a minute of talk, were it not stopped.
    endless = {"max_tokens": 5000, "extra_body": {"ignore_eos": True}}
    monkeypatch.setattr(llm, "WHILE_WAITING", {**llm.WHILE_WAITING, **endless})
    choice = llm.choose("talker")

    async with llm.build(choice, "talker"):
        talk = stream("Thanks!", CONTEXT, choice=choice)
        await anext(talk)
        assert is_computing(llama_url)
        await talk.aclose()
        await asyncio.sleep(2)

    assert not is_computing(llama_url)


def test_an_extraction_keeps_to_the_schema_and_what_has_no_quote_is_refused(ada):
    heard = Heard(1, "user", "I live in Graz.", FRIDAY)
    other = Chat.objects.create(user=ada).add_message(Message.Role.USER, "Lovely weather today")

    run = asyncio.run(extract([heard], [], choice=llm.choose("extractor")))
    ledger.apply(user=ada, operations=run.output, messages=[other], model=run.model)

    assert run.output
    assert all(isinstance(operation, Operation) for operation in run.output)
    assert run.output_tokens > 0
    assert not Fact.objects.for_user(ada).exists()
    assert not Prompt.objects.for_user(ada).exists()
    refused = MemoryEvent.objects.for_user(ada).values_list("action", flat=True)
    assert set(refused) == {MemoryEvent.Action.REFUSED}


async def test_a_summary_is_text():
    run = await summarize(CHAT, choice=llm.choose("summarizer"))

    assert run.output.strip() == run.output != ""
    assert run.input_tokens > 50


async def test_a_title_is_one_short_line():
    run = await title(CHAT, choice=llm.choose("summarizer"))

    assert 0 < len(run.output) <= 60
    assert "\n" not in run.output


def test_the_server_tells_how_much_it_can_be_sent(llama_url):
    assert context_tokens(llama_url, "smollm2", seconds=5) == CONTEXT_TOKENS
