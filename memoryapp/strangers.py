"""Whether a request comes from somebody who has no account here, told before its body is taken."""

from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest

from memoryapp.accounts import holder_of
from memoryapp.models import ApiKey
from memoryapp.patience import AWAY, in_database


async def is_from_stranger(scope: Any) -> bool:
    """Whether neither a key nor a session that is valid comes along. While the database is away
    nobody is a stranger."""
    try:
        return not await in_database(_is_known, scope)
    except AWAY:
        return False


def _is_known(scope: Any) -> bool:
    request = ASGIRequest(scope, BytesIO())
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return ApiKey.objects.holding(secret.strip()).exists()
    return holder_of(request.COOKIES.get(settings.SESSION_COOKIE_NAME)).is_authenticated
