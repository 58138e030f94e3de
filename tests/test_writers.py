import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import connection
from django.utils import timezone

from memoryapp import replies, tasks, turns, writers
from memoryapp.agents import llm
from memoryapp.models import Message
from memoryapp.patience import cancel, in_database
from tests.fakes import says

CUT_OFF = """
    select pg_terminate_backend(pid, 5000) from pg_locks
    where locktype = 'advisory' and classid = %s and objid = %s
"""


@pytest.fixture(autouse=True)
async def bus():
    yield
    await get_channel_layer().flush()


async def until(condition):
    async with asyncio.timeout(10):
        while not await condition():
            await asyncio.sleep(0.02)


@asynccontextmanager
async def known():
    """This process while it is known as a writer of replies, by its number."""

    async def has_number():
        return writers.this.number is not None

    being_known = asyncio.create_task(writers.this.be_known())
    try:
        await until(has_number)
        yield writers.this.number
    finally:
        await cancel(being_known)


def cut_off(number):
    with connection.cursor() as cursor:
        cursor.execute(CUT_OFF, [writers.LOCK, number])


@pytest.mark.django_db(transaction=True)
async def test_a_writer_lives_as_long_as_it_is_known():
    async with known() as number:
        assert await in_database(writers.living) == {number}

    async def is_gone():
        return not await in_database(writers.living)

    await until(is_gone)
    assert writers.this.number is None


@pytest.mark.django_db(transaction=True)
async def test_a_writer_that_loses_its_connection_is_known_again_by_the_same_number():
    async with known() as number:
        await in_database(cut_off, number)

        async def is_back():
            return await in_database(writers.living) == {number}

        await until(is_back)


@pytest.mark.django_db(transaction=True)
async def test_a_reply_names_its_writer_until_it_ends(chat):
    async with known() as number:
        with llm.override({"talker": says(*["word "] * 200, pause=0.02)}):
            turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
            assert turn.reply.writer == number
            await Message.objects.filter(pk=turn.reply.pk).aupdate(writer=None)
            await replies.start(turn)

            async def is_named():
                return (await Message.objects.aget(pk=turn.reply.pk)).writer == number

            await until(is_named)
            ending = replies.LIVE[str(turn.reply.pk)].task
            await replies.stop(turn.reply.pk)
            await asyncio.wait_for(ending, 10)
    reply = await Message.objects.aget(pk=turn.reply.pk)
    assert (reply.status, reply.writer) == ("stopped", None)


def swept(chat, *, writer, seconds):
    """What becomes of a reply without a sign of life for so long."""
    reply = chat.add_message("assistant", "Half a", status="streaming", writer=writer)
    silent_since = timezone.now() - timedelta(seconds=seconds)
    Message.objects.filter(pk=reply.pk).update(streaming_beat=silent_since)
    tasks.sweep()
    reply.refresh_from_db()
    return reply.status


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("writer", "seconds", "status"),
    [
        (7, 4, "interrupted"),
        (7, 2, "streaming"),  # it may have lost its connection just now
        (None, 4, "streaming"),  # it never could be known, so its silence says nothing yet
        (None, 31, "interrupted"),
    ],
)
def test_a_reply_is_ended_soon_after_its_writer_is_gone(chat, writer, seconds, status):
    assert swept(chat, writer=writer, seconds=seconds) == status


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("seconds", "status"), [(20, "streaming"), (31, "interrupted")])
async def test_a_writer_that_is_only_slow_keeps_its_reply_for_the_whole_lease(
    chat, seconds, status
):
    async with known() as number:
        left = await sync_to_async(swept)(chat, writer=number, seconds=seconds)
    assert left == status
