"""Programs that call the API: each with a key of Ada's or Ben's, or with none."""

import asyncio
import threading
import time
from contextlib import closing
from socket import socket

import pytest
import uvicorn
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.core.cache import cache
from django.db import connections

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


async def serve(server):
    await server.serve()
    await sync_to_async(connections.close_all)()


@pytest.fixture
def server(monkeypatch):
    """The address of a server with the whole ASGI application."""
    # Each request has a thread of its own here, and no pool that would take its connection back.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    from config.asgi import application

    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(application, "127.0.0.1", port, log_level="warning"))
    thread = threading.Thread(target=asyncio.run, args=[serve(server)], daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)
    connections.close_all()
