"""How fast the worker learns: what a job costs, and how many wait for their model at once."""

import json
import urllib.request
import uuid
from collections.abc import Iterator, Sequence
from datetime import timedelta

import psutil
from django.utils import timezone

from memoryapp import tasks
from memoryapp.models import Chat, Fact, Message, User
from tests.bench.prompts import wait_for_worker
from tests.bench.stack import Model, Product, cpu_seconds, fake_model, product
from tests.bench.table import Row

FIRST_JOBS, JOBS = 20, 300
MANY_AT_ONCE = {"BACKGROUND_CALLS": "100"}  # as for a provider; this model is on this machine
SLOW = "fake-ttft1000"  # it answers after a second


def rows() -> Iterator[Row]:
    """Jobs of as many people, each of a turn that teaches one fact."""
    with fake_model() as model, product(model, "fake", **MANY_AT_ONCE) as everything:
        learn(FIRST_JOBS)  # for which each process loads what it needs
        spent = -worker_seconds(everything)
        learn(JOBS)
        spent += worker_seconds(everything)
        if Fact.objects.count() < FIRST_JOBS + JOBS:
            raise RuntimeError("Not all was learned, so these figures would mean nothing.")
    yield Row(
        "finished extraction jobs a second and core, model at 0 ms", JOBS / spent, at_least=40
    )
    with fake_model() as model, product(model, SLOW, **MANY_AT_ONCE):
        learn(FIRST_JOBS)
        learn(JOBS)
        most = most_waiting(model)
    yield Row(
        "jobs that wait for a model of 1 s at once, in one worker machine", most, at_least=100
    )


def most_waiting(model: Model) -> int:
    """For how many answers at once the model has been waited for, at most."""
    with urllib.request.urlopen(f"{model.url}/most") as answer:
        return int(json.load(answer))


def learn(num_jobs: int) -> None:
    """Wait until a chat of each of so many people is learned from."""
    users = [User(username=uuid.uuid4().hex) for _ in range(num_jobs)]
    User.objects.bulk_create(users)
    chats = [Chat(user=user) for user in users]
    Chat.objects.bulk_create(chats)
    Message.objects.bulk_create(turns(chats))
    due = timezone.now() + timedelta(seconds=5)  # as what is to be learned is, at one moment
    for chat in chats:
        tasks.enqueue(tasks.extract, chat.pk, due=due)
    wait_for_worker()


def turns(chats: Sequence[Chat]) -> Iterator[Message]:
    for number, chat in enumerate(chats):
        body = f"[[learn job_{number}=value{number}]]"
        said = Message(chat=chat, user=chat.user, role=Message.Role.USER, body=body)
        yield said
        role = Message.Role.ASSISTANT
        yield Message(chat=chat, user=chat.user, role=role, body="I see.", parent=said)


def worker_seconds(everything: Product) -> float:
    """CPU that the worker has used: its processes together, and `up`, which looks after them."""
    cluster, up = everything.up.child("qcluster"), psutil.Process(everything.up.process.pid)
    return sum(map(cpu_seconds, [up, cluster, *cluster.children(recursive=True)]))
