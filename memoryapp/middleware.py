"""What holds for the whole request of a signed-in person: their zone, language and session."""

from collections.abc import Callable

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
        user = request.user
        with timezone.override(user.zone), translation.override(user.language):
            response = get_response(request)
        response.headers.setdefault("Content-Language", user.language)
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
