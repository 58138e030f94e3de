from contextlib import closing
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ

from memoryapp.heartbeat import Heartbeat
from memoryapp.views import health
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def living_worker():
    with closing(Heartbeat()) as heartbeat:
        heartbeat.beat()
        yield heartbeat


def make_task(age):
    OrmQ.objects.create(key="memoryapp", payload="", lock=timezone.now() - age)


def test_healthz_asks_nothing_of_the_database(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/healthz")

    assert (response.status_code, response.content) == (200, b"ok\n")


def test_readyz_is_fine_with_a_worker_and_a_short_queue(client, living_worker):
    make_task(age=timedelta(minutes=1))

    response = client.get("/readyz")

    assert response.status_code == 200
    assert response.json() == dict.fromkeys(
        ["database", "migrations", "worker", "queue", "embedder"], "ok"
    )


def test_readyz_says_that_no_worker_is_alive(client):
    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["worker"] == "no worker is alive: start `manage.py worker`"
    assert response.json()["queue"] == "ok"


def test_readyz_says_how_long_a_task_has_waited(client, living_worker):
    make_task(age=timedelta(minutes=10))

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["queue"] == "a task has waited for 600 s"


def test_readyz_says_that_the_database_hangs_and_is_fine_again_after_it(
    client, living_worker, monkeypatch
):
    monkeypatch.setattr(health, "ANSWER_SECONDS", 0.2)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("lock table django_migrations in access exclusive mode")
        hanging = [client.get("/readyz") for _ in range(2)]
    wait_until(lambda: client.get("/readyz").status_code == 200)

    assert [each.status_code for each in hanging] == [503, 503]
    silent = "it didn't answer within 4 s"
    assert hanging[0].json() == {"database": "ok", "migrations": silent}
    assert hanging[1].json() == {"database": silent}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_nothing_can_be_sent_to_a_health_check(client, path):
    assert client.post(path).status_code == 405
