"""Usage: what the caller's models did and cost."""

from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.api.params import Asked
from memoryapp.models import Usage
from memoryapp.schemas.people import UsageOut, UsageQuery

router = Router(tags=["me"])


@router.get("", response=list[UsageOut], summary="Tokens and cost by day and agent")
def usage_list(request: ApiRequest, asked: Asked[UsageQuery]) -> list[UsageOut]:
    """Days are those of the caller's time zone, the newest first."""
    usage = Usage.objects.for_user(request.user).by_day(request.user.zone, asked.days)
    return [
        UsageOut(
            day=day["day"],
            agent=day["agent"],
            runs=day["runs"],
            input_tokens=day["tokens_in"],
            output_tokens=day["tokens_out"],
            cost=day["total_cost"],
        )
        for day in usage
    ]
