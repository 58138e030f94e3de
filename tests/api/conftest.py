"""Programs that call the API: each with a key of Ada's or Ben's, or with none."""

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.core.cache import cache

from memoryapp import replies
from memoryapp.agents import llm
from tests.api.callers import AsyncCaller, Caller, secret_of
from tests.fakes import says


@pytest.fixture(autouse=True)
def _fresh_minute():
    cache.clear()


@pytest.fixture
def stranger():
    return Caller()


@pytest.fixture
def as_ada(ada):
    return Caller(secret_of(ada))


@pytest.fixture
def as_ben(ben):
    return Caller(secret_of(ben))


@pytest.fixture
async def ada_now(ada, bus):
    return AsyncCaller(await sync_to_async(secret_of)(ada))


@pytest.fixture
async def ben_now(ben, bus):
    return AsyncCaller(await sync_to_async(secret_of)(ben))


@pytest.fixture
async def bus():
    """Whatever still streams at the end of a test is ended with it."""
    yield
    await replies.drain()
    await get_channel_layer().flush()


@pytest.fixture
def talker():
    """What the talker says; a test may choose other words."""
    script = says("Good ", "to ", "know.")
    with llm.override({"talker": script}):
        yield script
