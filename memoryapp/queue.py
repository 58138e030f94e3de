"""django-q2's queue as background work uses it: tasks for later, and many taken at once."""

import logging
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Min, QuerySet
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.models import OrmQ, Success, Task
from django_q.monitor import save_task
from django_q.tasks import async_task

logger = logging.getLogger("memoryapp.tasks")

# How far into the queue calls of a task are looked for: each reply brings five tasks, and a chat
# that goes on quickly asks for the same several times.
TASKS_OF_A_REPLY, TIMES = 5, 20
DONE_KEPT = 250  # of the tasks that are done, for an administrator to see
AGAIN_SECONDS = 1

Call = tuple[str, ...]  # what a task is called with


class Later(ORM):
    """The queue, into which tasks are put that are taken when they are due and not before."""

    def __init__(self, due: datetime) -> None:
        super().__init__()
        self.due = due

    def enqueue(self, task: str) -> Any:
        return self.get_connection().create(key=self.list_key, payload=task, lock=self.due).pk


def tasks() -> "QuerySet[OrmQ]":
    """Those that wait, whose `lock` has passed, and those that are taken."""
    rows: QuerySet[OrmQ] = OrmQ.objects.filter(key=settings.Q_CLUSTER["name"])
    return rows


def longest_wait() -> timedelta:
    """How long the oldest task that is due has waited; zero if none is."""
    oldest = tasks().aggregate(oldest=Min("lock"))["oldest"]
    return max(timezone.now() - oldest, timedelta(0)) if oldest else timedelta(0)


def enqueue(task: Callable[..., None], *ids: Any, due: datetime | None = None) -> None:
    """Hand a task to the worker, which takes it up at once, or when it is due. It is a row of the
    current transaction, so that neither what was saved nor what follows from it is ever there
    without the other."""
    async_task(task, *map(str, ids), broker=Later(due or timezone.now()))


def take(task: Callable[..., None], own: Call, *, most: int) -> dict[Call, list[OrmQ]]:
    """Take calls of this task that wait, as the cluster takes them: the own one, where it is asked
    for once more, and of others so many, the oldest first; each with all rows that ask for it.

    What failed before is left to the cluster, which notes how it ends this time.
    """
    waiting = tasks().filter(lock__lt=timezone.now())
    rows = waiting.order_by("pk")[: TASKS_OF_A_REPLY * (most + TIMES)]
    found = [row for row in rows if row.task.get("func") is task]
    tried = set(Task.objects.filter(pk__in=map(OrmQ.task_id, found)).values_list("pk", flat=True))
    calls: dict[Call, list[OrmQ]] = defaultdict(list)
    for row in found:
        if row.task_id() not in tried:
            calls[tuple(row.args())].append(row)
    chosen = {own: calls.pop(own, [])} | dict(islice(calls.items(), most))
    ours = _lock(waiting, chain.from_iterable(chosen.values()))
    taken = {call: [row for row in rows if row.pk in ours] for call, rows in chosen.items()}
    return {call: rows for call, rows in taken.items() if rows}


def _lock(waiting: Any, rows: Iterable[OrmQ]) -> set[int]:
    """Those of the rows that nobody else has taken meanwhile."""
    due = timezone.now() + timedelta(seconds=settings.Q_CLUSTER["retry"])
    with transaction.atomic():
        free = waiting.filter(pk__in=[row.pk for row in rows]).select_for_update(skip_locked=True)
        ours = set(free.values_list("pk", flat=True))
        _these(ours).update(lock=due)
    return ours


def done(rows: Sequence[OrmQ]) -> None:
    """Drop what was taken: it is done."""
    _these(row.pk for row in rows).delete()


def in_a_moment() -> datetime:
    """When what somebody else was at is tried again."""
    return timezone.now() + timedelta(seconds=AGAIN_SECONDS)


def put_back(rows: Sequence[OrmQ]) -> None:
    """Let what was taken be taken again in a moment."""
    _these(row.pk for row in rows).update(lock=in_a_moment())


def failed(rows: Sequence[OrmQ], error: Exception) -> None:
    """Note that what was taken failed, as the cluster does: for an administrator to see, and to be
    tried again after a while, so many times."""
    result = f"{error} : {''.join(traceback.format_exception(error))}"
    for row in rows:
        logger.error("Failed '%s' (%s) - %s", row.func(), row.name(), result)
        ended = {"success": False, "result": result, "stopped": timezone.now(), "ack_id": row.pk}
        # Else it closes connections that are old, and with this one its locks would be gone.
        with transaction.atomic():
            save_task({**row.task, **ended, "sync": True}, ORM())


def drop_done() -> None:
    """Keep no more than the latest of the tasks that are done."""
    kept = Success.objects.order_by("-stopped").values("pk")[:DONE_KEPT]
    Success.objects.exclude(pk__in=kept).delete()


def _these(keys: Iterable[int]) -> Any:
    return OrmQ.objects.filter(pk__in=list(keys))
