"""What the admin's first page tells: people, chats, memory, background work, usage by day."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone
from django_q.models import Failure

from memoryapp import charts, heartbeat, queue
from memoryapp.models import Chat, Fact, Message, Passage, Resource, Usage, User

DAYS = 30
FAILURES_MOST = 5


@dataclass(frozen=True)
class Figure:
    number: int
    label: str


def context() -> dict[str, Any]:
    """All of the page in a fixed number of queries, whatever there is in the tables."""
    zone, today = timezone.get_current_timezone(), timezone.localdate()
    usage = list(Usage.objects.order_by().by_day(zone, DAYS))
    first = today - timedelta(days=DAYS - 1)
    said = Message.objects.filter(role=Message.Role.USER)
    return {
        "figures": figures(),
        "charts": [
            ("Tokens a day", charts.tokens(usage, today, DAYS)),
            ("Messages of people a day", counted(said, "created_at", first, today)),
            ("Facts learned a day", counted(Fact.objects.all(), "recorded_at", first, today)),
        ],
        "num_workers": heartbeat.num_workers(),
        "num_waiting": queue.tasks().count(),
        "num_failed": Failure.objects.count(),
        "failures": Failure.objects.order_by("-started")[:FAILURES_MOST],
        "agents": agents(usage),
    }


def figures() -> list[Figure]:
    week = timezone.now() - timedelta(days=7)
    num_active = User.objects.filter(chats__last_message_at__gte=week).distinct().count()
    num_people, num_chats = User.objects.count(), Chat.objects.count()
    num_facts, num_waiting = Fact.objects.current().count(), Fact.objects.waiting().count()
    num_passages, num_resources = Passage.objects.count(), Resource.objects.count()
    return [
        Figure(
            num_people, f"{one(num_people, 'person', 'people')}, {num_active} chatted this week"
        ),
        Figure(num_chats, one(num_chats, "chat", "chats")),
        Figure(
            num_facts,
            f"{one(num_facts, 'fact', 'facts')}, {num_waiting}"
            f" {one(num_waiting, 'waits for its owner', 'wait for their owners')}",
        ),
        Figure(
            num_passages,
            f"{one(num_passages, 'passage', 'passages')} in {num_resources}"
            f" {one(num_resources, 'resource', 'resources')}",
        ),
    ]


def one(number: int, singular: str, plural: str) -> str:
    return singular if number == 1 else plural


def counted(rows: QuerySet[Any], moment: str, first: date, last: date) -> charts.Chart:
    """Rows by the day of `moment`, in the time zone of who looks."""
    days: Callable[..., Any] = rows.order_by().annotate(day=TruncDate(moment)).values_list
    numbers = days("day").filter(day__gte=first).annotate(Count("pk"))
    return charts.by_day(numbers, last, DAYS)


def agents(usage: list[Any]) -> list[dict[str, Any]]:
    """Each agent's runs, tokens and cost of the days shown."""
    totals: dict[str, dict[str, Any]] = {}
    for day in usage:
        total = totals.setdefault(
            day["agent"], {"agent": day["agent"], "runs": 0, "tokens": 0, "cost": None}
        )
        total["runs"] += day["runs"]
        total["tokens"] += day["tokens_in"] + day["tokens_out"]
        if day["total_cost"] is not None:
            total["cost"] = (total["cost"] or 0) + day["total_cost"]
    return sorted(totals.values(), key=lambda total: total["agent"])
