"""What every channel layer owes its users, shown on PostgreSQL's and on Redis's."""

import asyncio
import shutil
import subprocess
import time

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from channels_redis.pubsub import RedisPubSubChannelLayer
from django.db import connection, transaction
from redis import Redis

from memoryapp import followers, replies, turns
from memoryapp.agents import llm
from memoryapp.bus import publish
from memoryapp.channel_layer import PostgresChannelLayer
from memoryapp.models import Message
from tests.fakes import says
from tests.processes import free_port

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = [f"wörd{n}😀 " for n in range(50)]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory):
    if not shutil.which("redis-server"):
        pytest.skip("redis-server isn't installed")
    port = free_port()
    folder = tmp_path_factory.mktemp("redis")
    arguments = [f"--port {port}", "--bind 127.0.0.1", "--save ''", f"--dir {folder}"]
    server = subprocess.Popen(["redis-server", *" ".join(arguments).split()], stdout=-3)
    with Redis(port=port) as client:
        wait_for(client)
    yield f"redis://127.0.0.1:{port}"
    server.terminate()
    server.wait(10)


def wait_for(client):
    for _ in range(100):
        try:
            return client.ping()
        except ConnectionError:
            time.sleep(0.05)
    raise AssertionError("redis-server doesn't answer")


@pytest.fixture(params=["postgres", "redis"])
def make_layer(request):
    """Makes the layer of one more process."""
    if request.param == "postgres":
        return PostgresChannelLayer
    url = request.getfixturevalue("redis_url")
    return lambda: RedisPubSubChannelLayer(hosts=[url])


@pytest.fixture
async def layer(make_layer):
    layer = make_layer()
    yield layer
    await layer.flush()


@pytest.fixture
async def other(make_layer):
    """The layer of another process."""
    other = make_layer()
    yield other
    await other.flush()


async def soon(awaitable):
    return await asyncio.wait_for(awaitable, 20)


async def joined(layer, group="group"):
    channel = await layer.new_channel()
    await layer.group_add(group, channel)
    return channel


async def test_messages_reach_their_channel_in_order(layer):
    channel = await layer.new_channel()
    for n in range(3):
        await layer.send(channel, {"type": "n", "n": n})
    assert [(await soon(layer.receive(channel)))["n"] for _ in range(3)] == [0, 1, 2]


async def test_receivers_of_one_channel_get_a_message_each(layer):
    channel = await layer.new_channel()
    receiving = [asyncio.create_task(layer.receive(channel)) for _ in "ab"]
    await asyncio.sleep(0)
    for n in range(2):
        await layer.send(channel, {"type": "n", "n": n})
    received = await soon(asyncio.gather(*receiving))
    assert sorted(message["n"] for message in received) == [0, 1]


async def test_what_is_sent_before_anybody_receives_waits(layer):
    channel = await layer.new_channel()
    receiving = asyncio.create_task(layer.receive(channel))
    await layer.send(channel, {"type": "first"})
    await soon(receiving)
    await layer.send(channel, {"type": "second"})
    await asyncio.sleep(0.1)
    assert await soon(layer.receive(channel)) == {"type": "second"}


async def test_channels_have_names_of_their_own(layer):
    assert len({await layer.new_channel() for _ in range(20)}) == 20


async def test_a_group_message_reaches_each_member_once(layer):
    one, two = await joined(layer), await joined(layer)
    await layer.group_add("group", two)
    await layer.group_send("group", {"type": "first"})
    await layer.group_send("group", {"type": "second"})
    for channel in (one, two):
        assert [(await soon(layer.receive(channel)))["type"] for _ in "ab"] == ["first", "second"]


async def test_another_process_hears_groups_and_channels(layer, other):
    channel = await joined(other)
    await layer.group_send("group", {"type": "to all"})
    await layer.send(channel, {"type": "to one"})
    assert [(await soon(other.receive(channel)))["type"] for _ in "ab"] == ["to all", "to one"]


