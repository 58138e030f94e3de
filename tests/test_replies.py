import asyncio
import uuid
from contextlib import asynccontextmanager
from inspect import isawaitable

import psycopg
import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import connection, connections
from django.utils import timezone
from django_q.models import OrmQ
from psycopg import AsyncConnection

from memoryapp import followers, replies, turns
from memoryapp.agents import llm, talker
from memoryapp.bus import reply_group
from memoryapp.channel_layer import conninfo
from memoryapp.models import Chat, Message, Usage
from memoryapp.patience import in_database
from memoryapp.tokens import num_tokens
from tests.fakes import Held, Script, says

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


@pytest.fixture
def held():
    """The talker says "word " and then nothing, until it may go on."""
    talker = Held("word ", "for ", "word")
    with llm.override({"talker": talker}):
        yield talker


async def until(condition):
    """What makes the condition true, which may have to be awaited."""
    async with asyncio.timeout(20):
        while True:
            found = condition()
            if found := await found if isawaitable(found) else found:
                return found
            await asyncio.sleep(0.02)


async def saved(reply, text):
    """The row of a reply, once its text begins like this."""
    return await until(Message.objects.filter(pk=reply.pk, body__startswith=text).afirst)


async def begin(chat):
    turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
    await replies.start(turn)
    return turn.reply


async def begin_to_say(chat):
    """A reply some of whose words have come."""
    reply = await begin(chat)
    await until(lambda: replies.LIVE[str(reply.pk)].text)
    return reply


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
    reply = await begin_to_say(chat)
    await replies.stop(reply.pk)
    reply = await end(reply)
    assert reply.status == "stopped"
    assert 0 < len(reply.body) < 2000


async def test_what_a_stopped_reply_took_is_accounted_for_by_estimate(ada, chat, talk):
    talk(*("word " for _ in range(1000)), pause=0.01)
    reply = await begin_to_say(chat)
    await replies.stop(reply.pk)
    reply = await end(reply)
    usage = await Usage.objects.aget()
    assert (usage.agent, usage.user_id, usage.chat_id) == ("talker", ada.pk, chat.pk)
    assert usage.output_tokens == num_tokens(reply.body)
    assert usage.input_tokens > num_tokens(talker.GUARDRAILS)
    assert usage.error == "The reply was stopped, so the tokens are an estimate."
    assert (usage.model, usage.cost) == (reply.receipt["model"], None)
    assert 0 < usage.milliseconds < 10_000


async def test_a_reply_that_said_nothing_is_not_accounted_for(chat, talk):
    talk("late", pause=60)
    reply = await begin(chat)
    await asyncio.sleep(0.2)
    await replies.stop(reply.pk)
    assert (await end(reply)).status == "stopped"
    assert not await Usage.objects.aexists()


async def test_the_partial_text_is_saved_while_it_streams(chat, talk):
    talk(*("word " for _ in range(1000)), pause=0.01)
    reply = await begin(chat)
    assert (await saved(reply, "word word")).status == "streaming"
    await replies.stop(reply.pk)
    await end(reply)


async def test_the_first_words_are_saved_at_once(chat, held, monkeypatch):
    monkeypatch.setattr(replies, "SAVE_SECONDS", 3600)
    reply = await begin(chat)
    assert (await saved(reply, "word ")).status == "streaming"
    await replies.stop(reply.pk)
    await end(reply)


async def test_replies_are_saved_together_and_one_whose_chat_is_gone_ends(ada, chat, held):
    other = await Chat.objects.acreate(user=ada)
    kept, lost = await begin_to_say(chat), await begin_to_say(other)
    task = replies.LIVE[str(lost.pk)].task
    await other.adelete()
    await asyncio.wait_for(task, 10)
    assert (await saved(kept, "word ")).status == "streaming"
    await replies.stop(kept.pk)
    await end(kept)


async def test_a_reply_that_fails_says_why_and_keeps_its_text(chat):
    model = Script(["Half a ", "sentence", RuntimeError("no such host secret-key-123")], pause=0.01)
    with llm.override({"talker": model}):
        reply = await end(await begin(chat))
    assert (reply.status, reply.body) == ("failed", "Half a sentence")
    assert reply.failure
    assert "secret-key" not in reply.failure


async def test_draining_ends_replies_as_interrupted(chat, talk):
    talk(*("word " for _ in range(1000)), pause=0.01)
    reply = await begin_to_say(chat)
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


async def test_a_reply_is_stopped_while_memory_is_looked_up(chat, talk, settings):
    settings.RECALL_TIMEOUT_MS = 60_000
    talk("never said")
    async with await AsyncConnection.connect(conninfo()) as holding:
        await holding.execute("lock table memoryapp_fact, memoryapp_prompt")
        reply = await begin(chat)

        async def is_waited_for():
            found = await holding.execute("select from pg_locks where not granted")
            return found.rowcount

        await until(is_waited_for)
        await replies.stop(reply.pk)
        reply = await end(reply)
    assert (reply.status, reply.body, reply.receipt) == ("stopped", "", {})


async def test_a_reply_is_stopped_before_its_first_word(chat, talk):
    talk("never said", pause=60)
    reply = await begin(chat)
    await until(lambda: replies.LIVE[str(reply.pk)].receipt)
    await replies.stop(reply.pk)
    reply = await end(reply)
    assert (reply.status, reply.body, reply.failure) == ("stopped", "", "")
    assert reply.receipt["memory_on"]


