"""Agents asked by synchronous code, on one event loop that keeps their connections.

A loop of its own for each question would mean a connection, and the certificates of all
authorities, anew each time: half the work of asking.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from functools import lru_cache, partial
from threading import Thread
from typing import Any, TypeVar

from pydantic_ai.models import Model

from memoryapp.agents import llm

Result = TypeVar("Result")

_open: dict[int, Model] = {}  # by their ids, because they can't be hashed


def ask(
    agent: llm.Configured, work: Callable[..., Coroutine[Any, Any, Result]], *arguments: Any
) -> Result:
    """What `work` answers to the arguments and to the choice of the agent's model."""
    choice = llm.choose(agent)
    asking = _asked(llm.build(choice, agent), partial(work, *arguments, choice=choice))
    answering = asyncio.run_coroutine_threadsafe(asking, _loop(os.getpid()))
    try:
        return answering.result()
    except BaseException:
        answering.cancel()  # as when the queue's time for a task is over
        raise


async def _asked(model: Model, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
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
