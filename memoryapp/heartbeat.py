"""How background work stands: which workers are alive, and what waits for them.

Each worker holds a shared lock in PostgreSQL, which ends with its connection.
"""

from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.utils import DEFAULT_DB_ALIAS
from django_q.models import OrmQ

LOCK = (1835363697, 1)  # two numbers that nothing else locks: "memq" in ASCII, and which lock
COUNT = """
    select count(*) from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted and classid = %s and objid = %s
    and database = (select oid from pg_database where datname = current_database())
"""


class Heartbeat:
    """One worker's lock, on a connection that nothing else uses or closes."""

    def __init__(self) -> None:
        self.connection: BaseDatabaseWrapper = connections.create_connection(DEFAULT_DB_ALIAS)
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
    with connection.cursor() as cursor:
        cursor.execute(COUNT, LOCK)
        return int(cursor.fetchone()[0])


def queue() -> "QuerySet[OrmQ]":
    """The tasks that wait, whose `lock` has passed, and those that are taken."""
    tasks: QuerySet[OrmQ] = OrmQ.objects.filter(key=settings.Q_CLUSTER["name"])
    return tasks
