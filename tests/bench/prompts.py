"""What a long chat sends to its models while the person teaches: how much, how often, how alike."""

import asyncio
import json
import os.path
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean, median
from typing import Any

import psutil
from django_q.models import OrmQ

from memoryapp.models import Chat, Fact
from tests.bench.load import read
from tests.bench.model import num_tokens
from tests.bench.seeds import sentence
from tests.bench.stack import Model, Product, person
from tests.bench.table import Row

# Nobody asks faster than this. On a busy machine the worker would fall behind, and what is
# condensed and learned too late would be measured instead of what it takes.
TASKS_BEHIND = 50  # ten turns
REPLY = "fake-ttft0-tps0-n120"  # about 700 characters
LATE_QUESTION, LATE_ANSWER = "What is my thing_3?", "value3"  # see `question`
EARLY, AROUND = 50, 24  # and so many turns before and after: a few rounds of condensing


def rows(model: Model, everything: Product, num_turns: int) -> Iterator[Row]:
    """One chat of so many turns, one after the other; each third one teaches a fact."""
    user, key = person("talker")
    asyncio.run(read(everything.request(key, Chat.objects.create(user=user))))
    wait_for_worker()  # which has loaded what it needs then
    chat = Chat.objects.create(user=user)
    model.asked()
    for number in range(num_turns):
        asyncio.run(read(everything.request(key, chat, question(number))))
        wait_for_worker(but_for=TASKS_BEHIND)
    wait_for_worker()
    asked = model.asked()
    asyncio.run(read(everything.request(key, chat, LATE_QUESTION)))
    came_back = LATE_ANSWER in json.dumps(model.asked()[0]["messages"])
    talker = [request for request in asked if request.get("stream")]
    background = [request for request in asked if not request.get("stream")]
    if not Fact.objects.for_user(user).exists():
        raise RuntimeError("Nothing was learned, so these figures would mean nothing.")
    yield from of_talker(talker)
    yield Row(
        "a fact told in turn 3 comes back after the last one", came_back, at_least=1, margin=1
    )
    yield Row("model calls before the first token", len(talker) / num_turns, floor="1", at_most=1)
    yield Row(
        "model calls a turn, learning, titles and summaries included",
        len(asked) / num_turns,
        floor="1",
        at_most=1.4,
        margin=2,
    )
    yield Row(
        "prompt tokens a turn in the background",
        sum(map(num_tokens, background)) / num_turns,
        unit="tokens",
        at_most=900,
        margin=2,
    )
    yield Row("`manage.py up` to its first page", everything.seconds_to_start, "s", at_most=4)
    yield Row("memory of all processes but PostgreSQL's", memory(everything), "MiB", at_most=600)


def question(number: int) -> str:
    """Something new, and now and then something of which was spoken long ago."""
    asks = f"Tell me what to do with it, for {sentence(number if number % 5 else number // 2)}."
    return f"{asks} [[learn thing_{number}=value{number}]]" if number % 3 == 0 else asks


def of_talker(requests: Sequence[dict[str, Any]]) -> Iterator[Row]:
    tokens = [num_tokens(request) for request in requests]
    last, early = mean(tokens[-2 * AROUND :]), mean(tokens[EARLY - AROUND : EARLY + AROUND])
    yield Row(
        f"prompt tokens, turn {len(requests):,} over turn {EARLY}",
        last / early,
        floor="1",
        at_most=1.05,
        margin=1.5,
    )
    sent = [json.dumps([request.get("tools"), request["messages"]]) for request in requests]
    same = [len(os.path.commonprefix(pair)) for pair in pairwise(sent)]
    yield Row(
        "part of a prompt that is the beginning of the next one, byte by byte",
        median(length / len(last) for length, last in zip(same, sent, strict=False)),
        floor="(n-1)/n",
        at_least=0.9,
        margin=1.5,
    )
    yield Row(
        "part of a prompt that was the beginning of the last one",
        median(length / len(this) for length, this in zip(same, sent[1:], strict=True)),
    )


def wait_for_worker(seconds: float = 300, but_for: int = 0) -> None:
    """Until no more than `but_for` tasks are left."""
    deadline = time.monotonic() + seconds
    while OrmQ.objects.count() > but_for:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{OrmQ.objects.count()} tasks are still waiting.")
        time.sleep(0.2)


def memory(everything: Product) -> float:
    """Proportional set sizes in MiB, so that what forks share counts once."""
    processes = [psutil.Process(everything.up.process.pid), *everything.up.children()]
    ours = [process for process in processes if "python" in process.name() or is_ours(process)]
    return float(sum(process.memory_full_info().pss for process in ours)) / 2**20


def is_ours(process: psutil.Process) -> bool:
    return not any("postgres" in part for part in process.cmdline()[:1])
