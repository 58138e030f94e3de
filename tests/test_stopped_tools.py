"""A reply that is stopped while one of the talker's tools runs: it ends, and its text stays."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from psycopg import AsyncConnection

from memoryapp import replies, turns
from memoryapp.agents import llm
from memoryapp.channel_layer import conninfo
from memoryapp.models import Message
from tests.fakes import Script, calls

pytestmark = pytest.mark.django_db(transaction=True)

# What each tool reads, and nothing else once a reply has begun.
TABLES = {"search_archive": "memoryapp_fact", "search_resources": "memoryapp_passage"}


@pytest.fixture(autouse=True)
async def bus():
    yield get_channel_layer()
    await get_channel_layer().flush()


async def is_waited_for(table):
    query = "select 1 from pg_locks where relation = %s::regclass and not granted"
    async with await AsyncConnection.connect(conninfo()) as looking, asyncio.timeout(10):
        while not await (await looking.execute(query, [table])).fetchone():
            await asyncio.sleep(0.02)


async def begin(chat):
    turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
    await replies.start(turn)
    return turn.reply.pk


async def end(pk):
    if live := replies.LIVE.get(str(pk)):
        await asyncio.wait_for(live.task, 10)
    return await Message.objects.aget(pk=pk)


@pytest.mark.parametrize("tool", TABLES)
async def test_a_reply_is_stopped_while_a_tool_runs(chat, ada, tool):
    script = ["Let me look that up. ", calls(tool, query="garden")], ["It is green."]
    model = Script(*script, pause=0.5)
    with llm.override({"talker": model}):
        async with await AsyncConnection.connect(conninfo()) as holding:
            reply = await begin(chat)
            async with asyncio.timeout(10):
                while not (live := replies.LIVE[str(reply)]).text:
                    await asyncio.sleep(0.01)
            await holding.execute(f"lock table {TABLES[tool]} in access exclusive mode")
            await is_waited_for(TABLES[tool])
            await replies.stop(reply)
            stopped = await end(reply)
    assert live.task.done()
    assert (stopped.status, stopped.body) == ("stopped", "Let me look that up. ")
    with llm.override({"talker": Script(["It is green."])}):
        answered = await end(await begin(chat))
    assert (answered.status, answered.body) == ("complete", "It is green.")
