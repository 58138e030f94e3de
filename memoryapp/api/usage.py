"""Usage: what the caller's models did and cost."""

from datetime import timedelta

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.params import Asked
from memoryapp.models import Usage
from memoryapp.schemas.people import UsageOut, UsageQuery

router = Router(tags=["me"])


@router.get("", response=list[UsageOut], summary="Tokens and cost by day and agent")
def usage_list(request: ApiRequest, asked: Asked[UsageQuery]) -> list[UsageOut]:
    """Days are those of the caller's time zone, the newest first."""
    zone = request.user.zone
    first_day = timezone.now().astimezone(zone).date() - timedelta(days=asked.days - 1)
    days = (
        Usage.objects.for_user(request.user)
        .annotate(day=TruncDate("created_at", tzinfo=zone))
        .filter(day__gte=first_day)
        .values("day", "agent")
        .annotate(
            runs=Count("pk"),
            total_input_tokens=Sum("input_tokens"),
            total_output_tokens=Sum("output_tokens"),
            total_cost=Sum("cost"),
        )
        .order_by("-day", "agent")
    )
    return [
        UsageOut(
            day=day["day"],
            agent=day["agent"],
            runs=day["runs"],
            input_tokens=day["total_input_tokens"],
            output_tokens=day["total_output_tokens"],
            cost=day["total_cost"],
        )
        for day in days
    ]
