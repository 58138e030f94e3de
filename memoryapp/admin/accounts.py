"""People, where they are signed in, their API keys, and what their models cost."""

from collections.abc import Sequence
from typing import Any

import allauth.account.admin
import allauth.mfa.admin
import allauth.socialaccount.admin
import allauth.usersessions.admin  # noqa: F401
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from memoryapp.accounts import administrators_but, delete, device, sign_out
from memoryapp.admin.base import MadeElsewhereAdmin, ReadOnlyAdmin, RowAdmin
from memoryapp.models import ApiKey, Usage, User

# allauth has registered its own pages by now. Nobody signs in by an email address, the provider
# of single sign-on stands in the settings, and its tokens aren't kept.
admin.site.unregister(
    [Authenticator, EmailAddress, SocialAccount, SocialApp, SocialToken, UserSession]
)
ONLY_ADMINISTRATOR = "This is the only administrator. Make somebody else one first."


class UserForm(UserChangeForm[User]):
    language = forms.ChoiceField(choices=settings.LANGUAGES)

    def clean(self) -> dict[str, Any] | None:
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        stays = fields.get("is_active") and fields.get("is_superuser")
        is_leaving = self.instance.is_superuser and not stays
        if is_leaving and not administrators_but(self.instance).exists():
            raise ValidationError(ONLY_ADMINISTRATOR)
        return fields


@admin.register(User)
class UserAdmin(RowAdmin, DjangoUserAdmin[User]):
    form = UserForm
    list_display = [
        "username", "first_name", "last_name", "is_active", "is_staff", "memory_on", "timezone",
        "language", "last_login",
    ]  # fmt: skip
    list_filter = ["is_active", "is_staff", "is_superuser", "memory_on", "language"]
    fieldsets = [
        *(DjangoUserAdmin.fieldsets or ()),
        ("Place and language", {"fields": ["timezone", "language"]}),
        ("Memory", {"fields": ["memory_on", "review", "local_models_only", "notify_learned"]}),
    ]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            sign_out(obj)  # of the pages that are open, too

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        delete(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            delete(user)

    def get_deleted_objects(
        self, objs: Sequence[Any] | QuerySet[Any], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """As for other rows; the last administrator is one that must stay."""
        rows, counts, forbidden, staying = super().get_deleted_objects(objs, request)
        if not administrators_but(*objs).exists():
            staying += [f"{user}: {ONLY_ADMINISTRATOR}" for user in objs if user.is_superuser]
        return rows, counts, forbidden, staying


@admin.register(UserSession)
class SessionAdmin(MadeElsewhereAdmin):
    """Each browser that is signed in; to delete one is to sign it out (`memoryapp/signals.py`)."""

    delete_word = "Sign out"
    list_display = ["user", "browser", "ip", "created_at", "last_seen_at"]
    list_filter = ["created_at", "last_seen_at"]
    list_select_related = ["user"]
    ordering = ["-last_seen_at"]
    search_fields = ["user__username", "ip", "user_agent"]
    fields = ["user", "browser", "user_agent", "ip", "created_at", "last_seen_at"]

    @admin.display(description="browser", ordering="user_agent")
    def browser(self, session: UserSession) -> str:
        return device(session.user_agent)


@admin.register(SocialAccount)
class SignOnAdmin(MadeElsewhereAdmin):
    """Who somebody is at a provider of single sign-on; without it, they come as somebody new."""

    delete_word = "Unlink"
    list_display = ["user", "provider", "name_there", "date_joined", "last_login"]
    list_filter = ["provider", "date_joined", "last_login"]
    list_select_related = ["user"]
    search_fields = ["user__username", "uid", "extra_data"]
    fields = ["user", "provider", "uid", "name_there", "date_joined", "last_login"]

    @admin.display(description="name there")
    def name_there(self, account: SocialAccount) -> str:
        known = account.extra_data
        return str(known.get("preferred_username") or known.get("email") or known.get("name", "-"))


@admin.register(Authenticator)
class SecondFactorAdmin(MadeElsewhereAdmin):
    """Whose device is asked for a code; to delete one lets in who has lost it."""

    delete_word = "Take off"
    list_display = ["user", "created_at", "last_used_at"]
    list_filter = ["created_at", "last_used_at"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    fields = ["user", "created_at", "last_used_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Authenticator]:
        return super().get_queryset(request).filter(type=Authenticator.Type.TOTP)


@admin.register(ApiKey)
class ApiKeyAdmin(RowAdmin):
    """Keys are made by their owner or by `create_key`: the secret is shown once, and only there."""

    delete_word = "Revoke"
    list_display = ["name", "prefix", "user", "scopes", "created_at", "expires_at", "last_used_at"]
    list_filter = ["created_at", "expires_at", "last_used_at"]
    list_select_related = ["user"]
    search_fields = ["name", "prefix", "user__username"]
    fields = ["name", "expires_at", "user", "prefix", "scopes", "created_at", "last_used_at"]
    readonly_fields = ["user", "prefix", "scopes", "created_at", "last_used_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Usage)
class UsageAdmin(ReadOnlyAdmin):
    list_display = [
        "created_at", "user", "agent", "model", "input_tokens", "output_tokens", "cost",
        "milliseconds", "error",
    ]  # fmt: skip
    list_filter = ["agent", "model", "created_at", ("error", admin.EmptyFieldListFilter)]
    list_select_related = ["user"]
    date_hierarchy = "created_at"
    search_fields = ["user__username", "model", "error"]
