"""A backup: the database and the secret key that belongs to it, in one file."""

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from memoryapp import embedded_postgres

KEY, DUMP = "secret_key", "database.dump"
KEY_BEFORE = "secret_key.before"  # the one that was here, in case it is missed
OTHERS = """
    select count(*) from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
# Tables that only a newer version has must not stay beside those of the backup. pgvector does, for
# not everybody who owns a database may install it.
BEFORE = b"""
begin;
alter schema public rename to before_restore;
create schema public;
do $$ begin
    if exists (select from pg_extension where extname = 'vector') then
        alter extension vector set schema public;
    end if;
end $$;
"""
AFTER = b"""
drop schema before_restore cascade;
commit;
"""
# PostgreSQL 15 and 16 don't know what the pg_restore of 18 sets first.
UNKNOWN_BEFORE_17 = b"SET transaction_timeout = 0;\n"
HEAD_BYTES = 4096

Process: TypeAlias = "subprocess.Popen[bytes]"


class BackupError(Exception):
    """It can't be done; the text says why and what to do."""


def make(path: Path) -> None:
    """Write a backup to `path`, which only its owner may read, whole or not at all.

    Everything may go on meanwhile: it holds what was there when it was begun. Raises BackupError
    and PostgresError.
    """
    if path.exists():
        raise BackupError(f"{path} exists already. Name another file.")
    try:
        with TemporaryDirectory(dir=path.parent) as folder, _server():
            unfinished, dump = Path(folder) / "unfinished", Path(folder) / DUMP
            key = Path(folder) / KEY
            key.write_text(settings.SECRET_KEY)
            _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={dump}")
            with tarfile.open(unfinished, "w") as archive:
                archive.add(key, KEY)
                archive.add(dump, DUMP)
            unfinished.chmod(0o600)
            unfinished.rename(path)
    except OSError as error:
        raise BackupError(f"{path} can't be written: {error.strerror}.") from error


def restore(path: Path) -> str:
    """Put what a backup holds in the place of everything that is here; "" or what else to do.

    The database is as it was before until all of it is there. Raises BackupError and PostgresError.
    """
    with TemporaryDirectory() as folder, _server():
        _unpack(path, Path(folder))
        with connection.cursor() as cursor:
            cursor.execute(OTHERS)
            if others := cursor.fetchone()[0]:
                raise BackupError(
                    f"The database is in use ({others} connections). Stop the web server and the "
                    "worker first."
                )
        connection.close()
        _replace_database(Path(folder) / DUMP)
        return _replace_key((Path(folder) / KEY).read_text())


def _unpack(path: Path, folder: Path) -> None:
    try:
        with tarfile.open(path, "r:") as archive:
            for name in (KEY, DUMP):
                packed = archive.extractfile(name)
                if packed is None:
                    raise KeyError(name)
                with (folder / name).open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked)
    except (tarfile.TarError, KeyError) as error:
        raise BackupError(f"{path} is no backup, or a damaged one. Name another file.") from error
    except OSError as error:
        raise BackupError(f"{path} can't be read: {error.strerror}.") from error


def _replace_database(dump: Path) -> None:
    """In one transaction, which is committed only when all of the dump has been read."""
    reader = [str(embedded_postgres.program_folder() / "pg_restore")]
    reader += ["--no-owner", "--no-privileges", "--file=-", str(dump)]
    psql = _begin("psql", "--no-psqlrc", "--quiet", "--output=/dev/null", "--set=ON_ERROR_STOP=1")
    with psql, subprocess.Popen(reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reading:
        with suppress(BrokenPipeError):  # it has failed, and tells why
            _feed(psql, reading)
        reading.kill()
        _, said = psql.communicate()
        _, also_said = reading.communicate()
    if psql.returncode or reading.returncode:
        why = _line(said or also_said)
        raise BackupError(f"Nothing was changed, for the backup can't be restored: {why}")


def _feed(psql: Process, reading: Process) -> None:
    assert psql.stdin is not None
    assert reading.stdout is not None
    psql.stdin.write(BEFORE)
    psql.stdin.write(reading.stdout.read(HEAD_BYTES).replace(UNKNOWN_BEFORE_17, b""))
    shutil.copyfileobj(reading.stdout, psql.stdin)
    if reading.wait() == 0:
        psql.stdin.write(AFTER)


def _replace_key(key: str) -> str:
    if key == settings.SECRET_KEY:
        return ""
    kept = settings.DATA_DIR / KEY
    if not kept.exists() or kept.read_text().strip() != settings.SECRET_KEY:
        return f"Set SECRET_KEY to the backup's, which is the member {KEY} of it (a tar file)."
    kept.rename(settings.DATA_DIR / KEY_BEFORE)
    kept.touch(mode=0o600)
    kept.write_text(key)
    return ""


@contextmanager
def _server() -> Iterator[None]:
    """The embedded PostgreSQL, started for as long as it is needed unless it runs already."""
    is_ours = settings.IS_POSTGRES_EMBEDDED and embedded_postgres.start(
        settings.EMBEDDED_POSTGRES_DIR
    )
    try:
        yield
    finally:
        connection.close()
        if is_ours:
            embedded_postgres.stop(settings.EMBEDDED_POSTGRES_DIR)


def _run(program: str, *arguments: str) -> None:
    with _begin(program, *arguments) as process:
        try:
            _, said = process.communicate()
        finally:
            process.kill()  # which runs still if this was interrupted
    if process.returncode:
        raise BackupError(f"The database can't be read: {_line(said)}")


def _begin(program: str, *arguments: str) -> Process:
    """One of PostgreSQL's programs, connected to the database that is set up."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    given = connection.get_connection_params().items()
    where = {name: value for name, value in given if name in known}
    # Whoever lists the machine's processes sees what they were started with.
    password = str(where.pop("password", ""))
    return subprocess.Popen(
        [
            str(embedded_postgres.program_folder() / program),
            *arguments,
            f"--dbname={make_conninfo(**where)}",
        ],
        env=embedded_postgres.environment() | ({"PGPASSWORD": password} if password else {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _line(said: bytes) -> str:
    return " ".join(said.decode(errors="replace").split()) or "it says nothing."
