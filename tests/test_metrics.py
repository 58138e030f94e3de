"""What Prometheus reads, by its own reader of the format."""

import re
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from channels.layers import get_channel_layer
from django.conf import settings as configured
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ
from prometheus_client.parser import text_string_to_metric_families

from memoryapp import metrics, replies
from memoryapp.agents import llm
from memoryapp.heartbeat import Heartbeat
from memoryapp.models import Message, Usage
from memoryapp.patience import in_database
from memoryapp.views import metrics as view
from tests.api.callers import AsyncCaller, secret_of
from tests.factories import failed_task, make_chat, make_fact
from tests.fakes import says
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

HERE = {"SERVER_NAME": "localhost"}  # as a program on this machine asks


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    """What was told in an earlier test is not told again."""
    monkeypatch.setattr(metrics, "_kept", (float("-inf"), ""))


def families(client):
    response = client.get("/metrics", **HERE)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return list(text_string_to_metric_families(response.content.decode()))


def numbers(client):
    """By name, or name and the values of labels."""
    return {
        " ".join((sample.name.removeprefix("memoryapp_"), *sample.labels.values())): sample.value
        for family in families(client)
        for sample in family.samples
    }


@pytest.fixture
async def a_turn(ada):
    """Ada asks, and is answered."""
    caller = AsyncCaller(await in_database(secret_of, ada))
    with llm.override({"talker": says("Good ", "day.", pause=0.15)}):
        response = await caller("POST", "/chat", {"message": "Good day to you."})
        await replies.drain()
    await get_channel_layer().flush()
    assert response.status_code == 200


async def test_a_turn_is_counted_with_how_long_it_took_and_what_it_cost(a_turn, client):
    told = await in_database(numbers, client)
    spent = await Usage.objects.aget(agent="talker")

    assert (told["people"], told["chats"], told["messages"], told["streams"]) == (1, 1, 2, 0)
    assert (told["recent_replies complete"], told["recent_replies failed"]) == (1, 0)
    assert told["recent_first_token_seconds_count"] == told["recent_recall_seconds_count"] == 1
    assert told["recent_first_token_seconds_sum"] >= 0.15
    assert told["recent_first_token_seconds_bucket 0.1"] == 0
    assert told["recent_first_token_seconds_bucket 60"] == 1
    assert told["agent_runs talker"] == 1
    assert told["tokens talker in"] == spent.input_tokens > 0
    assert told["tokens talker out"] == spent.output_tokens > 0


def test_a_reply_counts_by_how_it_stands_while_it_is_recent(client, ada):
    chat = make_chat(ada, "Hello", "Good day", "And now?")
    chat.add_message(Message.Role.ASSISTANT, "Well", status=Message.Status.STREAMING)
    first = chat.messages.get(body="Good day")
    Message.objects.filter(pk=first.pk).update(created_at=timezone.now() - metrics.WINDOW)

    told = numbers(client)

    assert (told["streams"], told["recent_replies streaming"]) == (1, 1)
    assert told["recent_replies complete"] == 0


def test_background_work_is_told(client, ada, monkeypatch):
    monkeypatch.setattr(metrics, "KEPT_SECONDS", 0)
    make_fact(ada, "city", "Graz")
    failed_task()
    OrmQ.objects.create(key="memoryapp", payload="", lock=timezone.now() - timedelta(seconds=90))
    without = numbers(client)
    with closing(Heartbeat()) as heartbeat:
        heartbeat.beat()
        with_worker = numbers(client)

    assert (without["workers"], with_worker["workers"]) == (0, 1)
    assert without["tasks_failed"] == 1
    assert without["tasks_waiting"] == OrmQ.objects.count() == 2  # one is the fact's
    assert 90 <= without["task_wait_seconds"] < 120
    assert (without["facts"], without["embedding_backlog"]) == (1, 1)
    assert without["database_bytes"] > 1_000_000


def test_a_value_at_the_end_of_a_bucket_belongs_to_it():
    told = metrics.histogram("some_seconds", "Some.", [100, 101, 250, 9000, None], (100, 250))

    assert [told.samples[f'_bucket{{le="{end}"}}'] for end in ("0.1", "0.25", "+Inf")] == [1, 3, 4]
    assert (told.samples["_sum"], told.samples["_count"]) == (9.451, 4)


def test_each_number_is_described_once_and_names_nobody(client, ada, chat):
    make_fact(ada, "city", "Graz")

    told = families(client)

    assert len({family.name for family in told}) == len(told) > 10
    for family in told:
        assert family.name.startswith("memoryapp_")
        assert family.documentation.endswith(".")
        assert {name for sample in family.samples for name in sample.labels} <= {
            "status", "le", "agent", "direction",
        }  # fmt: skip


def test_each_metric_and_no_other_stands_in_the_docs(client):
    text = (Path(configured.BASE_DIR) / "docs" / "metrics.md").read_text()
    rows = "".join(line for line in text.splitlines(keepends=True) if line.startswith("| `"))

    assert set(re.findall("memoryapp_[a-z_]+", rows)) == {
        family.name for family in families(client)
    }


def test_however_many_ask_the_database_is_asked_once_in_a_while(client, ada, monkeypatch):
    before = numbers(client)["chats"]
    make_chat(ada, "Hello")

    assert numbers(client)["chats"] == before
    monkeypatch.setattr(metrics, "KEPT_SECONDS", 0)
    assert numbers(client)["chats"] == before + 1


ELSEWHERE = {"REMOTE_ADDR": "192.168.1.7"}


@pytest.mark.parametrize(
    "where",
    [
        {**HERE, **ELSEWHERE},
        {**HERE, "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {**HERE, "HTTP_X_FORWARDED_FOR": "unknown", "REMOTE_ADDR": "unknown"},
        {**HERE, "HTTP_X_FORWARDED_PROTO": "https"},
        {**HERE, "HTTP_FORWARDED": "for=127.0.0.1"},
        {"SERVER_NAME": "testserver"},  # a name, as a page that was led to it would send
    ],
)
def test_from_elsewhere_nothing_is_told_without_the_token(client, settings, where):
    for settings.METRICS_TOKEN in ("", "a-long-token"):
        for sent in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer a-long-toke"}):
            response = client.get("/metrics", headers=sent, **where)

            assert response.status_code == 401
            assert response.headers["WWW-Authenticate"] == "Bearer"
            assert response.content.decode() == view.NOT_FOR_ALL


def test_from_elsewhere_the_token_opens_it(client, settings):
    settings.METRICS_TOKEN = "a-long-token"
    sent = {"Authorization": "Bearer a-long-token"}

    response = client.get("/metrics", headers=sent, **ELSEWHERE)

    assert response.status_code == 200
    assert b"memoryapp_people 0" in response.content


def test_nothing_can_be_sent_to_it(client):
    assert client.post("/metrics", **HERE).status_code == 405


def test_a_database_that_hangs_is_told_and_waited_for_no_longer(client, monkeypatch):
    monkeypatch.setattr(view, "ANSWER_SECONDS", 0.2)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("lock table memoryapp_user in access exclusive mode")
        response = client.get("/metrics", **HERE)

    assert response.status_code == 503
    assert response.content.decode() == view.SILENT
    wait_until(lambda: client.get("/metrics", **HERE).status_code == 200)
