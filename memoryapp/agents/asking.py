"""Agents asked by synchronous code, on one event loop that keeps their connections.

A loop of its own for each question would mean a connection, and the certificates of all
authorities, anew each time: half the work of asking.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import lru_cache, partial
from threading import Thread
from typing import Any, TypeVar

from django.conf import settings
from pydantic_ai.models import Model

from memoryapp.agents import llm
from memoryapp.agents.failures import explained

Result = TypeVar("Result")

# A provider answers many at the same time, a model on this machine one after the other: what waits
# for it too long is given up.
MANY, ONE = 100, 1

_open: dict[int, Model] = {}  # by their ids, because they can't be hashed


def num_at_once(agent: llm.Configured) -> int:
    """How many answers of this agent a process may wait for at the same time."""
    if settings.BACKGROUND_CALLS:
        return int(settings.BACKGROUND_CALLS)
    return ONE if llm.choose(agent).is_local else MANY


def begin(
    agent: llm.Configured,
    work: Callable[..., Coroutine[Any, Any, Result]],
    *arguments: Any,
    choice: llm.Choice | None = None,
) -> Future[Result]:
    """Ask the agent's model, or another `choice`: `work` with the arguments and that choice.

    The answer is there later. What a model did wrong is raised as AgentFailed, with a sentence.
    """
    choice = choice or llm.choose(agent)
    asking = _asked(agent, choice, partial(work, *arguments, choice=choice))
    return asyncio.run_coroutine_threadsafe(asking, _loop(os.getpid()))


async def _asked(
    agent: llm.Configured, choice: llm.Choice, work: Callable[[], Coroutine[Any, Any, Result]]
) -> Result:
    with explained():
        model = llm.build(choice, agent)
        if id(model) not in _open:
            _open[id(model)] = model
            await model.__aenter__()
        return await work()


@lru_cache(maxsize=1)
def _loop(pid: int) -> asyncio.AbstractEventLoop:
    # The process is part of the key: a forked worker has the parent's objects, not its threads.
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="agents", daemon=True).start()
    return loop
