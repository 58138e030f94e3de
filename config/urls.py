"""The project's addresses."""

from allauth.account import views as account
from django.contrib import admin
from django.urls import include, path

from memoryapp.api import api
from memoryapp.api.mcp import api as mcp_api
from memoryapp.api.openai import api as openai_api
from memoryapp.sign_on import provider_name
from memoryapp.views import sign_on

# Only what works without mail; allauth's own list has resets by mail as well.
accounts = [
    path(
        "login/",
        account.LoginView.as_view(extra_context={"sign_on": provider_name}),
        name="account_login",
    ),
    path("oidc/", sign_on.sign_on, name="sign-on"),
    path("oidc/callback/", sign_on.sign_on_callback, name="sign-on-callback"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("signup/", account.signup, name="account_signup"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", account.password_change, name="account_change_password"),
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
