"""The project's addresses."""

from allauth.account import views as account
from django.contrib import admin
from django.urls import include, path

from memoryapp.api import api

# Only what works without mail; allauth's own list has resets by mail as well.
accounts = [
    path("login/", account.login, name="account_login"),
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
]
