"""What one person waits for: the first token, the pages, the start."""

import asyncio
import time
from collections.abc import Iterator
from statistics import median

from django.test import Client

from memoryapp.models import Chat, User
from tests.bench import seeds
from tests.bench.load import Request, read
from tests.bench.stack import AT_ONCE, Model, Product, person
from tests.bench.table import Row

ROUNDS = 25


def first_token(model: Model, web: Product) -> Iterator[Row]:
    """Of somebody with 1,000 memories, in a chat of 10 turns and in one of 1,000."""
    user, key = person("waiting")
    seeds.facts(user, 1000)
    short, long = seeds.chat_of(user, 10), seeds.chat_of(user, 1000)
    requests = (
        model.request(AT_ONCE),
        web.request(key, short, seeds.sentence(42)),
        web.request(key, long, seeds.sentence(42)),
    )
    rounds = [[waited(request) for request in requests] for _ in range(ROUNDS + 3)][3:]
    own, at_10, at_1000 = (median(column) for column in zip(*rounds, strict=True))
    yield Row(
        "added time to first token, turn 1,000 over turn 10",
        (at_1000 - own) / (at_10 - own),
        floor="1",
        at_most=1.15,
        margin=2,
    )
    yield Row(
        "added time to first token, 1,000 memories and a chat of 1,000 turns",
        at_1000 - own,
        unit="ms",
        floor="9, embedding, SQL and relay",
        at_most=25,
    )


def waited(request: Request) -> float:
    return asyncio.run(read(request)).first_token_ms


def pages() -> Iterator[Row]:
    user = User.objects.create_user("reader")
    long = seeds.chat_of(user, 500, kept=1000)
    Chat.objects.bulk_create(Chat(user=user, title=f"Chat {number}") for number in range(500))
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    for what, path in (
        ("a page with 1,000 messages", f"/chats/{long.pk}/"),
        ("the list of 500 chats", "/chats/"),
    ):
        yield Row(f"{what}, server time", served(client, path), unit="ms", at_most=150)


def served(client: Client, path: str) -> float:
    times = []
    for _ in range(6):
        started = time.perf_counter()
        status = client.get(path).status_code
        times.append(1000 * (time.perf_counter() - started))
        if status != 200:
            raise RuntimeError(f"{path} is answered with {status}.")
    return median(times[1:])
