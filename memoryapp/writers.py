"""Which processes write replies: each holds a lock in PostgreSQL, which ends with its connection.

A reply's row names its writer, so that whoever sees that nobody holds the lock of this number any
more knows that the process is gone, on whatever machine it was. One that is only slow holds it.
"""

import asyncio
import logging
import secrets

import psycopg

from memoryapp import locks
from memoryapp.channel_layer import CONNECTION_LOST, conninfo

logger = logging.getLogger(__name__)

LOCK = 1835363703  # of two numbers the first, "memw" in ASCII; the second is the writer's own
RETRY_SECONDS = 0.5


class Writer:
    """A process that writes replies; `number` is None while nobody could see that it lives."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._own = secrets.randbits(31)

    async def be_known(self) -> None:
        """Hold the lock until cancelled, and take it again when its connection was lost."""
        while True:
            try:
                await self._hold()
            except CONNECTION_LOST as error:
                logger.debug("The lock of the process that writes is lost: %s", error)
            finally:
                self.number = None
            await asyncio.sleep(RETRY_SECONDS)

    async def _hold(self) -> None:
        async with await psycopg.AsyncConnection.connect(conninfo(), autocommit=True) as holding:
            await holding.execute("select pg_advisory_lock_shared(%s, %s)", [LOCK, self._own])
            self.number = self._own
            async for _ in holding.notifies():  # there are none: this waits for its end
                pass


this = Writer()


def living() -> set[int]:
    """The numbers of the writers that live, on all machines."""
    return set(locks.holders(LOCK))
