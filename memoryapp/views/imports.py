"""Chats and memory brought along from a file, and all that is learned from such chats."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from memoryapp import imported, importing
from memoryapp.agents import llm
from memoryapp.forms import ImportForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.memory import inbox
from memoryapp.models import User
from memoryapp.views import render_page

ACTS: dict[str, Callable[[User], None]] = {
    "start": imported.start,
    "stop": imported.stop,
    "leave-out": imported.leave_out,
}


@login_required
@require_http_methods(["GET", "POST"])
def import_file(request: HtmxHttpRequest) -> HttpResponse:
    is_sent = request.method == "POST"
    form = ImportForm(request.POST, request.FILES) if is_sent else ImportForm()
    report = None
    if is_sent and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            report = importing.take_in(request.user, file, file.name)
        except importing.Unreadable as error:
            form.add_error("file", error)
    learning = imported.progress(request.user)
    context = {
        "form": form,
        "report": report,
        "learning": learning,
        "model_label": llm.label(llm.choose("extractor")) if learning.num_left else "",
        "num_proposed": len(inbox.Waiting(request.user, "import")),
    }
    return render_page(request, "imports/index.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def import_learn(request: HtmxHttpRequest, act: str) -> HttpResponse:
    """Have all that was imported and isn't read yet be learned from, or end that."""
    if act not in ACTS:
        raise Http404
    try:
        ACTS[act](request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("import")
