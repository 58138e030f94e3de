"""The project's addresses."""

from collections.abc import Callable
from typing import Any

from allauth.account import views as account
from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import include, path
from django.utils.module_loading import import_string
from django.views.generic import RedirectView, TemplateView

from memoryapp.api import api
from memoryapp.api.mcp import api as mcp_api
from memoryapp.api.openai import api as openai_api
from memoryapp.sign_on import is_sign_up, provider_name
from memoryapp.views import sign_on


def second_factor(name: str) -> Callable[..., HttpResponseBase]:
    """A view of allauth's, imported when somebody comes: few do, and it brings 10 MB along."""

    def view(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        found: Callable[..., HttpResponseBase] = import_string(f"allauth.mfa.{name}")
        return found(request, **arguments)

    return view


# Only what works without mail; allauth's own list has resets by mail as well.
accounts = [
    path(
        "login/",
        account.LoginView.as_view(
            extra_context={"sign_on": provider_name, "is_sign_up": is_sign_up}
        ),
        name="account_login",
    ),
    path("oidc/", sign_on.sign_on, name="sign-on"),
    path("oidc/callback/", sign_on.sign_on_callback, name="sign-on-callback"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("signup/", account.signup, name="account_signup"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", account.password_change, name="account_change_password"),
    path(
        "password/none/",
        login_required(TemplateView.as_view(template_name="account/no_password.html")),
        name="account_set_password",
    ),
    path("code/", second_factor("base.views.authenticate"), name="mfa_authenticate"),
    path("code/again/", second_factor("base.views.reauthenticate"), name="mfa_reauthenticate"),
    path("second-factor/", second_factor("totp.views.activate_totp"), name="mfa_activate_totp"),
    path(
        "second-factor/off/",
        second_factor("totp.views.deactivate_totp"),
        name="mfa_deactivate_totp",
    ),
    path("second-factor/done/", RedirectView.as_view(pattern_name="settings"), name="mfa_index"),
    path(
        "recovery-codes/",
        second_factor("recovery_codes.views.view_recovery_codes"),
        name="mfa_view_recovery_codes",
    ),
    path(
        "recovery-codes/new/",
        second_factor("recovery_codes.views.generate_recovery_codes"),
        name="mfa_generate_recovery_codes",
    ),
]

handler500 = "memoryapp.outage.broken"

urlpatterns = [
    path("", include("memoryapp.urls")),
    path("accounts/", include(accounts)),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("mcp", mcp_api.urls),
    path("v1/", openai_api.urls),
]
