"""The project's own processes, run as a person would run them."""

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection

# How much longer than on an idle machine things may take before a test waits for them in vain.
BUSY = 4


def inherited():
    """The environment of this process, without what the web server's application sets in its own:
    tests that serve it in a thread have it here."""
    return {name: value for name, value in os.environ.items() if name != "DATABASE_POOL"}


def manage(*arguments, **environment):
    """What one command printed, and its exit code."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=inherited() | environment,
        capture_output=True,
        text=True,
        timeout=BUSY * 60,
        check=False,
    )


def command_line(process):
    """How it was started, or the title it has given itself; nothing of one that is gone."""
    with suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline()).strip()
    return ""


class Running:
    """A command that runs until it is told to stop, and the lines it has printed so far."""

    def __init__(self, process, output):
        self.process = process
        self.output = output
        self.start = 0

    @property
    def printed(self):
        self.output.seek(self.start)
        return self.output.read()

    def forget_printed(self):
        self.start = self.output.seek(0, os.SEEK_END)

    def wait_for(self, text, seconds=60):
        wait_until(lambda: text in self.printed or self.process.poll() is not None, seconds)
        assert text in self.printed, self.printed

    def children(self):
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, text):
        """The first process below this one with `text` in its command line, which may just be
        starting."""
        return wait_until(lambda: [c for c in self.children() if text in command_line(c)])[0]

    def members(self, *roles):
        """The processes of its cluster that have told by their titles what they do."""
        roles = roles or ("idle", "pusher", "monitor")
        return [child for child in self.children() if command_line(child).endswith(roles)]

    def stop(self, how=signal.SIGTERM):
        """Seconds from the signal to the end, and which of its processes outlived it."""
        children = self.children()
        started_at = time.monotonic()
        self.process.send_signal(how)
        self.process.wait(BUSY * 20)
        seconds = time.monotonic() - started_at
        return seconds, [child for child in children if is_alive(child)]

    def end(self):
        left = self.children()
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        for process in (self.process, *left):
            with suppress(psutil.NoSuchProcess):
                process.kill()


@contextmanager
def running(*arguments, **environment):
    """`python` with these arguments, ended with all that it started however the test ends."""
    with (
        # Opened once more to be read: where one reads the other would write.
        tempfile.NamedTemporaryFile() as written,
        open(written.name) as output,
        subprocess.Popen(
            [sys.executable, *arguments],
            cwd=settings.BASE_DIR,
            env=inherited() | environment,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        command = Running(process, output)
        try:
            yield command
        finally:
            if process.poll() is None:
                command.end()


def database_url():
    """The database of this test, for another process."""
    database = connection.settings_dict
    port = f":{database['PORT']}" if database["PORT"] else ""
    at = f"{database['USER']}:{database['PASSWORD']}@{{}}{port}/{database['NAME']}"
    host = database["HOST"]
    where = at.format("") + f"?host={host}" if host.startswith("/") else at.format(host)
    return f"postgresql://{where}"


def wait_until(condition, seconds=60, explain=lambda: "in vain"):
    """What makes the condition true within so many seconds of an idle machine."""
    return within(BUSY * seconds, condition, explain)


def within(seconds, condition, explain=lambda: "in vain"):
    """What makes the condition true in time, which is promised however busy the machine is."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s: {explain()}"
        time.sleep(0.05)
    return found


def is_alive(process):
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def free_port():
    """One below those that the system gives out by itself, so that nobody else gets it while what
    listens there is started again."""
    while True:
        port = random.randint(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def short_folder():
    """A folder whose path leaves room for a socket's name, unlike pytest's own."""
    with tempfile.TemporaryDirectory(
        dir="/tmp", prefix="memoryapp-", ignore_cleanup_errors=True
    ) as path:
        yield Path(path)
