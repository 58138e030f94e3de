import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

from memoryapp import heartbeat, queue, supervisor
from memoryapp.models import Message
from memoryapp.watchdog import STOP_SECONDS, SWEEP_SECONDS, Watchdog
from tests.processes import database_url, running, wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Role, Status = Message.Role, Message.Status


@pytest.fixture(scope="module")
def long_running_worker(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        url = database_url()
    with running("manage.py", "worker", "--patience=1", DATABASE_URL=url) as worker:
        yield worker


@pytest.fixture
def worker(long_running_worker):
    """The worker that tests share, all its processes ready for work."""
    wait_until(lambda: len(long_running_worker.members()) == 4)
    long_running_worker.forget_printed()
    return long_running_worker


def is_done(task_id):
    return Task.objects.filter(pk=task_id, success=True).exists()


def is_taken(task_id):
    taken = OrmQ.objects.filter(lock__gt=timezone.now())
    return any(row.task_id() == task_id for row in taken)


def test_worker_runs_tasks_and_shows_that_it_lives(worker):
    task = async_task("math.sqrt", 16)

    wait_until(lambda: is_done(task))
    assert Task.objects.get(pk=task).result == 4
    assert heartbeat.num_workers() == 1


def test_task_is_run_although_idle_processes_were_killed(worker):
    # One of the two holds the lock of the cluster's queue, and takes it to the grave.
    for process in worker.members("idle"):
        process.kill()
    task = async_task("math.sqrt", 16)

    wait_until(lambda: is_done(task))
    worker.wait_for("Background work has stalled")


def test_task_is_run_although_nobody_takes_tasks_any_more(worker):
    [pusher] = worker.members("pusher")
    pusher.suspend()
    task = async_task("math.sqrt", 16)

    wait_until(lambda: is_done(task))
    assert "Background work has stalled (a task waits" in worker.printed


def test_task_is_run_although_the_whole_cluster_was_killed(worker):
    worker.child("qcluster").kill()
    worker.wait_for("The background cluster was ended by SIGKILL; starting it again")
    task = async_task("math.sqrt", 16)

    wait_until(lambda: is_done(task))


def test_long_task_is_left_alone_while_others_wait(worker):
    for _ in range(3):
        async_task("time.sleep", 4)

    wait_until(lambda: Task.objects.filter(success=True).count() == 3)
    assert "stalled" not in worker.printed


def test_task_that_is_taken_while_the_watchdog_looks_is_left_alone():
    watchdog = Watchdog(patience=0.01)
    assert watchdog.stall() == ""
    time.sleep(0.02)
    taken = []

    def take_one_meanwhile(execute, *query):
        result = execute(*query)
        if not taken:
            taken.append(True)
            async_task("math.sqrt", 16)
            OrmQ.objects.update(lock=timezone.now() + timedelta(minutes=5))
        return result

    with connection.execute_wrapper(take_one_meanwhile):
        assert watchdog.stall() == ""
    assert watchdog.stall() == ""
    time.sleep(0.02)
    assert "a task waits" in watchdog.stall()


def test_worker_marks_replies_whose_process_has_died(worker, chat):
    reply = chat.add_message(Role.ASSISTANT, "Half a", status=Status.STREAMING)
    Message.objects.filter(pk=reply.pk).update(streaming_beat=timezone.now() - timedelta(minutes=5))

    wait_until(lambda: Message.objects.filter(status=Status.INTERRUPTED).exists())
    assert Message.objects.get(pk=reply.pk).body == "Half a"


def test_replies_may_first_show_that_they_live_when_nobody_could_look_for_long(chat, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database_url())
    watchdog, minutes = Watchdog(), timedelta(minutes=5)
    try:
        watchdog.look()
        reply = chat.add_message(Role.ASSISTANT, "Half a", status=Status.STREAMING)
        Message.objects.filter(pk=reply.pk).update(streaming_beat=timezone.now() - minutes)
        watchdog.looked_at -= minutes.total_seconds()
        watchdog.next_sweep = 0
        watchdog.look()
        assert watchdog.next_sweep - time.monotonic() > SWEEP_SECONDS / 2
        assert Message.objects.get(pk=reply.pk).status == Status.STREAMING
        watchdog.next_sweep = 0
        watchdog.look()
        assert Message.objects.get(pk=reply.pk).status == Status.INTERRUPTED
    finally:
        supervisor.stop([watchdog.cluster], seconds=STOP_SECONDS)
        watchdog.heartbeat.close()


def test_task_that_was_cut_off_is_run_by_the_next_cluster(worker):
    task = async_task("time.sleep", 3)
    wait_until(lambda: is_taken(task))
    worker.child("qcluster").kill()

    wait_until(lambda: is_done(task))
    assert Task.objects.get(pk=task).attempt_count == 1


def test_of_the_tasks_that_are_done_the_latest_are_kept(worker):
    now = timezone.now()
    for age in range(queue.DONE_KEPT + 20):
        at = now - timedelta(minutes=age)
        name = f"task{age}"
        Task.objects.create(id=name, name=name, func="f", started=at, stopped=at, success=True)
    Task.objects.create(id="old", name="old", func="f", started=at, stopped=at, success=False)

    wait_until(lambda: not Task.objects.filter(pk=name).exists())
    assert Task.objects.count() == queue.DONE_KEPT + 1
    assert Task.objects.filter(pk__in=["old", "task0"]).count() == 2
