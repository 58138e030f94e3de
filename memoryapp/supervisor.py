"""Child processes that are kept running, each in a process group with all that it starts."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from signal import Signals

from django.conf import settings

logger = logging.getLogger(__name__)

SETTLED_SECONDS = 60  # a process that ran this long starts again without delay to speak of
LONGEST_DELAY = 30  # seconds
PR_SET_PDEATHSIG = 1  # from Linux's <sys/prctl.h>
# Loaded before any fork: another thread may hold what loading needs, for ever as the child sees it.
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Child:
    """One process, started by `start` and again by `keep_running` whenever it has ended."""

    def __init__(self, name: str, *arguments: str) -> None:
        """`arguments` are what follows `python` on the command line."""
        self.name = name
        self.arguments = arguments
        self.process: subprocess.Popen[bytes] | None = None
        self.started_at = 0.0
        self.restart_at: float | None = None
        self.num_failures = 0
        self.is_over = False

    def start(self) -> None:
        """Start the process, unless it was asked to end."""
        if self.is_over:
            return
        # A session of its own keeps a terminal's Ctrl-C from it: the parent says when to stop.
        self.process = subprocess.Popen(
            [sys.executable, *self.arguments],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_stop_with_parent if LIBC else None,
        )
        self.started_at = time.monotonic()
        self.restart_at = None

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    @property
    def exit_code(self) -> int | None:
        """None while the process runs; negative when a signal ended it."""
        return self.process.poll() if self.process else None

    def keep_running(self) -> None:
        """Start the process again if it has ended; later each time that it ends soon after."""
        now = time.monotonic()
        if self.exit_code is None:
            return
        if self.restart_at is None:
            self.kill()
            has_settled = now - self.started_at > SETTLED_SECONDS
            self.num_failures = 1 if has_settled else self.num_failures + 1
            delay = min(2 ** (self.num_failures - 1), LONGEST_DELAY)
            self.restart_at = now + delay
            logger.warning("%s; starting it again in %d s", self.describe_end(), delay)
        elif now >= self.restart_at:
            self.start()
            logger.info("The %s has been started again", self.name)

    def describe_end(self) -> str:
        code = self.exit_code or 0
        how = f"ended with code {code}" if code >= 0 else f"was ended by {Signals(-code).name}"
        return f"The {self.name} {how}"

    def terminate(self) -> None:
        """Ask the process to end, for good; it is expected to end what it started."""
        self.is_over = True
        if self.process:
            self.process.terminate()

    def kill(self) -> None:
        """End the process and whatever is left of its group, at once."""
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def stop(children: Sequence[Child], *, seconds: float) -> None:
    """Ask all children to end, and kill those that are still there after so many seconds."""
    for child in children:
        child.terminate()
    deadline = time.monotonic() + seconds
    while any(child.pid and child.exit_code is None for child in children):
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    for child in children:
        child.kill()


def stop_on_signals() -> None:
    """Let SIGTERM and a closed terminal interrupt this process as Ctrl-C does."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


def ignore_signals() -> None:
    """Let nothing interrupt the stopping, which takes seconds at most."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _stop_with_parent() -> None:
    """Have the kernel end this process should its parent be killed without a chance to."""
    assert LIBC is not None
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
