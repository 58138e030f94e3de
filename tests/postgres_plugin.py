"""A real PostgreSQL for the test run, there before Django's settings are read.

Each run has a database of its own name (`tests/conftest.py`), so that several runs at once don't
meet; those that a killed run left behind are dropped.
"""

import os
import tempfile
from pathlib import Path

import psycopg


def database_names(connection):
    rows = connection.execute("select datname from pg_database where datname like 'test_run_%'")
    return [name for (name,) in rows]


def is_running(pid):
    return Path(f"/proc/{pid}").exists()


def start():
    data_dir = Path(tempfile.gettempdir()) / f"memoryapp-tests-{os.getuid()}"
    os.environ["DATA_DIR"] = str(data_dir)
    if os.environ.get("DATABASE_URL"):
        return
    from memoryapp import embedded_postgres

    embedded_postgres.start(data_dir / "postgres", is_durable=False)
    uri = embedded_postgres.uri(data_dir / "postgres", "postgres")
    with psycopg.connect(uri, autocommit=True) as connection:
        for name in database_names(connection):
            if not is_running(int(name.rsplit("_", 1)[1].partition("_")[0])):
                connection.execute(f'drop database if exists "{name}" with (force)')


start()
