"""Models of other programs: the protocol's own client, and messages written by hand."""

from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.api.callers import secret_of


@pytest.fixture
def connected(server):
    @asynccontextmanager
    async def connect(secret, **options):
        """The protocol's own client, with a key."""
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{server}/mcp", http_client=http), **options) as client,
        ):
            yield client

    return connect
