import shutil
import subprocess
from contextlib import closing
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone
from django_q.models import OrmQ, Task

from memoryapp.doctor import work
from memoryapp.heartbeat import Heartbeat
from memoryapp.memory import embeddings, indexing
from memoryapp.models import EmbeddingChoice, Fact
from tests.factories import failed_task, make_fact
from tests.processes import free_port, wait_until

pytestmark = pytest.mark.django_db

embedding = partial(work.embedding, asks=True)


def test_without_redis_the_bus_is_well(said):
    assert said(work.bus) == [("ok", "PostgreSQL's NOTIFY.")]


def test_a_redis_that_is_away_is_a_problem_until_it_is_there(said, settings):
    port = free_port()
    settings.REDIS_URL = f"redis://:secret@127.0.0.1:{port}/0"

    [(level, says)] = said(work.bus)

    assert level == "problem"
    assert "Connection refused" in says
    assert "secret" not in says
    if not shutil.which("redis-server"):
        pytest.skip("redis-server isn't installed")
    settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: said(work.bus) == [("ok", "Redis answers.")], 10)
        finally:
            server.terminate()


def test_what_is_no_address_of_a_redis_is_a_problem_and_not_repeated(said, settings):
    settings.REDIS_URL = "host:secret"

    [(level, says)] = said(work.bus)

    assert level == "problem"
    assert "can't be used (no such address)" in says
    assert "secret" not in says


def test_a_worker_is_alive_or_none_is(said):
    [(level, says)] = said(work.worker)
    with closing(Heartbeat()) as heartbeat:
        heartbeat.beat()
        alive = said(work.worker)

    assert (level, says.split(",")[0]) == ("problem", "None is alive")
    assert alive == [("ok", "One is alive.")]


def test_tasks_that_are_done_soon_are_well(said):
    OrmQ.objects.create(key="memoryapp", payload="", lock=timezone.now() - timedelta(minutes=1))

    assert said(work.tasks) == [("ok", "None waits too long, and none failed within a day.")]


def test_a_task_that_waits_too_long_is_told(said):
    OrmQ.objects.create(key="memoryapp", payload="", lock=timezone.now() - timedelta(minutes=10))

    [(level, says)] = said(work.tasks)

    assert (level, says.split(":")[0]) == ("warning", "A task has waited for 600 s")


def test_tasks_that_failed_lately_are_told_by_their_names(said):
    failed_task()

    [(level, says)] = said(work.tasks)

    assert level == "warning"
    assert says.startswith("1 failed within a day (title): see at /admin/ why")
    assert "The model refused." not in says  # which may hold somebody's words
    Task.objects.update(stopped=timezone.now() - timedelta(days=2))
    assert [level for level, _ in said(work.tasks)] == ["ok"]


def test_texts_without_a_vector_or_with_another_models_are_told(said, ada):
    make_fact(ada, "city", "Graz")

    [(level, says)] = said(embedding)

    assert level == "warning"
    assert says.startswith("1 texts have no vector of minilm yet")
    indexing.index_facts(Fact.objects.all())
    assert said(embedding) == [("ok", "minilm, and all texts have their vectors.")]
    Fact.objects.update(embedding_model="another")
    assert [level for level, _ in said(embedding)] == ["warning"]


def test_an_embedding_model_that_cannot_be_used_is_a_problem_if_it_is_asked(
    said, settings, monkeypatch
):
    settings.EMBEDDING_MODEL = "ollama:nomic-embed-text"
    settings.OLLAMA_BASE_URL = "http://127.0.0.1:1/v1"
    monkeypatch.setattr("pydantic_ai.models.ALLOW_MODEL_REQUESTS", True)

    [(level, says)] = said(embedding)

    assert level == "problem"
    assert says.startswith("The embedding model ollama:nomic-embed-text can't be used")
    assert says.endswith("memory is found by its words alone.")
    assert [level for level, _ in said(partial(work.embedding, asks=False))] == ["ok"]
    assert embeddings.model_name() == "ollama:nomic-embed-text"


def test_a_setting_that_counts_no_more_since_another_model_was_chosen_is_told(said, settings):
    settings.EMBEDDING_MODEL = "ollama:nomic-embed-text"
    EmbeddingChoice.objects.create(model="minilm", previous="ollama:nomic-embed-text")

    [(level, says)] = said(embedding)

    assert level == "ok"
    assert says.startswith(
        "minilm, which `manage.py reembed` has chosen, so EMBEDDING_MODEL counts"
    )
