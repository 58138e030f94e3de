"""Which workers are alive: each holds a lock in PostgreSQL, which ends with its connection."""

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DEFAULT_DB_ALIAS

from memoryapp import locks

LOCK = (1835363697, 1)  # two numbers that nothing else locks: "memq" in ASCII, and which lock


class Heartbeat:
    """One worker's lock, on a connection that nothing else uses or closes."""

    def __init__(self) -> None:
        self.connection: BaseDatabaseWrapper = connections.create_connection(DEFAULT_DB_ALIAS)
        self.connection.inc_thread_sharing()  # it may beat in another thread than this
        self.has_begun = False

    def beat(self) -> bool:
        """Hold the lock; True if it had been lost, as by a restart of the database.

        Raises OperationalError while there is none.
        """
        if self.connection.connection is not None and self.connection.is_usable():
            return False
        self.connection.close()
        with self.connection.cursor() as cursor:
            cursor.execute("select pg_advisory_lock_shared(%s, %s)", LOCK)
        was_lost, self.has_begun = self.has_begun, True
        return was_lost

    def close(self) -> None:
        self.connection.close()


def num_workers() -> int:
    """How many workers are alive on all machines."""
    kind, number = LOCK
    return locks.holders(kind).count(number)
