"""What the models of a person's agents cost."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar, Protocol, Self
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models.functions import TruncDate
from django.utils import timezone

from memoryapp.models.accounts import User
from memoryapp.models.chats import Chat


class AgentRun(Protocol):
    """What a finished run of an agent tells of itself."""

    @property
    def model(self) -> str: ...
    @property
    def input_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def milliseconds(self) -> int: ...
    @property
    def cost(self) -> Decimal | None: ...


class UsageQuerySet(models.QuerySet["Usage"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def by_day(self, zone: ZoneInfo, days: int) -> Iterable[Mapping[str, Any]]:
        """Runs, tokens and cost by day of `zone` and agent, the newest day first; today counts."""
        first = timezone.now().astimezone(zone).date() - timedelta(days=days - 1)
        return (
            self.annotate(day=TruncDate("created_at", tzinfo=zone))
            .filter(day__gte=first)
            .values("day", "agent")
            .annotate(
                runs=models.Count("pk"),
                tokens_in=models.Sum("input_tokens"),
                tokens_out=models.Sum("output_tokens"),
                total_cost=models.Sum("cost"),
            )
            .order_by("-day", "agent")
        )

    def record(self, *, user: User, chat: Chat | None, agent: str, run: AgentRun) -> None:
        """Note a run; one that was about several chats has none."""
        self.create(
            user=user,
            chat=chat,
            agent=agent,
            model=run.model,
            input_tokens=run.input_tokens,
            output_tokens=run.output_tokens,
            cost=run.cost,
            milliseconds=run.milliseconds,
        )


class Usage(models.Model):
    """One run of one agent."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="usage")
    chat = models.ForeignKey(Chat, models.SET_NULL, null=True, related_name="usage")
    agent = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField("cost in US dollars", max_digits=12, decimal_places=6, null=True)
    milliseconds = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = UsageQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "usage"
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            # Serves the usage page and GET /usage: one person's runs by day.
            models.Index(fields=["user", "created_at"], name="usage_by_user_and_day"),
        ]

    def __str__(self) -> str:
        return f"{self.agent} with {self.model}: {self.input_tokens} in, {self.output_tokens} out"
