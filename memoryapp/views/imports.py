"""Chats and memory brought along from a file, and all of it to take away."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from memoryapp import importing
from memoryapp.forms import ImportForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.views import render_page


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
    context = {"form": form, "report": report}
    return render_page(request, "imports/index.html", context, status=422 if form.errors else 200)
