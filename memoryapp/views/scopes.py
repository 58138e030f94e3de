"""All of memory at once: take it away as a file, or forget it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from memoryapp.forms import ConfirmForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.ids import as_uuid
from memoryapp.memory import export, scopes
from memoryapp.models import Chat, Fact
from memoryapp.views import render_dialog

LISTED_MOST = 100


@login_required
@require_GET
def memory_export(request: HtmxHttpRequest, kind: str) -> HttpResponse:
    """What is known about the person, as a file: `json`, or `md` to read."""
    if kind not in ("json", "md"):
        raise Http404
    data = export.memory_of(request.user)
    response: HttpResponse
    if kind == "md":
        markdown = export.as_markdown(data, request.user.zone)
        response = HttpResponse(markdown, content_type="text/markdown; charset=utf-8")
    else:
        response = JsonResponse(data, json_dumps_params={"indent": 2, "ensure_ascii": False})
    name = f"memory-{timezone.localdate():%Y-%m-%d}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@login_required
@require_http_methods(["GET", "POST"])
def memory_forget_scope(request: HtmxHttpRequest) -> HttpResponse:
    """Forget a kind, what a chat taught, or all: first listed, then confirmed by a typed word."""
    scope, title = _scope(request)
    form = ConfirmForm(_("forget"), request.POST if request.method == "POST" else None)
    if form.is_valid():
        report = scopes.forget(scope, actor=request.user.username)
        done = ngettext(
            "Forgotten for good: %(n)s thing.", "Forgotten for good: %(n)s things.", report.memories
        )
        messages.success(request, done % {"n": report.memories})
        there = HttpResponseClientRedirect if request.htmx else redirect
        return there("/memory/")
    extent = scopes.extent(scope, most=LISTED_MOST)
    context = {
        "form": form,
        "extent": extent,
        "num_more": extent.num_current - len(extent.newest),
    }
    status = 422 if form.errors else 200
    return render_dialog(request, "memory/_forget_scope.html", context, title=title, status=status)


def _scope(request: HtmxHttpRequest) -> tuple[list[scopes.Rows], str]:
    kind, chat_id = request.GET.get("kind", ""), request.GET.get("chat", "")
    if chat_id:
        own = Chat.objects.for_user(request.user)
        chat = get_object_or_404(own, pk=as_uuid(chat_id))
        return scopes.taught_by(chat), _("Forget what this chat taught?")
    if kind in Fact.Kind.values:
        return scopes.of_kind(request.user, kind), _("Forget all facts of this kind?")
    return scopes.known_about(request.user), _("Forget everything?")
