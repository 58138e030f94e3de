import asyncio

import psycopg
import pytest
from asgiref.sync import sync_to_async
from channels.exceptions import ChannelFull
from django.db import connection, transaction

from memoryapp.channel_layer import PostgresChannelLayer, conninfo, publish

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def layer():
    layer = PostgresChannelLayer(capacity=3)
    yield layer
    await layer.flush()


async def soon(awaitable):
    return await asyncio.wait_for(awaitable, 5)


async def test_a_message_reaches_its_channel(layer):
    channel = await layer.new_channel()
    await layer.send(channel, {"type": "hello"})
    assert await soon(layer.receive(channel)) == {"type": "hello"}


async def test_a_group_message_reaches_each_member_once(layer):
    one, two = await layer.new_channel(), await layer.new_channel()
    for channel in (one, two):
        await layer.group_add("group", channel)
    await layer.group_add("group", two)
    await layer.group_send("group", {"type": "first"})
    await layer.group_send("group", {"type": "second"})
    for channel in (one, two):
        assert [(await soon(layer.receive(channel)))["type"] for _ in "ab"] == ["first", "second"]


async def test_another_process_hears_it_too(layer):
    other = PostgresChannelLayer()
    channel = await other.new_channel()
    await other.group_add("group", channel)
    await layer.group_send("group", {"type": "hello"})
    assert await soon(other.receive(channel)) == {"type": "hello"}
    await other.flush()


async def test_who_left_a_group_hears_nothing(layer):
    gone, there = await layer.new_channel(), await layer.new_channel()
    for channel in (gone, there):
        await layer.group_add("group", channel)
    await layer.group_discard("group", gone)
    await layer.group_send("group", {"type": "hello"})
    await soon(layer.receive(there))
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(layer.receive(gone), 0.05)


async def test_a_large_message_arrives_whole_and_in_order(layer):
    channel = await layer.new_channel()
    text = "größer als erlaubt \0 😀 " * 5000
    await layer.send(channel, {"type": "large", "text": text})
    await layer.send(channel, {"type": "small"})
    assert (await soon(layer.receive(channel)))["text"] == text
    assert (await soon(layer.receive(channel)))["type"] == "small"


async def test_many_messages_sent_at_once_keep_their_order(layer):
    layer.capacity = 1000
    channel = await layer.new_channel()
    await asyncio.gather(*(layer.send(channel, {"type": "n", "n": n}) for n in range(500)))
    received = [(await soon(layer.receive(channel)))["n"] for _ in range(500)]
    assert received == list(range(500))


async def test_a_full_channel_of_this_process_says_so(layer):
    channel = await layer.new_channel()
    for _ in range(3):
        await layer.send(channel, {"type": "hello"})
    marker = await layer.new_channel()
    await layer.send(marker, {"type": "all before me have arrived"})
    await soon(layer.receive(marker))
    with pytest.raises(ChannelFull):
        await layer.send(channel, {"type": "one too many"})


async def test_a_slow_member_costs_the_others_nothing(layer):
    slow, quick = await layer.new_channel(), await layer.new_channel()
    for channel in (slow, quick):
        await layer.group_add("group", channel)
    for n in range(10):
        await layer.group_send("group", {"type": "n", "n": n})
        assert (await soon(layer.receive(quick)))["n"] == n
    assert layer.here().queues[slow].qsize() == 3


async def test_a_receiver_that_leaves_is_forgotten(layer):
    channel = await layer.new_channel()
    await layer.group_add("group", channel)
    receiving = asyncio.create_task(layer.receive(channel))
    await asyncio.sleep(0.05)
    receiving.cancel()
    await asyncio.gather(receiving, return_exceptions=True)
    assert (layer.here().queues, dict(layer.here().groups)) == ({}, {})


async def test_the_layer_listens_again_after_its_connections_were_cut(layer):
    channel = await layer.new_channel()
    await layer.group_add("group", channel)
    await layer.group_send("group", {"type": "before"})
    await soon(layer.receive(channel))
    async with await psycopg.AsyncConnection.connect(conninfo(), autocommit=True) as admin:
        await admin.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and query ilike any"
            " (array['listen memoryapp', 'select pg_notify%%'])"
        )
    await asyncio.sleep(0.5)
    with pytest.raises(psycopg.OperationalError):
        await layer.group_send("group", {"type": "lost"})
    await soon(layer.here().is_listening.wait())
    await layer.group_send("group", {"type": "after"})
    assert (await soon(layer.receive(channel)))["type"] == "after"


@pytest.mark.parametrize("name", ["", "with space", "x" * 100, "ünicode"])
async def test_a_name_that_the_specification_forbids_is_refused(layer, name):
    with pytest.raises(TypeError):
        await layer.group_send(name, {"type": "hello"})


async def test_publish_is_heard_when_the_transaction_commits(layer):
    channel = await layer.new_channel()
    await layer.group_add("group", channel)

    def commit_one_of_two():
        with transaction.atomic():
            publish("group", {"type": "kept"})
        with transaction.atomic():
            publish("group", {"type": "rolled back"})
            transaction.set_rollback(True)
        with transaction.atomic():
            publish("group", {"type": "same"})
            publish("group", {"type": "same"})
        connection.close()

    await sync_to_async(commit_one_of_two, thread_sensitive=False)()
    types = [(await soon(layer.receive(channel)))["type"] for _ in "abc"]
    assert types == ["kept", "same", "same"]
