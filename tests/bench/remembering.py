"""Recall and the ledger, for one person with 10,000 memories and for one with few."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

from memoryapp.memory import embeddings, ledger, recall
from memoryapp.models import Fact, User
from tests.bench import seeds
from tests.bench.table import Row

# What a person is asked, and the word of theirs that answers it.
KNOWN = {
    "Where do I live?": ("city", "I live in Graz in the south of Austria"),
    "What is my dog called?": ("dog", "my dog is called Bruno"),
    "Which editor do I use?": ("editor", "I write code in the editor Helix"),
    "What am I allergic to?": ("allergy", "I am allergic to peanuts and hazelnuts"),
    "Who is my dentist?": ("dentist", "my dentist is Doctor Weber"),
}


def rows() -> Iterator[Row]:
    big = User.objects.create_user("big")
    seeds.facts(big, 5000)
    chat = seeds.chat_of(big, 2500)
    questions = [seeds.sentence(number) for number in range(3, 33)]
    embeddings.prepare()
    yield Row(
        "a question through the embedding model: how fast the machine is just now",
        1000 * median(timed(partial(embeddings.embed_query, each)) for each in questions),
        unit="ms",
        floor="4, with nothing beside",
    )
    times = [timed(partial(recall.recall, big, chat, question)) for question in questions]
    yield Row(
        "recall over 10,000 memories of one person, embedding included",
        1000 * median(times[5:]),
        unit="ms",
        floor="12, embedding and SQL",
        at_most=20,
    )
    yield Row("a small person's facts beside a big one's: found among five", found(), at_least=5)
    yield Row(
        "adding a memory, at 10,000 (5,000 facts) over at 10",
        adding(big) / adding(somebody_with(10)),
        floor="1",
        at_most=1.2,
        margin=2,
    )


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def found() -> int:
    small = User.objects.create_user("small")
    seeds.facts(small, 35)
    for key, value in KNOWN.values():
        Fact.objects.create(user=small, key=key, value=value, origin="user", actor="small")
    embeddings.fill(Fact.objects.filter(user=small), lambda fact: fact.text)
    return sum(
        any(answer in memory.text for memory in recall.search(small, question, limit=5))
        for question, (_, answer) in KNOWN.items()
    )


def somebody_with(num_facts: int) -> User:
    user = User.objects.create_user(f"has-{num_facts}")
    seeds.facts(user, num_facts)
    return user


def adding(user: User) -> float:
    add = partial(ledger.remember, user=user, table="fact", actor=user.username, origin="user")
    return median(
        timed(partial(add, key=f"new_{number}", value=f"the new thing number {number}"))
        for number in range(30)
    )
