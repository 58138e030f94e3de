"""Settings: profile, what may be remembered, keys, usage, and the account itself."""

import uuid
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from memoryapp import accounts, charts, fragments, second_factor
from memoryapp.forms import ApiKeyForm, ConfirmForm, MemoryPolicyForm, ProfileForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.models import ApiKey, Chat, Resource, Usage, User
from memoryapp.views import render_dialog, render_page

USAGE_DAYS = 14


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
    usage = list(Usage.objects.for_user(request.user).by_day(request.user.zone, USAGE_DAYS))
    shown = {
        "usage": usage,
        "usage_days": USAGE_DAYS,
        "chart": charts.tokens(usage, timezone.localdate(), USAGE_DAYS),
        "sessions": accounts.sessions_of(request.user),
        "has_second_factor": second_factor.has_second_factor(request.user),
    }
    return render_page(request, "settings/index.html", {**forms, **shown, **context}, status=status)


@login_required
@require_POST
def settings_profile(request: HtmxHttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _render(request, 422, profile_form=form)
    user = form.save()
    with translation.override(user.language):  # the one that was chosen just now
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


@login_required
@require_POST
def sign_out_elsewhere(request: HtmxHttpRequest) -> HttpResponse:
    number = accounts.sign_out(request.user, but=request.session.session_key)
    done = ngettext(
        "Signed out in %(n)s other browser.", "Signed out in %(n)s other browsers.", number
    )
    messages.success(request, done % {"n": number})
    return redirect("settings")


@login_required
@require_POST
def session_end(request: HtmxHttpRequest, session_id: int) -> HttpResponse:
    session = get_object_or_404(UserSession.objects.filter(user=request.user), pk=session_id)
    session.end()
    messages.success(request, _("That browser is signed out."))
    return redirect("settings")


@login_required
@require_http_methods(["GET", "POST"])
def delete_account(request: HtmxHttpRequest) -> HttpResponse:
    """Confirmed by typing one's own user name."""
    form = ConfirmForm(request.user.username, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            accounts.delete(User.objects.get(pk=request.user.pk))
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            logout(request)
            there = HttpResponseClientRedirect if request.htmx else redirect
            return there("/accounts/login/")
    context = {
        "form": form,
        "num_chats": Chat.objects.for_user(request.user).count(),
        "num_resources": Resource.objects.owned_by(request.user).count(),
        **fragments.known(request.user),
    }
    return render_dialog(
        request,
        "settings/_delete_account.html",
        context,
        title=_("Delete my account"),
        status=422 if form.errors else 200,
    )
