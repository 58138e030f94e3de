"""A long day: what the product holds stays as it is, however many turns it has seen."""

import os
import threading
import time
from collections import Counter
from contextlib import suppress

import psutil

from tests.faults.model import words
from tests.processes import wait_until

SECONDS = float(os.environ.get("SOAK_SECONDS", "30"))
PEOPLE = 4
# By then pools and allocators have grown, and the caches of queries and templates are full.
WARM_UP_TURNS = 20
MORE_BYTES = 24 * 2**20
# Tables with rows for each turn. What was done in the background is kept for a while, and all other
# tables have in the end what they had after the warm-up.
GROWING = {"memoryapp_message", "memoryapp_usage", "memoryapp_memoryevent", "django_q_task"}
TASKS_KEPT = 300


class Day:
    """People who talk in a chat each, to the end of a reply or until they stop it, and one who has
    to wait a minute for the first word."""

    def __init__(self, up):
        self.up, self.chats, self.turns, self.wrong = up, [], Counter(), []
        for n in range(PEOPLE):
            self.chats.append(up.make_chat())
            up.say(self.chats[-1], f"My number is n{n}. [[words=2]]").ended()
        self.slow = up.say(up.make_chat(), "Take your time. [[words=5 wait=60]]")

    def go_on(self, is_over):
        """Talk until `is_over(turns)` for each, and until all that follows is done."""
        people = [threading.Thread(target=self._talk, args=(c, is_over)) for c in self.chats]
        for person in people:
            person.start()
        for person in people:
            person.join()
        wait_until(lambda: self.up.num_waiting() == 0, 300)

    def _talk(self, chat, is_over):
        turns = 0
        while not is_over(turns) and not self.wrong:
            turns += 1
            self.turns[chat] += 1
            is_stopped = turns % 5 == 0
            question = self.up.say(chat, f"Turn {turns} [[words=40 pace=0.03]]")
            if is_stopped:
                wait_until(lambda question=question: question.text, 30)
                self.up.http.post(f"/messages/{question.reply}/stop").raise_for_status()
            end = question.ended()
            is_whole = question.text == words(40)
            if end != "done" or not (is_whole or is_stopped):
                self.wrong.append((end, question.text))


def private_bytes(process):
    """What a process and those below it have in memory for themselves alone."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            total += one.memory_full_info().uss
    return total


def held(up):
    return {
        "web": private_bytes(up.web),
        "worker": private_bytes(up.worker),
        "threads": up.web.num_threads(),
        "files": up.web.num_fds(),
        "connections": up.value("select count(*) from pg_stat_activity where datname='memoryapp'"),
        "notify queue": float(up.value("select pg_notification_queue_usage()")),
    }


def test_memory_connections_and_rows_stay_as_they_are(up, model, note):
    day = Day(up)
    day.go_on(lambda turns: turns >= WARM_UP_TURNS)
    early, early_rows, turns_before = held(up), up.num_rows(), day.turns.total()
    until = time.monotonic() + SECONDS
    day.go_on(lambda _: time.monotonic() > until)
    late, late_rows, turns = held(up), up.num_rows(), day.turns.total() - turns_before
    for name, before in early.items():
        note(f"{name} before and after {turns} turns", f"{before:,} {late[name]:,}")
    assert day.wrong == []
    assert (day.slow.ended(), day.slow.text) == ("done", words(5))
    for part in ("web", "worker"):
        assert late[part] - early[part] < MORE_BYTES
    for number in ("threads", "files", "connections"):
        assert late[number] <= early[number] + 8
    assert late["notify queue"] < 0.01
    new = {name: number - early_rows[name] for name, number in late_rows.items()}
    assert {name for name, number in new.items() if number} <= GROWING
    assert late_rows["django_q_task"] <= TASKS_KEPT
    said = "select role, count(*) from memoryapp_message group by role"
    by_role = dict(up.rows(said))
    assert by_role["user"] == by_role["assistant"] == day.turns.total() + PEOPLE + 1
    assert new["memoryapp_message"] <= 2.2 * turns  # the rest are summaries
    assert new["memoryapp_usage"] <= 2.2 * turns
    assert model.streaming == set()
