"""What a web process does beside its requests, from its start to its end: ASGI's lifespan."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any

from channels.layers import get_channel_layer

from memoryapp import tasks, writers
from memoryapp.agents import llm
from memoryapp.memory import recall
from memoryapp.models.messages import WRITER_LEASE
from memoryapp.patience import cancel, in_database
from memoryapp.replies import drain, whatever_happens


async def lifespan(scope: Any, receive: Callable[[], Awaitable[dict[str, Any]]], send: Any) -> None:
    """ASGI's lifespan: when the server stops, replies save what they have and end."""
    beside: list[asyncio.Task[None]] = []
    while True:
        event = await receive()
        if event["type"] == "lifespan.startup":
            beside.append(asyncio.create_task(whatever_happens(_get_ready)))
            beside.append(asyncio.create_task(writers.this.be_known()))
            beside.append(asyncio.create_task(whatever_happens(_take_over)))
            await send({"type": "lifespan.startup.complete"})
        elif event["type"] == "lifespan.shutdown":
            await drain()
            for task in beside:
                await cancel(task)
            await get_channel_layer().flush()
            await send({"type": "lifespan.shutdown.complete"})
            return


async def _get_ready() -> None:
    """The first question shall not wait for what loads slowly, nor do without memory."""
    loop = asyncio.get_running_loop()
    await asyncio.gather(
        *(loop.run_in_executor(None, prepare) for prepare in (recall.prepare, llm.prepare))
    )
    # All replies stand still while garbage is looked for, and what is loaded now is none.
    gc.freeze()


async def _take_over() -> None:
    """End the replies of a process that this one may be the successor of.

    Those that live have a moment to say so: the database may have been started again as well.
    """
    await asyncio.sleep(WRITER_LEASE.total_seconds())
    await in_database(tasks.sweep)