async def test_a_stop_that_comes_with_the_end_loses_nothing(chat, talk):
    words = [f"{n} " for n in range(30)]
    for seconds in (0.28, 0.3, 0.32, 0.34):
        talk(*words, pause=0.01)
        reply = await begin(chat)
        await asyncio.sleep(seconds)
        await replies.stop(reply.pk)
        reply = await end(reply)
        whole = ("complete", "".join(words))
        assert reply.status == "stopped" or (reply.status, reply.body) == whole
        await reply.adelete()


async def test_stopping_what_is_over_or_unknown_changes_nothing(chat, talk):
    talk("Good evening")
    reply = await end(await begin(chat))
    await replies.stop(reply.pk)
    await replies.stop(uuid.uuid4())
    assert (await end(reply)).status == "complete"


@pytest.fixture
async def heal_thread(transactional_db):
    yield
    await sync_to_async(connections.close_all)()


@pytest.fixture
def heal(heal_thread):
    """Let the connections of the test itself, cut like all others, be made anew."""
    yield
    connection.close()


@asynccontextmanager
async def database_away():
    """PostgreSQL ends all connections to this database and takes no new one."""
    name = connection.settings_dict["NAME"]
    elsewhere = psycopg.conninfo.make_conninfo(conninfo(), dbname="postgres")
    async with await AsyncConnection.connect(elsewhere, autocommit=True) as admin:
        await admin.execute(f'alter database "{name}" with allow_connections false')
        try:
            await cut_off_all(admin, name)
            yield
        finally:
            await admin.execute(f'alter database "{name}" with allow_connections true')


async def cut_off_all(admin, name):
    await admin.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", [name]
    )


async def test_a_reply_goes_on_when_postgresql_is_started_again(heal, chat):
    early, late = [f"ä{n} " for n in range(80)], [f"ö{n} " for n in range(80)]
    model = Held(*early, *late, may_say=len(early), pause=0.02)
    with llm.override({"talker": model}):
        reply = await begin_to_say(chat)
        following = asyncio.create_task(follow(reply))

        async def is_saved():
            row = await in_database(Message.objects.get, pk=reply.pk)
            return row.streaming_beat > back_at and row

        async with database_away():
            await until(lambda: replies.LIVE[str(reply.pk)].text == "".join(early))
        back_at = timezone.now()
        row = await until(is_saved)
        assert (row.status, row.body) == ("streaming", "".join(early))
        model.go_on()
        events = await following
    reply = await in_database(Message.objects.get, pk=reply.pk)
    assert (reply.status, reply.body) == ("complete", "".join(early + late))
    assert text_of(events) == reply.body


async def test_a_reply_that_ends_while_postgresql_is_away_is_saved_later(heal, chat, held):
    reply = await begin_to_say(chat)
    live = replies.LIVE[str(reply.pk)]
    async with database_away():
        held.go_on()
        await until(lambda: live.text == held.text)
        await asyncio.sleep(0.5)  # for tries in vain
        assert str(reply.pk) in replies.LIVE
    await asyncio.wait_for(live.task, 10)
    reply = await in_database(Message.objects.get, pk=reply.pk)
    assert (reply.status, reply.body) == ("complete", held.text)
    queued = await in_database(lambda: [row.func() for row in OrmQ.objects.all()])
    assert queued.count("memoryapp.tasks.extract") == 2  # for the chat's first reply, and for this


async def test_a_reply_whose_chat_is_deleted_ends_quietly_and_leaves_nothing(chat, held, caplog):
    reply = await begin_to_say(chat)
    task = replies.LIVE[str(reply.pk)].task
    await chat.adelete()
    await asyncio.wait_for(task, 10)
    assert not await Message.objects.aexists()
    assert not await Usage.objects.aexists()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_finished_reply_that_was_followed_leaves_nothing_on_the_bus(chat, talk, bus):
    talk("Good evening")
    reply = await end(await begin(chat))
    await follow(reply)
    follower = followers.follow(reply.chat_id, reply.pk)
    await anext(follower)
    await follower.aclose()
    assert (bus.here().channels, bus.here().groups) == ({}, {})


async def test_a_follower_that_misses_something_asks_until_it_is_answered(chat, bus, monkeypatch):
    monkeypatch.setattr(followers, "ASK_SECONDS", 0)
    asked, channel = await bus.new_channel(), await bus.new_channel()
    await bus.group_add(reply_group("r"), asked)
    follower, delta = followers.Follower("r", channel), {"type": "reply.delta", "reply": "r"}
    given = [
        await follower.take({**delta, "offset": 0, "text": "Good "}),
        await follower.take({**delta, "offset": 9, "text": "ing"}),
        await follower.take({**delta, "offset": 12, "text": ", Ada"}),
    ]
    assert (given, follower.is_waiting) == (["Good ", "", ""], True)
    for _ in "ab":
        assert await bus.receive(asked) == {"type": "reply.ask", "channel": channel}
    assert await follower.take({**delta, "offset": 5, "text": "even"}) == "even"
    snapshot = {"type": "reply.snapshot", "reply": "r", "text": "Good evening, Ada"}
    assert await follower.take(snapshot) == "ing, Ada"
    assert not follower.is_waiting


async def test_a_reply_is_stopped_in_the_moment_that_it_is_started(chat, talk):
    talk("never said", pause=1)
    reply = await begin(chat)
    await replies.stop(reply.pk)
    assert (await end(reply)).status == "stopped"