async def test_who_left_a_group_hears_nothing(layer):
    gone, there = await joined(layer), await joined(layer)
    await layer.group_discard("group", gone)
    await layer.group_send("group", {"type": "hello"})
    await soon(layer.receive(there))
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(layer.receive(gone), 0.05)


async def test_leaving_a_group_that_one_is_not_in_is_no_error(layer):
    channel = await layer.new_channel()
    await layer.group_discard("group", channel)
    await layer.group_add("group", channel)
    await layer.group_send("group", {"type": "hello"})
    assert await soon(layer.receive(channel)) == {"type": "hello"}


async def test_a_group_without_members_hears_in_vain(layer):
    await layer.group_send("nobody", {"type": "hello"})


async def test_members_get_messages_of_their_own(layer):
    one, two = await joined(layer), await joined(layer)
    await layer.group_send("group", {"type": "hello"})
    (await soon(layer.receive(one)))["type"] = "changed"
    assert await soon(layer.receive(two)) == {"type": "hello"}


async def test_a_large_message_arrives_whole_and_in_order(layer):
    channel = await layer.new_channel()
    text = "größer als erlaubt \0 😀 " * 5000
    await layer.send(channel, {"type": "large", "text": text})
    await layer.send(channel, {"type": "small"})
    assert (await soon(layer.receive(channel)))["text"] == text
    assert (await soon(layer.receive(channel)))["type"] == "small"


async def test_many_messages_sent_at_once_keep_their_order(layer):
    channel = await layer.new_channel()
    await asyncio.gather(*(layer.send(channel, {"type": "n", "n": n}) for n in range(500)))
    received = [(await soon(layer.receive(channel)))["n"] for _ in range(500)]
    assert received == list(range(500))


async def test_a_flushed_layer_is_like_new(layer):
    channel = await joined(layer)
    await layer.flush()
    new = await joined(layer)
    await layer.group_send("group", {"type": "hello"})
    assert await soon(layer.receive(new)) == {"type": "hello"}
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(layer.receive(channel), 0.05)


@pytest.fixture
def everywhere(layer):
    """This layer is the one that the project uses."""
    before = channel_layers.set("default", layer)
    yield layer
    channel_layers.set("default", before)


async def test_publish_is_heard_when_the_transaction_commits(everywhere):
    channel = await joined(everywhere)

    def commit_one_of_two():
        with transaction.atomic():
            publish("group", {"type": "rolled back"})
            transaction.set_rollback(True)
        with transaction.atomic():
            publish("group", {"type": "same"})
            publish("group", {"type": "same"})
        connection.close()

    await sync_to_async(commit_one_of_two, thread_sensitive=False)()
    types = [(await soon(everywhere.receive(channel)))["type"] for _ in "ab"]
    assert types == ["same", "same"]


async def test_a_reply_is_followed_exactly_and_stopped(everywhere, chat):
    with llm.override({"talker": says(*WORDS, pause=0.02)}):
        turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
        await replies.start(turn)
        texts = await asyncio.gather(*(heard(turn.reply, after) for after in (0, 0.1, 0.3)))
        await soon(replies.LIVE[str(turn.reply.pk)].task) if replies.LIVE else None
    reply = await Message.objects.aget(pk=turn.reply.pk)
    assert (reply.status, set(texts)) == ("stopped", {reply.body})
    assert "".join(WORDS).startswith(reply.body)
    assert reply.body
    is_ours = isinstance(everywhere, PostgresChannelLayer)
    assert (everywhere.here() if is_ours else everywhere).channels == {}


async def heard(reply, seconds):
    """All that a follower hears who comes so much later; the last of them stops the reply."""
    await asyncio.sleep(seconds)
    text = ""
    async for event in followers.follow(reply.chat_id, reply.pk):
        text += event.get("text", "")
        if seconds == 0.3 and text:
            await replies.stop(reply.pk)
    return text
