"""Programs that speak OpenAI's protocol: its own client, and requests written by hand."""

import openai
import pytest
from asgiref.sync import sync_to_async

from memoryapp.agents import llm
from tests.api.callers import AsyncCaller, Caller, secret_of
from tests.fakes import says


class Program(Caller):
    root = "/v1"


class AsyncProgram(AsyncCaller):
    root = "/v1"

    async def ask(self, *said, **fields):
        """Ask after what was said, the user first, then in turns; the last is the question."""
        return await self("POST", "/chat/completions", asked(*said, **fields))


def asked(*said, system=None, **fields):
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": body} for n, body in enumerate(said)]
    if system:
        messages.insert(0, {"role": "system", "content": system})
    return {"model": "memoryapp", "messages": messages, **fields}


@pytest.fixture
def stranger():
    return Program()


@pytest.fixture
def as_ada(ada):
    return Program(secret_of(ada))


@pytest.fixture
async def ada_now(ada, bus):
    return AsyncProgram(await sync_to_async(secret_of)(ada))


@pytest.fixture
async def ben_now(ben, bus):
    return AsyncProgram(await sync_to_async(secret_of)(ben))


@pytest.fixture
def client(ada, server):
    """OpenAI's own client, with a key of Ada's."""
    with (
        llm.override({"talker": says("Good ", "to ", "know.", pause=0.01)}),
        openai.OpenAI(base_url=f"{server}/v1", api_key=secret_of(ada)) as client,
    ):
        yield client
