"""Many replies at once in one web process, beside the same streams taken from the model itself."""

import asyncio
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import psutil

from memoryapp.models import Chat
from tests.bench.load import Request, Stream, read_together
from tests.bench.stack import Model, Product, cpu_seconds, fake_model, person, product
from tests.bench.table import Row

TOKENS_PER_SECOND = 50
ROUNDS = 3


@dataclass(frozen=True)
class Flow:
    """What went through while all streams ran: tokens a second, and the web process's CPU."""

    tokens_per_second: float
    cpu_per_token: float = 0.0  # in microseconds


def rows(num_streams: int) -> Iterator[Row]:
    """The streams begin one after the other in the first half of the time that one takes."""
    seconds = max(8, num_streams // 5)
    name = f"fake-ttft200-tps{TOKENS_PER_SECOND}-n{TOKENS_PER_SECOND * seconds}"
    with fake_model() as model, product(model, name, "--no-worker") as web:
        chats = [chat_of_somebody_new() for _ in range(num_streams)]
        asyncio.run(read_together([web.request(*chats[0])], over_seconds=0))
        rounds = [one_round(model, name, web, chats, seconds / 2) for _ in range(ROUNDS)]
        memory = web.web.memory_info().rss / 2**20
    what = f"{num_streams} streams of {TOKENS_PER_SECOND} tokens a second in one web process"
    yield Row(
        f"{what}: tokens a second over the model's own",
        median(ours.tokens_per_second / own.tokens_per_second for own, ours in rounds),
        floor="0.99, a bare relay",
        at_least=0.85,
        margin=2,
    )
    yield Row(
        f"{what}: CPU for one token, saved and published",
        median(ours.cpu_per_token for _, ours in rounds),
        unit="µs",
        floor="60-75, relayed by Django",
        at_most=130,
    )
    yield Row("memory of that web process", memory, "MiB", "43, bare Django", at_most=200)


def chat_of_somebody_new() -> tuple[str, Chat]:
    user, key = person(uuid.uuid4().hex)
    return key, Chat.objects.create(user=user)


def one_round(
    model: Model, name: str, web: Product, chats: Sequence[tuple[str, Chat]], over_seconds: float
) -> tuple[Flow, Flow]:
    own = [model.request(name, f"Why {number}?") for number in range(len(chats))]
    ours = [web.request(key, chat) for key, chat in chats]
    return (
        asyncio.run(flow(own, over_seconds, None)),
        asyncio.run(flow(ours, over_seconds, web.web)),
    )


async def flow(
    requests: Sequence[Request], over_seconds: float, process: psutil.Process | None
) -> Flow:
    spent: list[tuple[float, float]] = []
    watching = asyncio.create_task(watch(process, spent)) if process else None
    streams = await read_together(requests, over_seconds=over_seconds)
    if watching is not None:
        watching.cancel()
    begin = max(stream.first for stream in streams)
    end = min(stream.last for stream in streams)
    if begin >= end:
        raise RuntimeError("The last stream began after the first one had ended: all is too slow.")
    tokens = tokens_between(streams, begin, end)
    during = [cpu for moment, cpu in spent if begin <= moment <= end]
    cpu = during[-1] - during[0] if during else 0.0
    return Flow(tokens / (end - begin), 1e6 * cpu / tokens)


async def watch(process: psutil.Process, spent: list[tuple[float, float]]) -> None:
    while True:
        spent.append((time.perf_counter(), cpu_seconds(process)))
        await asyncio.sleep(0.05)


def tokens_between(streams: Sequence[Stream], begin: float, end: float) -> int:
    return sum(
        tokens for stream in streams for moment, tokens in stream.arrivals if begin < moment <= end
    )
