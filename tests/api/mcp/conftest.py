"""Models of other programs: the protocol's own client, and messages written by hand."""

from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memoryapp.api.mcp.tools import TOOLS
from memoryapp.models import ApiKey
from tests.api.callers import Caller, secret_of

ACCEPT = {"Accept": "application/json, text/event-stream"}
LATEST = "2026-07-28"


class Program(Caller):
    """Sends messages as they are on the wire."""

    root = "/mcp"

    def send(self, method, params=None, **headers):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self("POST", "", message, headers={**ACCEPT, **headers})

    def send_latest(self, method, params=None, version=LATEST):
        """As the newest version has it: each message says what it is and who sends it."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers = {"MCP-Protocol-Version": version, "Mcp-Method": method}
        if params and "name" in params:
            headers["Mcp-Name"] = params["name"]
        return self.send(method, {**(params or {}), "_meta": meta}, **headers)


@pytest.fixture
def stranger():
    return Program()


@pytest.fixture
def as_ada(ada):
    return Program(secret_of(ada))


@pytest.fixture
def as_ben(ben):
    return Program(secret_of(ben))


@pytest.fixture
def call(ada):
    """Call a tool with Ada's key, or another."""
    laptop, _ = ApiKey.make(user=ada, name="laptop")

    def call(name, key=laptop, /, **arguments):
        return TOOLS[name].call(key, arguments)

    return call


@pytest.fixture
def connect(server):
    """The protocol's own client, with a key, at a server of its own."""

    @asynccontextmanager
    async def connect(secret, mode="auto"):
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{server}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client

    return connect
