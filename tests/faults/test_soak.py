"""A long day: what the product holds stays as it is, however many turns it has seen."""

import os
import threading
import time
from collections import Counter

from tests.faults.model import words

SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
PEOPLE = 6
# Python's allocator and the caches of compiled queries and templates settle in the first third.
MORE_BYTES = 40 * 2**20


def held(up):
    """What is held now: memory of each part, connections, and rows that are to go again."""
    parts = {"web": up.web, "worker": up.worker}
    memory = {
        name: sum(p.memory_info().rss for p in [part, *part.children(recursive=True)])
        for name, part in parts.items()
    }
    return {
        **memory,
        "connections": up.value(
            "select count(*) from pg_stat_activity where datname = 'memoryapp'"
        ),
        "tasks kept": up.value("select count(*) from django_q_task"),
        "notify queue": float(up.value("select pg_notification_queue_usage()")),
        "threads": up.web.num_threads(),
    }


def test_memory_connections_and_rows_stay_as_they_are(up, model, note):
    until, turns, failed = time.monotonic() + SECONDS, Counter(), []

    def talk(n):
        chat = up.make_chat()
        while time.monotonic() < until and not failed:
            question = up.say(chat, f"Turn {n} {turns[n]} [[words=30 pace=0.01]]")
            if question.ended() != "done" or question.text != words(30):
                failed.append((question.end, question.text))
            turns[n] += 1

    people = [threading.Thread(target=talk, args=(n,)) for n in range(PEOPLE)]
    for person in people:
        person.start()
    time.sleep(SECONDS / 3)
    early = held(up)
    for person in people:
        person.join()
    late = held(up)
    note("turns", turns.total())
    note("early", early)
    note("late", late)
    assert failed == []
    for part in ("web", "worker"):
        assert late[part] - early[part] < MORE_BYTES, (early, late)
    assert late["connections"] <= early["connections"] + 4
    assert late["threads"] <= early["threads"] + 8
    assert late["tasks kept"] <= 300
    assert late["notify queue"] < 0.01
    assert up.num_streaming() == 0
