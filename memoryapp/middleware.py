"""What holds for the whole request of a signed-in person: their zone, language and session."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.utils import timezone, translation

from memoryapp.accounts import note_visit


def is_signed_in(request: HttpRequest) -> bool:
    return request.user.is_authenticated


def person(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated:
            return get_response(request)
        user, asked_for = request.user, translation.get_language()
        with timezone.override(user.zone), translation.override(user.language):
            response = get_response(request)
        response.headers.setdefault("Content-Language", user.language)
        if user.language != asked_for:  # it is asked for where nobody can tell who it is, too
            name, age = settings.LANGUAGE_COOKIE_NAME, settings.LANGUAGE_COOKIE_AGE
            response.set_cookie(name, user.language, max_age=age, samesite="Lax")
        if not is_signed_in(request):  # any more: drafts must not outlast a session
            response.headers["Clear-Site-Data"] = '"storage"'
        return response

    return middleware


def last_seen(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        if is_signed_in(request):
            note_visit(request)
        return get_response(request)

    return middleware


def signed_out(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """A page that somebody left open is told that they were signed out: sent on to the sign-in
    page, it would take that for the answer, and drop what it had sent."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_part = "HX-Request" in request.headers
        if is_part and 300 <= response.status_code < 400 and not is_signed_in(request):
            return HttpResponseForbidden()
        return response

    return middleware
