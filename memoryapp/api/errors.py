"""What a program is told when something can't be done: always a sentence and a code."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    ObjectDoesNotExist,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError,
)
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import HttpError
from ninja.errors import ValidationError as ParameterError

from memoryapp.patience import AWAY, is_full
from memoryapp.replies import DATABASE_AWAY
from memoryapp.turns import ReplyStreaming, TooManyReplies

logger = logging.getLogger(__name__)
NOT_FOUND = "There is nothing with this id or at this address, or it isn't yours."
DATABASE_FULL = (
    "The database has no room left on its disk, so this was not saved. An administrator must make "
    "room; then try again."
)
BUS_AWAY = (
    "Redis can't be reached, through which the servers tell each other what happens. A message "
    "that was sent is saved and answered all the same: read its chat in a minute. If it happens "
    "often, an administrator should look at Redis."
)
SENTENCES = {
    400: ("bad_request", "The body is not valid JSON. Send one JSON object."),
    401: ("not_signed_in", "Sign in, or send an API key as 'Authorization: Bearer <key>'."),
}
# Errors of a whole body, where there is no field to name.
BODY_ERRORS = {"missing", "model_type", "model_attributes_type"}
CONFLICTS = {"id_taken"}
SHOWN_ERRORS = 3


class ApiError(HttpError):
    """An answer of our own: raise it anywhere below a view."""

    def __init__(
        self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail)
        self.code = code
        self.headers = headers


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused, in whatever shape the program is told."""

    status: int
    code: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)
    param: str | None = None  # the field of the body that is wrong


def answer(refusal: Refusal) -> HttpResponse:
    told = {"detail": refusal.detail, "code": refusal.code}
    return JsonResponse(told, status=refusal.status, headers=refusal.headers)


def own_error(error: ApiError) -> Refusal:
    return Refusal(error.status_code, error.code, error.message, error.headers or {})


def library_error(error: HttpError) -> Refusal:
    return Refusal(error.status_code, *SENTENCES[error.status_code])


def not_found(error: Exception) -> Refusal:
    return Refusal(404, "not_found", NOT_FOUND)


def too_large(error: RequestDataTooBig) -> Refusal:
    return Refusal(413, "too_large", "The body is too large. Send less at once.")


def unreadable(error: Exception) -> Refusal:
    return Refusal(400, "bad_request", "The request could not be read. Check how it is encoded.")


def database_away(error: Exception) -> Refusal:
    logger.error("The database doesn't answer: %s", error)
    if is_full(error):
        return Refusal(503, "database_full", DATABASE_FULL, {"Retry-After": "60"})
    return Refusal(503, "database_away", DATABASE_AWAY, {"Retry-After": "10"})


def bus_away(error: Exception) -> Refusal:
    logger.error("Redis doesn't answer: %s", error)
    return Refusal(503, "bus_away", BUS_AWAY, {"Retry-After": "10"})


def still_streaming(error: ReplyStreaming) -> Refusal:
    return Refusal(409, "reply_streaming", str(error))


def too_many_replies(error: TooManyReplies) -> Refusal:
    return Refusal(429, "too_many_replies", str(error), {"Retry-After": "10"})


def invalid_parameters(error: ParameterError) -> Refusal:
    sentences = [sentence(found) for found in error.errors[:SHOWN_ERRORS]]
    param = ".".join(map(str, path_of(error.errors[0]))) or None
    return Refusal(422, "invalid", " ".join(dict.fromkeys(sentences)), param=param)


def sentence(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors as a sentence that names the field."""
    names = path_of(error)
    if not names and error["type"] in BODY_ERRORS:
        return "The body must be one JSON object."
    where = ".".join(map(str, names))
    if error["type"] == "missing":
        return f"{where} is missing."
    if error["type"] == "extra_forbidden":
        return f"There is no field {where!r} here."
    return f"{where}: {error['msg'].removeprefix('Value error, ').rstrip('.')}."


def path_of(error: Mapping[str, Any]) -> list[str | int]:
    """Where one of pydantic's errors is, as whoever sent it knows the place."""
    source, *path = error["loc"]
    names: list[str | int] = path[1:] if source == "body" else path
    return names


def refused(error: ValidationError) -> Refusal:
    """A rule of the models or of memory was broken."""
    code = getattr(error, "code", None) or "invalid"
    if hasattr(error, "error_dict"):
        detail = " ".join(f"{name}: {' '.join(said)}" for name, said in error.message_dict.items())
    else:
        detail = " ".join(error.messages)
    return Refusal(409 if code in CONFLICTS else 422, code, detail)


REFUSALS: dict[type[Exception], Callable[[Any], Refusal]] = {
    ApiError: own_error,
    HttpError: library_error,
    Http404: not_found,
    ObjectDoesNotExist: not_found,  # deleted by somebody else in this very moment
    RequestDataTooBig: too_large,
    SuspiciousOperation: unreadable,
    MultiPartParserError: unreadable,
    ReplyStreaming: still_streaming,
    TooManyReplies: too_many_replies,
    **dict.fromkeys(AWAY, database_away),
    ParameterError: invalid_parameters,
    ValidationError: refused,
}


def why_refused(error: Exception) -> Refusal:
    """What to tell of an error of one of the kinds in REFUSALS."""
    kind = next(kind for kind in type(error).__mro__ if kind in REFUSALS)
    return REFUSALS[kind](error)


def install(api: NinjaAPI, answer: Callable[[Refusal], HttpResponse] = answer) -> None:
    """Have `api` answer whatever goes wrong below its views, in the shape that `answer` gives."""
    refusals = dict(REFUSALS)
    if settings.REDIS_URL:
        from redis import RedisError

        refusals[RedisError] = bus_away
    for kind, refusal_of in refusals.items():
        api.add_exception_handler(kind, _handler(refusal_of, answer))


def _handler(
    refusal_of: Callable[[Any], Refusal], answer: Callable[[Refusal], HttpResponse]
) -> Callable[[HttpRequest, Any], HttpResponse]:
    def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        response = answer(refusal_of(error))
        if response.status_code == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response

    return handle
