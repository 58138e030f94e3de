"""Locks in PostgreSQL, which all machines see: work of one name is done one at a time.

They are held by the session and not by a transaction: a model may think meanwhile.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

HOLDERS = """
    select objid::bigint from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted and classid = %s
    and database = (select oid from pg_database where datname = current_database())
"""
# Those of this process: PostgreSQL gives a session the same lock again and again.
_held: set[str] = set()


class Busy(Exception):
    """Somebody is at it; come again in a moment."""


@contextmanager
def unless_busy(name: str) -> Iterator[None]:
    """Be the only one at what has this name, or raise Busy."""
    if name in _held or not _try(name):
        raise Busy(name)
    _held.add(name)
    try:
        yield
    finally:
        _held.discard(name)
        _unlock(name)


def _try(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        return bool(cursor.fetchone()[0])


def _unlock(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", [name])


def holders(kind: int) -> list[int]:
    """The second number of each lock of two numbers that is held, where `kind` is the first."""
    with connection.cursor() as cursor:
        cursor.execute(HOLDERS, [kind])
        return [number for (number,) in cursor.fetchall()]
