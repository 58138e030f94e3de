"""People, their API keys, and what their models cost."""

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.http import HttpRequest

from memoryapp.admin.base import ReadOnlyAdmin, RowAdmin
from memoryapp.models import ApiKey, Usage, User


class UserForm(UserChangeForm[User]):
    language = forms.ChoiceField(choices=settings.LANGUAGES)


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
