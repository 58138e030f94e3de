"""One fact or prompt: add, edit, pin, pause, look back, restore, undo, forget."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from memoryapp import fragments
from memoryapp.forms import memory_form
from memoryapp.http import HtmxHttpRequest
from memoryapp.memory import forgetting, ledger
from memoryapp.models import Fact, MemoryEvent, Message, Prompt, User
from memoryapp.models.memory import TABLES, RememberedQuerySet, Status
from memoryapp.views import render_dialog

TABLE_OF = {"facts": "fact", "prompts": "prompt"}
PAGES = {"facts": "memory-facts", "prompts": "memory-persona"}
# What one press changes, by the name of the form's field.
FLAGS: dict[str, dict[str, Any]] = {
    "pin": {"is_pinned": True},
    "unpin": {"is_pinned": False},
    "pause": {"status": Status.PAUSED},
    "resume": {"status": Status.ACTIVE},
}


def own_rows(user: User, tables: str) -> RememberedQuerySet[Any]:
    if tables not in TABLE_OF:
        raise Http404
    rows: RememberedQuerySet[Any] = TABLES[TABLE_OF[tables]].objects.for_user(user)
    return rows.with_source()


def own_row(user: User, tables: str, row_id: uuid.UUID) -> Fact | Prompt:
    row: Fact | Prompt = get_object_or_404(own_rows(user, tables), pk=row_id)
    return row


def sent(request: HtmxHttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _address_of(tables: str) -> str:
    return reverse(PAGES[tables])


def _render_row(request: HtmxHttpRequest, tables: str, row: Fact | Prompt) -> HttpResponse:
    if not request.htmx:
        return redirect(f"{_address_of(tables)}#row-{row.pk}")
    row = own_row(request.user, tables, row.pk)
    return render(request, "memory/_row.html", {"row": row, "tables": tables})


@login_required
@require_http_methods(["GET", "POST"])
def memory_add(request: HtmxHttpRequest, tables: str) -> HttpResponse:
    own_rows(request.user, tables)
    is_task = request.GET.get("kind") == Fact.Kind.TASK  # from the page of open tasks
    form = memory_form(TABLE_OF[tables], data=sent(request))
    if is_task:
        form.initial["kind"] = Fact.Kind.TASK
    if form.is_valid():
        try:
            ledger.remember(
                user=request.user,
                table=TABLE_OF[tables],
                actor=request.user.username,
                origin="user",
                **form.cleaned_data,
            )
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            address = reverse("memory-tasks") if is_task else _address_of(tables)
            return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    return render_dialog(
        request,
        "memory/_add.html",
        {"form": form, "tables": tables, "address": request.get_full_path()},
        title=_title_of_adding(tables, is_task=is_task),
        status=422 if form.errors else 200,
    )


def _title_of_adding(tables: str, *, is_task: bool) -> str:
    if tables == "prompts":
        return _("Add a rule for answering")
    return _("Add a task") if is_task else _("Add a fact")


@login_required
@require_GET
def memory_row(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    return _render_row(request, tables, own_row(request.user, tables, row_id))


@login_required
@require_http_methods(["GET", "POST"])
def memory_edit(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    form = memory_form(TABLE_OF[tables], row, sent(request))
    if form.is_valid():
        try:
            changes = {name: form.cleaned_data[name] for name in form.changed_data}
            row = ledger.edit(row=row, actor=request.user.username, **changes)
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            return _render_row(request, tables, row)
    return render_dialog(
        request,
        "memory/_row_form.html",
        {"form": form, "row": row, "tables": tables, "is_row": True},
        title=_("Edit what I know"),
        status=422 if form.errors else 200,
    )


@login_required
@require_POST
def memory_flag(
    request: HtmxHttpRequest, tables: str, row_id: uuid.UUID, flag: str
) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    if flag not in FLAGS:
        raise Http404
    try:
        row = ledger.edit(row=row, actor=request.user.username, **FLAGS[flag])
    except ValidationError:
        return HttpResponseClientRefresh() if request.htmx else redirect(_address_of(tables))
    return _render_row(request, tables, row)


@login_required
@require_GET
def memory_history(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    versions = own_rows(request.user, tables).versions_of(row)
    context = {"row": row, "tables": tables, "versions": versions}
    if request.htmx:
        return render(request, "memory/_row.html", context)
    return render_dialog(request, "memory/_history.html", context, title=_("History"))


@login_required
@require_POST
def memory_restore(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    return _render_row(request, tables, ledger.restore(row=row, actor=request.user.username))


@login_required
@require_POST
def memory_close(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    """A task is done, or a fact holds no longer; it stays in the history."""
    row = own_row(request.user, tables, row_id)
    ledger.retract(row=row, actor=request.user.username)
    return _render_row(request, tables, row)


@login_required
@require_http_methods(["GET", "POST"])
def memory_forget(request: HtmxHttpRequest, tables: str, row_id: uuid.UUID) -> HttpResponse:
    row = own_row(request.user, tables, row_id)
    if request.method == "POST":
        rows = own_rows(request.user, tables).filter(pk=row.pk)
        forgetting.forget(rows=rows, actor=request.user.username)
        # What was forgotten may stand in lists, receipts and counts: all of them are read anew.
        return HttpResponseClientRefresh() if request.htmx else redirect(_address_of(tables))
    context = {
        "row": row,
        "tables": tables,
        "num_versions": own_rows(request.user, tables).versions_of(row).count(),
        "num_receipts": _receipts_with(request.user, row).count(),
    }
    return render_dialog(request, "memory/_forget.html", context, title=_("Forget this"))


def _receipts_with(user: User, row: Fact | Prompt) -> QuerySet[Message]:
    part = "memories" if isinstance(row, Fact) else "prompts"
    holds = {f"receipt__{part}__contains": [{"id": str(row.pk)}]}
    messages: QuerySet[Message] = Message.objects.for_user(user).filter(**holds)
    return messages


@login_required
@require_POST
def memory_undo(request: HtmxHttpRequest, event_id: int) -> HttpResponse:
    """Take one change back, and show the receipt under the reply that it was learned with anew."""
    events = MemoryEvent.objects.for_user(request.user).undoable().select_related("message")
    event = get_object_or_404(events, pk=event_id)
    sentence = ""
    try:
        ledger.undo(event=event, actor=request.user.username)
    except ValidationError as error:
        sentence = " ".join(error.messages)
    replies = Message.objects.for_user(request.user).on_branch().filter(role="assistant")
    told = replies.filter(parent=event.message, parent__isnull=False)
    reply = told.select_related("chat__user", "user").first()
    if reply is None or not request.htmx:
        if sentence:
            messages.error(request, sentence)
        return redirect("memory-log")
    context = {
        **fragments.taught_before(reply),
        "is_news": "is_news" in request.POST,
        "sentence": sentence,
    }
    return render(request, "chats/_undone.html", context, status=409 if sentence else 200)
