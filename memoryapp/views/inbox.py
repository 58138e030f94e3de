"""The inbox: what waits for the person, and their decision about one thing or all that is shown."""

import uuid
from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from memoryapp.http import HtmxHttpRequest
from memoryapp.ids import as_uuid
from memoryapp.memory import inbox, ledger
from memoryapp.models.memory import Origin
from memoryapp.views import PAGE_OF_ROWS, page_of, render_dialog, render_page
from memoryapp.views.rows import own_row

DECISIONS: dict[str, Callable[..., object]] = {
    "approve": ledger.approve,
    "turn-down": ledger.turn_down,
}


@login_required
@require_GET
def memory_inbox(request: HtmxHttpRequest) -> HttpResponse:
    """What doesn't take effect before the person has decided, oldest first; what was imported, or
    what was said here, may be looked at by itself."""
    waiting = {source: inbox.Waiting(request.user, source) for source in inbox.SOURCES}
    asked = request.GET.get("from", "")
    source = asked if waiting.get(asked) else ""
    ids = waiting[source].ids
    sought = as_uuid(request.GET.get("row", ""))
    number = ids.index(sought) // PAGE_OF_ROWS + 1 if sought in ids else None
    context = {
        "waiting": page_of(request, waiting[source], number),
        "source": source,
        "num_of": {name: len(rows) for name, rows in waiting.items() if name},
    }
    return render_page(request, "memory/inbox.html", context)


@login_required
@require_POST
def memory_approve(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    return _decide(request, partial(ledger.approve, row=row, actor=request.user.username))


@login_required
@require_POST
def memory_turn_down(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    return _decide(request, partial(ledger.turn_down, row=row, actor=request.user.username))


def _decide(request: HtmxHttpRequest, decide: Callable[[], object]) -> HttpResponse:
    try:
        decide()
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(_page(request))


def _page(request: HtmxHttpRequest) -> str:
    """The address of the page of the inbox that a request comes from."""
    return request.htmx.current_url_abs_path or reverse("memory-inbox")


@login_required
@require_http_methods(["GET", "POST"])
def inbox_decide(request: HtmxHttpRequest, decision: str) -> HttpResponse:
    """Decide at once about all that a page shows, by the ids that it sends: first asked, then done.

    What waits never changes, so an id stands for the very words that were shown.
    """
    if decision not in DECISIONS:
        raise Http404
    sent = request.POST if request.method == "POST" else request.GET
    ids = {id for id in map(as_uuid, sent.getlist("id")) if id}
    if request.method == "POST":
        num_decided = inbox.decide(
            request.user, ids, DECISIONS[decision], actor=request.user.username
        )
        _tell_of_skipped(request, len(ids) - num_decided)
        there = HttpResponseClientRedirect if request.htmx else redirect
        return there(_page(request))
    waiting = inbox.Waiting(request.user).among(ids)
    context = {
        "decision": decision,
        "waiting": waiting,
        "num_pasted": sum(row.origin == Origin.PASTED for row in waiting),
    }
    title = _("Accept all of this?") if decision == "approve" else _("Turn all of this down?")
    return render_dialog(request, "memory/_decide.html", context, title=title)


def _tell_of_skipped(request: HtmxHttpRequest, num_skipped: int) -> None:
    if num_skipped:
        skipped = ngettext(
            "%(n)s thing was left out: it was decided elsewhere meanwhile.",
            "%(n)s things were left out: they were decided elsewhere meanwhile.",
            num_skipped,
        )
        messages.warning(request, skipped % {"n": num_skipped})
