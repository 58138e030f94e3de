"""Settings: the person's profile, what may be remembered, and keys for programs."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryapp.forms import ApiKeyForm, MemoryPolicyForm, ProfileForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.models import ApiKey, User
from memoryapp.views import render_page


@login_required
@require_GET
def settings(request: HtmxHttpRequest) -> HttpResponse:
    return _render(request)


def _render(request: HtmxHttpRequest, status: int = 200, **context: Any) -> HttpResponse:
    # Forms write on their instance even when they are invalid, so each gets its own.
    person = User.objects.get(pk=request.user.pk)
    forms = {
        "profile_form": ProfileForm(instance=person),
        "memory_form": MemoryPolicyForm(instance=person),
        "key_form": ApiKeyForm(),
        "keys": ApiKey.objects.for_user(request.user),
    }
    return render_page(request, "settings/index.html", {**forms, **context}, status=status)


@login_required
@require_POST
def settings_profile(request: HtmxHttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _render(request, 422, profile_form=form)
    form.save()
    messages.success(request, _("Your profile is saved."))
    return redirect("settings")


@login_required
@require_POST
def settings_memory(request: HtmxHttpRequest) -> HttpResponse:
    form = MemoryPolicyForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _render(request, 422, memory_form=form)
    form.save()
    messages.success(request, _("What I may remember is saved."))
    return redirect("settings")


@login_required
@require_POST
def key_add(request: HtmxHttpRequest) -> HttpResponse:
    """The only page that ever shows the key, so it is no redirect."""
    form = ApiKeyForm(request.POST)
    if not form.is_valid():
        return _render(request, 422, key_form=form)
    key, secret = ApiKey.make(user=request.user, name=form.cleaned_data["name"])
    return _render(request, new_key=key, secret=secret)


@login_required
@require_POST
def key_delete(request: HtmxHttpRequest, key_id: uuid.UUID) -> HttpResponse:
    key = get_object_or_404(ApiKey.objects.for_user(request.user), pk=key_id)
    key.delete()
    messages.success(request, _("The key “%(name)s” is revoked.") % {"name": key.name})
    return redirect("settings")
