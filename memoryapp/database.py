"""Whether the database that is set up can be used, and what to do when it can't."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from memoryapp import embedded_postgres

POSTGRES_MIN = 15
PGVECTOR_MIN = (0, 7)  # the first with half-precision vectors
CONNECT_SECONDS = 5
SETUP_LOCK = (1835363697, 2)  # see memoryapp/heartbeat.py
VERSIONS = """
    select current_setting('server_version_num')::int / 10000,
    (select coalesce(installed_version, default_version)
     from pg_available_extensions where name = 'vector')
"""


class DatabaseUnusable(Exception):
    """The database can't be used; the text says why and what to do."""


def explain(error: Exception) -> str:
    """What to do about a failed connection; empty for any other error."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    # An error that the server sent has a code; one that kept us from reaching it has none.
    if not isinstance(cause, psycopg.OperationalError) or cause.sqlstate:
        return ""
    if settings.IS_POSTGRES_EMBEDDED:
        data_dir = settings.EMBEDDED_POSTGRES_DIR
        if isinstance(cause, psycopg.errors.ConnectionTimeout):
            return embedded_postgres.SILENT.format(data_dir)
        if embedded_postgres.is_running(data_dir):
            return ""
        return (
            "PostgreSQL isn't running: start it with `manage.py postgres start`,"
            " or everything with `make run`."
        )
    reason = " ".join(str(cause).split()).rstrip(".?")
    return f"The database of DATABASE_URL can't be reached: {reason}. Correct it, or start it."


def check() -> None:
    """Raise DatabaseUnusable unless the database answers and can hold memory."""
    try:
        with usable() as database:
            database.execute("create extension if not exists vector")
    except psycopg.errors.InsufficientPrivilege as error:
        raise DatabaseUnusable(
            "The database's user may not install pgvector:"
            " run `create extension vector` there once as an administrator."
        ) from error


@contextmanager
def usable() -> "Iterator[psycopg.Connection[Any]]":
    """A connection to the database, which is new enough; DatabaseUnusable if it isn't."""
    parameters = connection.get_connection_params() | {"connect_timeout": CONNECT_SECONDS}
    try:
        with psycopg.connect(**parameters, autocommit=True) as database:
            postgres, pgvector = database.execute(VERSIONS).fetchone() or (0, None)
            if postgres < POSTGRES_MIN:
                raise DatabaseUnusable(
                    f"The database is PostgreSQL {postgres}, which is too old: point DATABASE_URL"
                    f" to PostgreSQL {POSTGRES_MIN} or newer."
                )
            if pgvector is None or _version(pgvector) < PGVECTOR_MIN:
                found = f"only pgvector {pgvector}" if pgvector else "no pgvector"
                raise DatabaseUnusable(
                    f"The database has {found}, which memory needs: install pgvector 0.7 or newer"
                    " on its server, or point DATABASE_URL to one that has it."
                )
            yield database
    except psycopg.OperationalError as error:
        raise DatabaseUnusable(explain(error) or str(error)) from error


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


@contextmanager
def setting_up() -> Iterator[None]:
    """One process at a time, of all machines, prepares the database."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(%s, %s)", SETUP_LOCK)
        try:
            yield
        finally:
            cursor.execute("select pg_advisory_unlock(%s, %s)", SETUP_LOCK)


def num_missing_migrations() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def migrate() -> None:
    """Bring the tables up to date. Without a need it is skipped: it takes a second even then."""
    call_command("migrate", verbosity=0, interactive=False)
