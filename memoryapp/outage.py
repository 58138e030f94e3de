"""What is answered while the database is away, by whatever part of a request that needed it."""

import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.defaults import server_error

from memoryapp.api import api
from memoryapp.patience import AWAY, is_full

RETRY_SECONDS = 5
AWAY_STATUS, FULL_STATUS = 503, 507  # the page's own script has a sentence for each


def broken(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`, which is asked inside of the error, wherever that rose.

    Nothing here needs the database: neither session nor user, and the language is the browser's
    unless the person's was known by then.
    """
    error = sys.exc_info()[1]
    if not isinstance(error, AWAY):
        return server_error(request)
    if request.path.startswith(reverse(f"{api.urls_namespace}:api-root")):
        return api.on_exception(request, error)
    status = FULL_STATUS if is_full(error) else AWAY_STATUS
    if "HX-Request" in request.headers:
        return HttpResponse(status=status)
    is_retried = request.method == "GET" and status == AWAY_STATUS
    context = {
        "status": status,
        "is_full": is_full(error),
        "retry_seconds": RETRY_SECONDS if is_retried else None,
    }
    response = render(request, "503.html", context, status=status)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response
