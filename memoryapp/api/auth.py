"""Who is calling: the holder of a key, or a person signed in to the pages."""

import logging
import time
from datetime import timedelta

from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer, SessionAuth
from ninja.utils import check_csrf

from memoryapp.api.errors import ApiError
from memoryapp.models import ApiKey, User

logger = logging.getLogger(__name__)

# Five a second, counted per person and process: enough for any client that waits for answers,
# and it keeps a loop gone wild from taking the server away from everybody else.
REQUESTS_PER_MINUTE = 300
LAST_USED_EVERY = timedelta(minutes=1)
LACKING_SCOPE = {
    "read": (
        "key_only_writes",
        "This API key may only write. Use one with the scope 'read'.",
    ),
    "write": (
        "key_only_reads",
        "This API key may only read. Use one with the scope 'write'.",
    ),
}


class ApiRequest(HttpRequest):
    """A request that was let in."""

    user: User
    auth: ApiKey | User


class KeyRequest(ApiRequest):
    auth: ApiKey


class Key(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> ApiKey:
        key = ApiKey.objects.holding(token).select_related("user").first()
        if key is None:
            raise ApiError(
                401,
                "key_not_valid",
                "This API key is unknown, was revoked or has expired. Make a new one.",
            )
        self.check(key, request)
        count_request(key.user)
        note_use(key)
        request.user = key.user
        return key

    def check(self, key: ApiKey, request: HttpRequest) -> None:
        check_scope(key, "read" if request.method == "GET" else "write")


class AnyKey(Key):
    """Lets in each key, where the method doesn't tell what it is to be used for."""

    def check(self, key: ApiKey, request: HttpRequest) -> None:
        pass


def check_scope(key: ApiKey, scope: str) -> None:
    """Raise a 403 unless the key may be used for that."""
    if scope not in key.scopes:
        raise ApiError(403, *LACKING_SCOPE[scope])


class Session(SessionAuth):
    def __call__(self, request: HttpRequest) -> User | None:
        # Before the CSRF check, or a stranger would hear of a token instead of signing in.
        if not isinstance(request.user, User):
            return None
        if check_csrf(request) is not None:
            raise ApiError(
                403, "csrf_failed", "Send the session's CSRF token in the header X-CSRFToken."
            )
        count_request(request.user)
        return request.user


def count_request(user: User) -> None:
    """Raise a 429 once somebody has used up this minute."""
    now = time.time()
    counter = f"api-requests:{user.pk}:{now // 60:.0f}"
    try:
        cache.add(counter, 0, timeout=120)
        num_requests = cache.incr(counter)
    except Exception as error:  # noqa: BLE001 - each cache has errors of its own
        logger.warning("Requests can't be counted, so none is refused: %s", error)
        return
    if num_requests > REQUESTS_PER_MINUTE:
        wait = 60 - int(now % 60)
        raise ApiError(
            429,
            "too_many_requests",
            f"At most {REQUESTS_PER_MINUTE} requests a minute. Wait {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )


def note_use(key: ApiKey) -> None:
    now = timezone.now()
    if key.last_used_at is None or key.last_used_at < now - LAST_USED_EVERY:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
