"""Resources: texts that can be looked things up in."""

import uuid

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from memoryapp import tasks
from memoryapp.forms import ResourceForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.memory import resources
from memoryapp.models import Resource, User
from memoryapp.models.resources import RETRIABLE, ResourceQuerySet
from memoryapp.views import PAGE_OF_ROWS, page_of, render_dialog, render_page


def readable(user: User) -> ResourceQuerySet:
    """What this person may read, newest first, without the texts themselves."""
    rows = Resource.objects.for_user(user).select_related("user").defer("body")
    counted = rows.annotate(num_passages=Count("passages"), can_be_retried=RETRIABLE)
    # A count leaves the order of the table aside.
    return counted.order_by("-created_at", "-id")


@login_required
@require_http_methods(["GET", "POST"])
def resource_list(request: HtmxHttpRequest) -> HttpResponse:
    is_sent = request.method == "POST"
    form = ResourceForm(request.POST, request.FILES) if is_sent else ResourceForm()
    if is_sent and form.is_valid():
        form.add(request.user)
        return redirect("resource-list")
    page = page_of(request, readable(request.user))
    context = {"form": form, "resources": page}
    status = 422 if form.errors else 200
    return render_page(request, "resources/index.html", context, status=status)


@login_required
@require_GET
def resource_detail(request: HtmxHttpRequest, resource_id: uuid.UUID) -> HttpResponse:
    """The row of a resource while it is read; without htmx its text, a page of it at a time.

    The page is the one with `passage` on it, the number that a receipt names, if one is asked for.
    """
    resource = readable(request.user).filter(pk=resource_id).first()
    if request.htmx and resource:
        return render(request, "resources/_resource.html", {"resource": resource})
    if not resource:
        return render_page(request, "resources/gone.html", {}, status=404)
    passages = resource.passages.order_by("position").defer("embedding", "tsv")
    asked = request.GET.get("passage", "")[:9]
    is_named = asked.isdecimal() and "page" not in request.GET
    number = 1 + (int(asked) - 1) // PAGE_OF_ROWS if is_named else None
    context = {"resource": resource, "passages": page_of(request, passages, number)}
    return render_page(request, "resources/detail.html", context)


@login_required
@require_POST
def resource_retry(request: HtmxHttpRequest, resource_id: uuid.UUID) -> HttpResponse:
    """Read a resource again that could not be read; from its address, if it has one."""
    resource = get_object_or_404(Resource.objects.owned_by(request.user), pk=resource_id)
    with transaction.atomic():
        if resources.try_again(resource):
            tasks.enqueue(tasks.read_resource, resource.pk)
    if request.htmx:
        resource = get_object_or_404(readable(request.user), pk=resource_id)
        return render(request, "resources/_resource.html", {"resource": resource})
    return redirect("resource-list")


@login_required
@require_http_methods(["GET", "POST"])
def resource_delete(request: HtmxHttpRequest, resource_id: uuid.UUID) -> HttpResponse:
    resource = get_object_or_404(Resource.objects.owned_by(request.user), pk=resource_id)
    if request.method == "POST":
        resource.delete()
        if request.htmx:
            return HttpResponseClientRedirect(request.htmx.current_url_abs_path or "/resources/")
        return redirect("resource-list")
    return render_dialog(
        request, "resources/_delete.html", {"resource": resource}, title=_("Remove this resource")
    )
