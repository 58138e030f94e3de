"""`manage.py up`: everything on this machine, in one terminal, until Ctrl-C."""

import argparse
import fcntl
import logging
import os
import secrets
import socket
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from memoryapp import checks, database, embedded_postgres, probe, supervisor
from memoryapp.database import DatabaseUnusable
from memoryapp.embedded_postgres import PostgresError
from memoryapp.memory import embedder, embeddings
from memoryapp.models import User
from memoryapp.supervisor import Child
from memoryapp.watchdog import POLL_SECONDS, Watchdog

logger = logging.getLogger(__name__)

START_SECONDS = 60
POSTGRES_SECONDS = 5  # between two tries to start it again
STOP_SECONDS = 7.5  # a web process saves its replies within five
STOP_MODEL_SECONDS = 1
CLOSE_SECONDS = 2  # for requests that are still being answered
SILENT_SECONDS = 30  # before one of several web processes is taken for dead, and ended


class Command(BaseCommand):
    help = "Run everything on this machine: PostgreSQL, web and worker. Ctrl-C stops it all."
    requires_system_checks = (checks.TAG,)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.HOST, help="address (default: %(default)s)")
        parser.add_argument(
            "--port", type=int, default=settings.PORT, help="port (default: %(default)s)"
        )
        parser.add_argument(
            "--workers", type=int, default=1, help="web processes (default: %(default)s)"
        )
        parser.add_argument(
            "--no-worker", action="store_true", help="leave background work to other machines"
        )

    def handle(
        self, *, host: str, port: int, workers: int, no_worker: bool, **options: Any
    ) -> None:
        _check_port(host, port)
        os.environ["PORT"] = str(port)  # the address that the children tell follows from it
        if settings.IS_POSTGRES_EMBEDDED:
            self.lock = _only_one(settings.DATA_DIR / "up.lock")  # held while this process lives
        web = _web(host, port, workers)
        # Private, as those are that Python makes, and short, as a socket's path has to be.
        folder = tempfile.TemporaryDirectory(prefix="memoryapp-", dir="/tmp")
        model = _embedding_model(Path(folder.name) / "embedder")
        # In this process, which has what a worker needs: one of its own would take 60 MB more.
        watchdog = None if no_worker else Watchdog()
        supervisor.stop_on_signals()
        try:
            for child in model:
                child.start()
            _prepare()
            _start(web, host, port)
            if watchdog:
                watchdog.begin()
            _keep_running([*model, web])
        except KeyboardInterrupt:
            logger.info("Stopping")
        except (DatabaseUnusable, PostgresError) as error:
            raise CommandError(str(error)) from error
        finally:
            _stop(web, watchdog, model)
            folder.cleanup()
        logger.info("Stopped")


def _check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except (OSError, OverflowError) as error:
            raise CommandError(
                f"Port {port} of {host} can't be used ({getattr(error, 'strerror', error)}):"
                f" stop what uses it, or choose another port, as in `PORT={port + 1} make run`."
            ) from error


def _only_one(path: Path) -> IO[str]:
    """An open file whose lock says that everything runs with the data in its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    except OSError as error:
        raise CommandError(
            f"{path} can't be written ({error.strerror}): set DATA_DIR to a folder of your own."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise CommandError(
            f"It runs already with the data in {path.parent}:"
            " stop it there, or set DATA_DIR to another folder."
        ) from error
    return lock


def _web(host: str, port: int, workers: int) -> Child:
    arguments = [f"--host={host}", f"--port={port}", f"--workers={workers}", "--no-server-header"]
    arguments += ["--no-access-log", "--log-level=warning"]
    arguments += [f"--timeout-graceful-shutdown={CLOSE_SECONDS}"]
    arguments += [f"--timeout-worker-healthcheck={SILENT_SECONDS}"]
    return Child("web server", "-m", "uvicorn", "config.asgi:application", *arguments)


def _embedding_model(path: Path) -> list[Child]:
    """The process that has the built-in embedding model for all that are started after this call.

    None if another model is set. Should `manage.py reembed` go back to the built-in one, each
    process loads it for itself until the next start.
    """
    if settings.EMBEDDING_MODEL != embeddings.MINILM:
        return []
    os.environ[embedder.SOCKET] = str(path)
    return [Child("embedding model", "-m", "memoryapp.memory.minilm", str(path))]


def _prepare() -> None:
    """Have a database that answers, with tables as they should be and somebody to sign in."""
    if settings.IS_POSTGRES_EMBEDDED:
        logger.info("Starting PostgreSQL in %s", settings.EMBEDDED_POSTGRES_DIR)
        embedded_postgres.start(settings.EMBEDDED_POSTGRES_DIR)
    database.check()
    with database.setting_up():
        if num_steps := database.num_missing_migrations():
            logger.info("Preparing the database (%d steps)", num_steps)
            database.migrate()
        _ensure_administrator()
    connections.close_all()


def _ensure_administrator() -> None:
    """Make the first person, whose password is told here and never again."""
    if not User.objects.exists():
        password = secrets.token_urlsafe(12)
        User.objects.create_superuser("admin", password=password)
        logger.info("The first administrator is made. User: admin  Password: %s", password)
        logger.info("This password isn't shown again; change it after signing in.")


def _start(web: Child, host: str, port: int) -> None:
    """Start the web server and wait until it answers; the worker would only slow it down, and says
    for itself when it has begun."""
    logger.info("Starting the %s", web.name)
    web.start()
    deadline = time.monotonic() + START_SECONDS
    while not probe.answers(probe.reached_at(host), port):
        if web.exit_code is not None:
            raise CommandError(f"{web.describe_end()} before it answered: see the lines above.")
        if time.monotonic() > deadline:
            raise CommandError(f"The {web.name} didn't answer within {START_SECONDS} s.")
        time.sleep(0.05)
    address = settings.SITE_URL.replace(f"//localhost:{settings.PORT}", f"//localhost:{port}")
    logger.info("Ready to chat: %s  (Ctrl-C stops it)", address)


def _keep_running(children: Sequence[Child]) -> None:
    while True:
        if settings.IS_POSTGRES_EMBEDDED:
            _keep_postgres_running(settings.EMBEDDED_POSTGRES_DIR)
        for child in children:
            child.keep_running()
        time.sleep(POLL_SECONDS)


def _keep_postgres_running(data_dir: Path) -> None:
    if embedded_postgres.is_stopping(data_dir):
        embedded_postgres.stop(data_dir)
    if embedded_postgres.postmaster(data_dir):
        return
    logger.warning("PostgreSQL has ended; starting it again")
    try:
        embedded_postgres.start(data_dir)
        logger.info("PostgreSQL has been started again")
    except (PostgresError, psycopg.OperationalError) as error:
        # As long as its disk is full, say. Nothing that is done by hand needs a restart after it.
        logger.error("%s Trying again in %d s", error, POSTGRES_SECONDS)
        time.sleep(POSTGRES_SECONDS)


def _stop(web: Child, watchdog: Watchdog | None, model: Sequence[Child]) -> None:
    supervisor.ignore_signals()
    if watchdog:
        watchdog.end()
    supervisor.stop([web, *([watchdog.cluster] if watchdog else [])], seconds=STOP_SECONDS)
    supervisor.stop(model, seconds=STOP_MODEL_SECONDS)  # after those who ask it
    if settings.IS_POSTGRES_EMBEDDED:
        embedded_postgres.stop(settings.EMBEDDED_POSTGRES_DIR)
