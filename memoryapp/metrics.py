"""What `/metrics` tells, in Prometheus's text format.

All of it is read from the database, so that whichever web process is asked tells of all of them,
and counting costs no reply anything. What is deleted counts no more, so these numbers may fall:
they are gauges, for PromQL's `delta` and not its `rate`. How replies went is told of those that
were begun within the last minutes. No person, chat or text is in any of it.
"""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate

from django.db import connection
from django.db.models import Count, Q, Sum
from django.utils import timezone
from django_q.models import Failure

from memoryapp import heartbeat, queue, writers
from memoryapp.memory import indexing
from memoryapp.models import Chat, Fact, Message, Usage, User

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
KEPT_SECONDS = 10  # however many ask, the database is asked so often at most
WINDOW = timedelta(minutes=5)
WITHIN = "within the last five minutes"
# Milliseconds. Recall is given up after 300, and a local model may take a minute to read.
RECALL_BOUNDS = (10, 25, 50, 100, 200, 300, 500)
FIRST_TOKEN_BOUNDS = (100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000)

_kept: tuple[float, str] = (float("-inf"), "")


@dataclass(frozen=True)
class Metric:
    name: str
    help: str
    samples: dict[str, float]  # by what follows the name: suffix and labels
    type: str = "gauge"

    def __str__(self) -> str:
        lines = [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} {self.type}"]
        lines += [f"{self.name}{which} {value:.15g}" for which, value in self.samples.items()]
        return "\n".join(lines) + "\n"


def text() -> str:
    """All metrics, at most a few seconds old. Call it in one thread only."""
    global _kept
    told_at, told = _kept
    if time.monotonic() - told_at > KEPT_SECONDS:
        told = "".join(map(str, collected()))
        _kept = time.monotonic(), told
    return told


def collected() -> Iterator[Metric]:
    yield from rows()
    yield from replies()
    yield from background()
    yield from spent()


def one(name: str, help: str, value: float) -> Metric:
    return Metric(f"memoryapp_{name}", help, {"": value})


def rows() -> Iterator[Metric]:
    yield one("people", "People who have an account.", User.objects.count())
    yield one("chats", "Chats.", Chat.objects.count())
    yield one("messages", "Messages of all branches, summaries too.", Message.objects.count())
    yield one("facts", "Facts that hold now.", Fact.objects.current().count())
    with connection.cursor() as cursor:
        cursor.execute("select pg_database_size(current_database())")
        yield one("database_bytes", "What the database takes on its disk.", cursor.fetchone()[0])


def replies() -> Iterator[Metric]:
    yield one("web_processes", "Processes that write replies.", len(writers.living()))
    streams = Message.objects.streaming().count()
    yield one("streams", "Replies that are being written.", streams)
    # By their chats, of which there are few: no index has the times of all messages.
    since = timezone.now() - WINDOW
    begun = Message.objects.filter(
        role=Message.Role.ASSISTANT, created_at__gte=since, chat__last_message_at__gte=since
    )
    took = "receipt__milliseconds__"
    recent = list(begun.values_list("status", f"{took}first_token", f"{took}recall"))
    counted = Counter(status for status, _, _ in recent)
    yield Metric(
        "memoryapp_recent_replies",
        f"Replies begun {WITHIN}, by how they stand.",
        {f'{{status="{status}"}}': counted[status] for status in Message.Status.values},
    )
    yield histogram(
        "recent_first_token_seconds",
        f"From the message to the first token, of replies begun {WITHIN}.",
        [first_token for _, first_token, _ in recent],
        FIRST_TOKEN_BOUNDS,
    )
    yield histogram(
        "recent_recall_seconds",
        f"How long recall took, of replies begun {WITHIN}.",
        [recall for _, _, recall in recent],
        RECALL_BOUNDS,
    )


def histogram(
    name: str, help: str, milliseconds: Iterable[int | None], bounds: tuple[int, ...]
) -> Metric:
    """A distribution, in seconds. It is of a window, so its quantiles need no `rate`."""
    values = [value for value in milliseconds if value is not None]
    places = Counter(bisect_left(bounds, value) for value in values)
    cumulated = list(accumulate(places[place] for place in range(len(bounds) + 1)))
    ends = [*(f"{bound / 1000:g}" for bound in bounds), "+Inf"]
    buckets = {f'_bucket{{le="{end}"}}': n for end, n in zip(ends, cumulated, strict=True)}
    totals = {"_sum": sum(values) / 1000, "_count": len(values)}
    return Metric(f"memoryapp_{name}", help, buckets | totals, "histogram")


def background() -> Iterator[Metric]:
    yield one("workers", "Workers that are alive.", heartbeat.num_workers())
    yield one("tasks_waiting", "Tasks in the queue, taken ones too.", queue.tasks().count())
    seconds = queue.longest_wait().total_seconds()
    yield one("task_wait_seconds", "How long the oldest task that is due has waited.", seconds)
    failed = Failure.objects.count()
    yield one("tasks_failed", "Tasks that failed, until they are dealt with.", failed)
    # Of another model's vectors the doctor tells: to look for them reads every row.
    backlog = indexing.num_behind(Q(embedding=None))
    yield one("embedding_backlog", "Texts that have no vector yet.", backlog)


def spent() -> Iterator[Metric]:
    """What the agents' models took, of everybody who has an account."""
    agents = (
        Usage.objects.order_by("agent")
        .values("agent")
        .annotate(
            runs=Count("pk"),
            tokens_in=Sum("input_tokens"),
            tokens_out=Sum("output_tokens"),
            total_cost=Sum("cost"),
        )
    )
    runs, tokens, costs = dict[str, float](), dict[str, float](), dict[str, float]()
    for each in agents:
        label = f'agent="{each["agent"]}"'
        runs[f"{{{label}}}"] = each["runs"]
        tokens[f'{{{label},direction="in"}}'] = each["tokens_in"]
        tokens[f'{{{label},direction="out"}}'] = each["tokens_out"]
        costs[f"{{{label}}}"] = float(each["total_cost"] or 0)
    yield Metric("memoryapp_agent_runs", "Runs of agents on record.", runs)
    yield Metric("memoryapp_tokens", "Tokens of these runs.", tokens)
    yield Metric("memoryapp_cost_dollars", "What they cost, where that is known.", costs)
