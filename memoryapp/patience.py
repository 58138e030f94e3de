"""Work on the database from asynchronous code, done again when one that was away is back."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connection
from psycopg.errors import DiskFull

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger(__name__)

AWAY = (OperationalError, InterfaceError)  # how Django says that a database doesn't answer
AWAY_SECONDS = 20.0  # PostgreSQL starts again in a few, and a cluster fails over in this
CANCEL_SECONDS = 1.0
WAITS = (0.1, 2.0)  # seconds before the second try, and the longest between two


# Django would do all that is asked outside of requests in one thread, where each commit of each
# reply waits for those of all others. Together with recall's these leave the pool some to spare.
threads = ThreadPoolExecutor(8, thread_name_prefix="database")


def is_full(error: BaseException) -> bool:
    """Whether an error of the database is that it has no room left on its disk."""
    return isinstance(error.__cause__, DiskFull)


async def in_database(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `work` in a thread, on a connection that wasn't lost meanwhile."""

    def work_and_let_go() -> T:
        _let_go()
        try:
            return work(*args, **kwargs)
        finally:
            _let_go()

    return await sync_to_async(work_and_let_go, thread_sensitive=False, executor=threads)()


def _let_go() -> None:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


async def let_go() -> None:
    """Give this request's connection back to the pool, before it waits for other work.

    That work may need a connection itself, and with all of them in such hands none would go on.
    """
    await sync_to_async(_let_go)()


async def patiently(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `in_database`, and tried again for up to AWAY_SECONDS while the database is away.

    `work` must bear to be done twice: the answer to a commit may be what was lost.
    """
    clock = asyncio.get_running_loop().time
    deadline, (wait, longest) = clock() + AWAY_SECONDS, WAITS
    while True:
        try:
            return await in_database(work, *args, **kwargs)
        except AWAY as error:
            if clock() + wait > deadline:
                raise
            logger.warning("The database doesn't answer, trying again: %s", error)
        await asyncio.sleep(wait)
        wait = min(2 * wait, longest)


async def cancel(task: "asyncio.Future[Any]") -> None:
    """See a task end. Cancelled once it may go on: whoever cleans up after it while something is
    away can turn that into an error like any other."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_SECONDS)
