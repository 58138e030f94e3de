import asyncio

import psycopg
import pytest
from channels.exceptions import ChannelFull
from django.db import connections

from memoryapp import channel_layer
from memoryapp.channel_layer import RESTORED, TOPIC, PostgresChannelLayer, conninfo

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def layer():
    layer = PostgresChannelLayer(capacity=3)
    yield layer
    await layer.flush()


async def soon(awaitable):
    return await asyncio.wait_for(awaitable, 20)


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
    assert layer.here().channels[slow].messages.qsize() == 3


async def test_a_receiver_that_leaves_is_forgotten(layer):
    channel = await layer.new_channel()
    await layer.group_add("group", channel)
    receiving = asyncio.create_task(layer.receive(channel))
    await asyncio.sleep(0.05)
    receiving.cancel()
    await asyncio.gather(receiving, return_exceptions=True)
    assert (layer.here().channels, layer.here().groups) == ({}, {})


async def cut_connections():
    """What the bus of this test has, PostgreSQL ends."""
    async with await psycopg.AsyncConnection.connect(conninfo(), autocommit=True) as admin:
        await admin.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and query ilike any"
            " (array['listen memoryapp', 'select pg_notify%%'])"
        )


async def test_the_layer_hears_again_after_its_connections_were_cut_and_says_so(layer):
    channel, other = await layer.new_channel(), await layer.new_channel()
    await layer.group_add("group", channel)
    await layer.group_send("group", {"type": "before"})
    await soon(layer.receive(channel))
    await cut_connections()
    assert await soon(layer.receive(channel)) == await soon(layer.receive(other)) == RESTORED
    await layer.group_send("group", {"type": "after"})
    assert await soon(layer.receive(channel)) == {"type": "after"}


async def test_what_cannot_be_sent_is_told_to_its_sender_alone(layer):
    channel = await layer.new_channel()
    bad, good = await asyncio.gather(
        layer.send(channel, {"type": "bad", "what": object()}),
        layer.send(channel, {"type": "good"}),
        return_exceptions=True,
    )
    assert (type(bad), good) == (TypeError, None)
    assert await soon(layer.receive(channel)) == {"type": "good"}


async def test_a_sender_is_told_when_postgresql_is_away(layer, monkeypatch):
    await layer.new_channel()
    monkeypatch.setattr(channel_layer, "conninfo", lambda: "host=/nowhere")
    with pytest.raises(psycopg.OperationalError):
        await layer.group_send("group", {"type": "lost"})


async def test_what_others_notify_does_no_harm(layer):
    channel = await layer.new_channel()
    async with await psycopg.AsyncConnection.connect(conninfo(), autocommit=True) as somebody:
        for payload in ("", "hello", "a b c d", "x 0 1 [1]", 'x 0 1 {"a": 1}'):
            await somebody.execute("select pg_notify(%s, %s)", [TOPIC, payload])
    await layer.send(channel, {"type": "hello"})
    assert await soon(layer.receive(channel)) == {"type": "hello"}


async def test_a_channel_that_nobody_reads_is_forgotten_in_time(layer):
    layer.expiry = 0
    left, full, member = [await layer.new_channel() for _ in "abc"]
    for channel in (full, member):
        await layer.group_add(channel.replace("!", ""), channel)
    for n in range(3):
        await layer.send(full, {"type": "n", "n": n})
    marker = await layer.new_channel()
    await layer.send(marker, {"type": "all before me have arrived"})
    await soon(layer.receive(marker))
    new = await layer.new_channel()
    assert set(layer.here().channels) - {marker} == {member, new}
    assert list(layer.here().groups.values()) == [{member}]


def test_the_bus_connects_as_django_does(settings, monkeypatch):
    options = {"sslmode": "require", "pool": {"min_size": 2}}
    given = {"NAME": "chat", "USER": "ada", "PASSWORD": "p w", "HOST": "db", "PORT": "5433"}
    monkeypatch.setattr(
        connections["default"],
        "settings_dict",
        {**connections["default"].settings_dict, **given, "OPTIONS": options},
    )
    known = psycopg.conninfo.conninfo_to_dict(conninfo())
    assert known | {"sslmode": "require", "dbname": "chat", "password": "p w"} == known
    assert (known["user"], known["host"], known["port"]) == ("ada", "db", "5433")
    assert int(known["connect_timeout"]) <= 10


@pytest.mark.parametrize("name", ["", "with space", "x" * 100, "ünicode"])
async def test_a_name_that_the_specification_forbids_is_refused(layer, name):
    with pytest.raises(TypeError):
        await layer.group_send(name, {"type": "hello"})
