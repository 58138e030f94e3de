"""Background work that goes on by itself: django-q2's cluster, watched and restarted in need.

A worker process of the cluster that is killed while idle (by the kernel, short of memory) takes
the lock of the cluster's task queue with it. The cluster replaces the process and never runs a
task again, without a word.
"""

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Event, Thread

import psutil
from django.db import Error, connection
from django.utils import timezone
from django_q.models import OrmQ, Task

from memoryapp import queue, tasks
from memoryapp.heartbeat import Heartbeat, num_workers
from memoryapp.supervisor import Child

logger = logging.getLogger(__name__)

POLL_SECONDS = 1
PATIENCE_SECONDS = 30.0
SWEEP_SECONDS = 20
EMBEDDING_SECONDS = 600  # what the embedding model was not at hand for is tried again so often
START_SECONDS = 60
STOP_SECONDS = 6  # a task that still runs then is cut off, and run again at the next start
END_SECONDS = 1


def give_back() -> None:
    """Let what a killed cluster had taken be taken again, at once instead of after `retry`.

    Not while other workers live, who may be at it; a task that ran already is safe to run twice.
    """
    if num_workers() <= 1:
        now = timezone.now()
        queue.tasks().filter(lock__gt=now).update(lock=now)


class Cluster(Child):
    """django-q2's cluster: a guard, a pusher, a monitor and the workers."""

    def __init__(self) -> None:
        super().__init__("background cluster", "manage.py", "qcluster", "--skip-checks")
        self.members: set[int] = set()
        self.has_lost_member = False

    def start(self) -> None:
        give_back()
        self.members = set()
        self.has_lost_member = False
        super().start()

    @property
    def is_starting(self) -> bool:
        return not self.members and time.monotonic() - self.started_at < START_SECONDS

    def is_working(self) -> bool:
        """Look at its processes: whether one works on a task, and whether one has gone."""
        try:
            children = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return False
        # django-q2 keeps these titles: "qcluster <name> idle", "qcluster <name> processing <task>"
        titles = {child.pid: _title(child) for child in children}
        members = {pid for pid, title in titles.items() if title.startswith("qcluster ")}
        if members and not self.members:
            logger.info("Background work has begun")
        self.has_lost_member |= bool(self.members - members)
        self.members = members
        return any(" processing " in title for title in titles.values())


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


class Watchdog:
    """It looks in a thread of its own: a database that hangs holds it up for as long, and nobody
    else."""

    def __init__(self, *, patience: float = PATIENCE_SECONDS) -> None:
        """`patience` is how many seconds a task may wait while nothing is being worked on."""
        self.patience = patience
        self.cluster = Cluster()
        self.heartbeat = Heartbeat()
        self.taken: dict[int, datetime] = {}  # what was taken when last looked at, until when
        self.progress_at = 0.0
        self.looked_at = float("inf")
        self.next_sweep = self.next_embedding = 0.0
        self.is_database_down = False
        self.is_over = Event()
        self.thread = Thread(target=self._watch, name="watchdog", daemon=True)

    def begin(self) -> None:
        """Keep background work going from now on."""
        self.thread.start()

    def end(self) -> None:
        """Look no more, and leave the cluster to whoever ends it."""
        self.is_over.set()
        if self.thread.is_alive():
            self.thread.join(END_SECONDS)

    def _watch(self) -> None:
        while not self.is_over.is_set():
            self.keep_going()
            self.is_over.wait(POLL_SECONDS)

    def keep_going(self) -> None:
        """Look once, whatever comes of it."""
        try:
            self.look()
            self.is_database_down = False
        except Error as error:
            connection.close()
            if not self.is_database_down:
                logger.warning("The database doesn't answer, trying again: %s", error)
            self.is_database_down = True
            self.sweep_later()
        except Exception:
            logger.exception("Background work can't be looked after, trying again")

    def sweep_later(self) -> None:
        """What kept this from looking kept replies from saying that they live: let them first."""
        self.next_sweep = time.monotonic() + SWEEP_SECONDS

    def look(self) -> None:
        """One round: all that may be wrong is put right."""
        was_away = self.heartbeat.beat()
        if self.cluster.process is None:
            self.cluster.start()
        self.cluster.keep_running()
        # What ran then has lost its connection, and what had been taken would wait for minutes.
        if why := "the database was away" if was_away else self.stall():
            logger.warning("Background work has stalled (%s): starting it again", why)
            self.cluster.kill()
            self.cluster.start()
        queue.drop_done()
        # The database hung, or the whole machine stood still.
        if time.time() - self.looked_at > SWEEP_SECONDS:
            self.sweep_later()
        self.looked_at = time.time()
        if time.monotonic() >= self.next_sweep:
            self.next_sweep = time.monotonic() + SWEEP_SECONDS
            sweep()
        if time.monotonic() >= self.next_embedding:
            self.next_embedding = time.monotonic() + EMBEDDING_SECONDS
            tasks.enqueue(tasks.embed_missing)

    def stall(self) -> str:
        """Why no task will be worked on any more; empty while that may still happen."""
        is_working = self.cluster.is_working()
        # Not those that are only to come a little later.
        later = timedelta(seconds=tasks.LESSON_SECONDS)
        # Read once: what is taken while this looks has not been left lying.
        rows = list(queue.tasks().filter(lock__gt=timezone.now() + later))
        taken = {row.pk: row.lock for row in rows}
        if is_working or self.cluster.is_starting or taken != self.taken:
            self.taken = taken
            self.progress_at = time.monotonic()
        if is_working:
            return ""
        if self.cluster.has_lost_member:
            return "one of its processes was killed"
        idle_for = time.monotonic() - self.progress_at
        if idle_for <= self.patience or not self.has_work(rows):
            return ""
        return f"a task waits, and none was worked on for {self.patience:g} s"

    def has_work(self, taken: Sequence[OrmQ]) -> bool:
        """Whether a task has waited too long, or one of these was taken and never run."""
        latest = timezone.now() - timedelta(seconds=self.patience)
        if queue.tasks().filter(lock__lt=latest).exists():
            return True
        if num_workers() > 1:
            return False  # another machine may have taken them
        # One that failed was run; it is only taken until it is tried again.
        ids = {row.task_id() for row in taken}
        return not ids <= set(Task.objects.filter(pk__in=ids).values_list("pk", flat=True))


def sweep() -> None:
    try:
        tasks.sweep()
    except Exception:
        logger.exception("The sweep failed and is tried again in %d s", SWEEP_SECONDS)
