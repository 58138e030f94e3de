import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from memoryapp import followers, replies, turns
from memoryapp.agents import llm
from memoryapp.models import Message
from tests.fakes import Script, says

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
async def bus():
    yield get_channel_layer()
    await get_channel_layer().flush()


@pytest.fixture
def talk():
    """Make the talker say these pieces, one each `pause` seconds."""
    with_models = []

    def talk(*pieces, pause=0.0):
        with_models.append(llm.override({"talker": says(*pieces, pause=pause)}))
        with_models[-1].__enter__()

    yield talk
    for override in reversed(with_models):
        override.__exit__(None, None, None)


async def begin(chat):
    turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
    await replies.start(turn)
    return turn.reply


async def end(reply):
    if live := replies.LIVE.get(str(reply.pk)):
        await asyncio.wait_for(live.task, 10)
    return await Message.objects.aget(pk=reply.pk)


async def follow(reply, after=0):
    return [event async for event in followers.follow(reply.chat_id, reply.pk, after)]


def text_of(events):
    return "".join(event["text"] for event in events if event["type"] == "reply.delta")


async def test_a_reply_is_saved_with_its_receipt(chat, talk):
    talk("Good ", "evening")
    reply = await end(await begin(chat))
    assert (reply.status, reply.body) == ("complete", "Good evening")
    assert reply.receipt["model"] == "test:talker"


async def test_a_follower_gets_the_exact_text_and_the_end(chat, talk):
    talk(*(f"{n} " for n in range(40)), pause=0.01)
    reply = await begin(chat)
    events = await follow(reply)
    assert text_of(events) == "".join(f"{n} " for n in range(40))
    assert events[-1] == {
        "type": "reply.finished",
        "reply": str(reply.pk),
        "status": "complete",
    }


async def test_followers_that_join_late_get_the_exact_text_too(chat, talk):
    talk(*(f"ä{n}😀 " for n in range(60)), pause=0.01)
    reply = await begin(chat)
    following = []
    for _ in range(5):
        following.append(asyncio.create_task(follow(reply)))
        await asyncio.sleep(0.1)
    texts = {text_of(events) for events in await asyncio.gather(*following)}
    assert texts == {(await end(reply)).body}


async def test_a_follower_resumes_from_its_offset(chat, talk):
    talk(*(f"{n} " for n in range(40)), pause=0.01)
    reply = await begin(chat)
    await asyncio.sleep(0.15)
    events = await follow(reply, after=7)
    assert text_of(events) == (await end(reply)).body[7:]


async def test_a_finished_reply_can_be_followed(chat, talk):
    talk("Good evening")
    reply = await end(await begin(chat))
    assert text_of(await follow(reply, after=5)) == "evening"


async def test_stop_keeps_the_text_and_ends_the_reply(chat, talk):
    talk(*("word " for _ in range(1000)), pause=0.01)
    reply = await begin(chat)
    await asyncio.sleep(0.3)
    await replies.stop(reply.pk)
    reply = await end(reply)
    assert reply.status == "stopped"
    assert 0 < len(reply.body) < 2000


async def test_the_partial_text_is_saved_while_it_streams(chat, talk):
    talk(*("word " for _ in range(300)), pause=0.01)
    reply = await begin(chat)
    await asyncio.sleep(1.4)
    saved = await Message.objects.aget(pk=reply.pk)
    assert saved.status == "streaming"
    assert saved.body.startswith("word word")
    await replies.stop(reply.pk)
    await end(reply)


async def test_a_reply_that_fails_says_why_and_keeps_its_text(chat):
    model = Script(["Half a ", "sentence", RuntimeError("no such host secret-key-123")], pause=0.01)
    with llm.override({"talker": model}):
        reply = await end(await begin(chat))
    assert (reply.status, reply.body) == ("failed", "Half a sentence")
    assert reply.failure
    assert "secret-key" not in reply.failure


async def test_draining_ends_replies_as_interrupted(chat, talk):
    talk(*("word " for _ in range(1000)), pause=0.01)
    reply = await begin(chat)
    await asyncio.sleep(0.2)
    await replies.drain()
    reply = await Message.objects.aget(pk=reply.pk)
    assert reply.status == "interrupted"
    assert reply.body.startswith("word")
    assert replies.LIVE == {}


async def test_a_finished_reply_leaves_nothing_on_the_bus(chat, talk, bus):
    talk("Good evening")
    await end(await begin(chat))
    await asyncio.sleep(0.05)
    assert bus.here().channels == {}
