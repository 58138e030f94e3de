"""Programs that call the API, with a key or without."""

import json

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import connections
from django.test import AsyncClient, Client

from memoryapp.models import ApiKey


class Caller:
    """Sends JSON and says what came back."""

    client_class: type = Client
    root = "/api/v1"

    def __init__(self, secret=""):
        self.client = self.client_class()
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def __call__(self, method, path, body=None, *, headers=None, **extra):
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.generic(
            method,
            f"{self.root}{path}",
            data="" if body is None else data,
            content_type="application/json",
            headers={**self.headers, **(headers or {})},
            **extra,
        )


class AsyncCaller(Caller):
    """The same within the test's event loop, where a reply goes on being written."""

    client_class = AsyncClient

    async def __call__(self, *args, **kwargs):
        # What Django's ASGI handler does around each request: a thread of its own.
        async with ThreadSensitiveContext():
            try:
                return await super().__call__(*args, **kwargs)
            finally:
                await sync_to_async(connections.close_all)()


def secret_of(user, **fields):
    return ApiKey.make(user=user, name="test", **fields)[1]


def told(response, status):
    """The JSON of a response that has the expected status."""
    assert response.status_code == status, response.content
    return response.json() if response.content else None
