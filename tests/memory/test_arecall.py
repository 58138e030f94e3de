import asyncio
import threading
import time

import pytest
from django.db import connection, connections

from memoryapp.memory import minilm
from memoryapp.memory.recall import arecall, recalling
from memoryapp.models import Chat
from tests.memory.findable import TOOLS, make_fact, texts


@pytest.mark.django_db(transaction=True)
async def test_arecall_answers_as_recall_does_and_leaves_no_connection_open(ada, settings):
    settings.RECALL_TIMEOUT_MS = 10_000

    def prepare():
        make_fact(ada, "deployment_tools", "Terraform through GitHub Actions")
        return Chat.objects.create(user=ada)

    chat = await asyncio.to_thread(with_connection_closed, prepare)
    found = await arecall(ada, chat, TOOLS)
    assert texts(found.memories) == ["deployment tools: Terraform through GitHub Actions"]
    assert found.timed_out is False
    states = await asyncio.gather(*(in_recall_thread(is_connected) for _ in range(4)))
    assert not any(states)


def with_connection_closed(work):
    try:
        return work()
    finally:
        connection.close()


def is_connected():
    return connections["default"].connection is not None


async def in_recall_thread(work):
    return await asyncio.get_running_loop().run_in_executor(recalling.executor, work)


@pytest.mark.django_db(transaction=True)
async def test_loading_the_embedding_model_is_not_counted_as_recall(ada, settings):
    settings.RECALL_TIMEOUT_MS = 1000
    chat = await Chat.objects.acreate(user=ada)
    minilm._load.cache_clear()
    recalling._rehearse.cache_clear()
    with minilm._loading:
        first = asyncio.ensure_future(arecall(ada, chat, TOOLS))
        await asyncio.sleep(1.2)
        assert not first.done()
    assert (await first).timed_out is False


@pytest.mark.django_db(transaction=True)
async def test_arecall_goes_on_without_memory_when_time_is_up(settings, caplog):
    settings.RECALL_TIMEOUT_MS = 50
    await asyncio.to_thread(recalling.prepare)
    release = threading.Event()
    busy = [in_recall_thread(release.wait) for _ in range(2)]
    tasks = [asyncio.ensure_future(work) for work in busy]
    await asyncio.sleep(0)

    started = time.perf_counter()
    found = await arecall(None, None, TOOLS)
    elapsed = time.perf_counter() - started

    release.set()
    await asyncio.gather(*tasks)
    assert (found.memories, found.timed_out) == ((), True)
    assert 40 <= found.milliseconds <= 1000 * elapsed + 1
