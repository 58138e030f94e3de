from contextlib import closing, suppress
from datetime import timedelta

import psutil
import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

from memoryapp import heartbeat
from memoryapp.heartbeat import Heartbeat
from memoryapp.models import Message
from memoryapp.watchdog import give_back
from tests.processes import is_alive, manage, running, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def database_url():
    """The database of this test, for another process."""
    database = connection.settings_dict
    port = f":{database['PORT']}" if database["PORT"] else ""
    at = f"{database['USER']}:{database['PASSWORD']}@{{}}{port}/{database['NAME']}"
    host = database["HOST"]
    where = at.format("") + f"?host={host}" if host.startswith("/") else at.format(host)
    return f"postgresql://{where}"


@pytest.fixture(scope="module")
def long_running_worker(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        url = database_url()
    with running("manage.py", "worker", "--patience=1", DATABASE_URL=url) as worker:
        yield worker


@pytest.fixture
def worker(long_running_worker):
    """The worker that tests share, all its processes ready for work."""
    wait_until(lambda: len(members(long_running_worker)) == 4)
    long_running_worker.forget_printed()
    return long_running_worker


@pytest.fixture
def own_worker():
    """A worker that the test may end."""
    with running("manage.py", "worker", DATABASE_URL=database_url()) as worker:
        wait_until(lambda: len(members(worker)) == 4)
        yield worker


def members(worker):
    """The cluster's processes that have told by their titles what they do."""
    found = {}
    for child in worker.children():
        with suppress(psutil.NoSuchProcess):
            found[child] = " ".join(child.cmdline()).strip().rpartition(" ")[2]
    return {child: what for child, what in found.items() if what in ("idle", "pusher", "monitor")}


def member(worker, title):
    return next(child for child, found in members(worker).items() if found == title)


def is_done(task_id):
    return Task.objects.filter(pk=task_id, success=True).exists()


def test_worker_runs_tasks_and_shows_that_it_lives(worker):
    task = async_task("math.sqrt", 16)

    wait_until(lambda: is_done(task))
    assert Task.objects.get(pk=task).result == 4
    assert heartbeat.num_workers() == 1


def test_task_is_run_although_an_idle_process_was_killed(worker):
    member(worker, "idle").kill()
    task = async_task("math.sqrt", 16)

    wait_until(lambda: is_done(task))
    worker.wait_for("Background work has stalled (one of its processes was killed)")


def test_task_is_run_although_nobody_takes_tasks_any_more(worker):
    member(worker, "pusher").suspend()
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


def test_worker_ends_in_time_whatever_it_works_on(own_worker):
    for _ in range(2):
        async_task("time.sleep", 60)
    wait_until(lambda: "idle" not in members(own_worker).values())

    seconds, survivors = own_worker.stop()

    assert seconds < 10
    assert survivors == []
    assert heartbeat.num_workers() <= 1


def test_processes_end_with_a_killed_worker(own_worker):
    left = own_worker.children()

    own_worker.process.kill()

    wait_until(lambda: not any(is_alive(process) for process in left))


def test_worker_marks_replies_whose_process_has_died(worker, chat):
    reply = chat.add_message(Message.Role.ASSISTANT, "Half a", status=Message.Status.STREAMING)
    Message.objects.filter(pk=reply.pk).update(streaming_beat=timezone.now() - timedelta(minutes=5))

    wait_until(lambda: Message.objects.filter(status=Message.Status.INTERRUPTED).exists())
    assert Message.objects.get(pk=reply.pk).body == "Half a"


def test_task_that_was_cut_off_is_run_by_the_next_cluster(worker):
    task = async_task("time.sleep", 3)
    wait_until(lambda: OrmQ.objects.get().lock > timezone.now())
    worker.child("qcluster").kill()

    wait_until(lambda: is_done(task))
    assert Task.objects.get(pk=task).attempt_count == 1


def test_tasks_of_other_living_workers_are_left_to_them():
    lock = timezone.now() + timedelta(minutes=5)
    OrmQ.objects.create(key="memoryapp", payload="", lock=lock)
    with closing(Heartbeat()) as ours, closing(Heartbeat()) as theirs:
        ours.beat()
        theirs.beat()

        give_back()

    assert OrmQ.objects.get().lock == lock


def test_heartbeat_goes_on_after_a_lost_connection():
    before = heartbeat.num_workers()
    with closing(Heartbeat()) as beating:
        beating.beat()
        with connection.cursor() as cursor:
            pid = beating.connection.connection.info.backend_pid
            cursor.execute("select pg_terminate_backend(%s, 5000)", [pid])

        beating.beat()

        assert heartbeat.num_workers() == before + 1


@pytest.mark.parametrize("command", ["worker", "qcluster"])
def test_worker_refuses_a_pool_of_connections(command):
    outcome = manage(command, DATABASE_POOL="1", DATABASE_URL=database_url())

    assert outcome.returncode == 1
    assert "memoryapp.E001" in outcome.stderr
    assert "Unset DATABASE_POOL" in outcome.stderr
