"""What is remembered: facts and persona are edited through the ledger, the log is only read."""

from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_noop

from memoryapp.admin.base import OpenedByOthers, ReadOnlyAdmin, RowAdmin, beginning_of, lean
from memoryapp.forms import send_back_what_is_shown
from memoryapp.memory import forgetting, ledger
from memoryapp.models import Fact, Forgotten, MemoryEvent, Prompt
from memoryapp.models.memory import TABLES, Origin, Status

PROVENANCE = (
    "waits_because", "valid_from", "valid_to", "quote", "source_message", "origin", "actor",
    "model", "recorded_at", "use_count", "last_used_at",
)  # fmt: skip


class RememberedForm(forms.ModelForm[Any]):
    """Writes through the ledger as it cleans: what the ledger refuses is an error of the form."""

    actor: ClassVar[str]
    row: Fact | Prompt

    # What waits is proposed by an extractor and decided by its owner, so that is no choice here.
    status = forms.ChoiceField(
        choices=[(status, status.label) for status in (Status.ACTIVE, Status.PAUSED)]
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        send_back_what_is_shown(self)

    def clean_value(self) -> str:
        # Browsers send \r\n, which alone would make a new version of an unchanged value.
        return str(self.cleaned_data["value"]).replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            with transaction.atomic():
                self.row = self.write()
        return self.cleaned_data

    def write(self) -> Fact | Prompt:
        if self.instance._state.adding:
            fields = {"user": None, **self.cleaned_data}
            table = self.instance._meta.model_name or ""
            return ledger.remember(table=table, actor=self.actor, origin=Origin.ADMIN, **fields)
        changes = {name: self.cleaned_data[name] for name in self.changed_data}
        return ledger.edit(row=self.instance, actor=self.actor, origin=Origin.ADMIN, **changes)

    def _post_clean(self) -> None:
        """Leave the instance as it was read: the row is the ledger's to make and to check."""


class IsCurrent(admin.SimpleListFilter):
    title = "whether it holds"
    parameter_name = "holds"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("now", "Now"), ("before", "No longer")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        if self.value() is None:
            return queryset
        return queryset.filter(valid_to__isnull=self.value() == "now")


class RememberedAdmin(OpenedByOthers, RowAdmin):
    """Rows of memory. To delete one here is to forget it.

    A closed version is only read, and so is what waits: that is for its owner to decide.
    """

    form = RememberedForm
    delete_word = "Forget"
    change_form_template = "admin/memoryapp/remembered.html"
    delete_confirmation_template = "admin/memoryapp/forget.html"
    delete_selected_confirmation_template = "admin/memoryapp/forget.html"
    actions = ["delete_selected", "retract", "restore"]
    list_select_related = ["user"]
    raw_id_fields = ["user"]
    readonly_fields = PROVENANCE

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related(lean("source_message"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # A version that was closed while its form was open is refused by the ledger, in the form.
        is_read_only = obj is not None and (
            obj.status == Status.PENDING or (obj.valid_to is not None and request.method == "GET")
        )
        return not is_read_only and super().has_change_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Whose it is and whom it is about stay."""
        fixed = [name for name in ("user", "subject") if obj and hasattr(obj, name)]
        return [*PROVENANCE, *fixed]

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, *args, **kwargs)
        form.actor = request.user.get_username()
        return form

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if row := context.get("original"):
            context["versions"] = type(row).objects.versions_of(row)
        return super().render_change_form(request, context, *args, **kwargs)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Fact | Prompt:
        row: Fact | Prompt = form.row
        return row

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form has written it."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing: a row of memory has none."""

    # The ledger logs all this already; a second log would keep the words of what is forgotten.
    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any: ...

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any: ...

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any: ...

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The log of this row's key, which its owner sees too."""
        row = self.get_object(request, object_id)
        if row is None:
            return super().history_view(request, object_id, extra_context)
        about = {"user__isnull": 1} if row.user_id is None else {"user__id__exact": row.user_id}
        log = reverse("admin:memoryapp_memoryevent_changelist")
        return HttpResponseRedirect(f"{log}?{urlencode({**about, 'key': row.key})}")

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.delete_queryset(request, type(obj).objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        report = forgetting.forget(rows=queryset, actor=request.user.get_username())
        self.message_user(
            request, f"Forgotten, with all versions: {report.memories}.", messages.SUCCESS
        )

    def response_delete(
        self, request: HttpRequest, obj_display: str, obj_id: Any
    ) -> HttpResponseRedirect:
        return HttpResponseRedirect(reverse(f"admin:memoryapp_{self.opts.model_name}_changelist"))

    @admin.action(permissions=["delete"], description="Forget the selected %(verbose_name_plural)s")
    def delete_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        if request.POST.get("post"):
            self.delete_queryset(request, queryset)
            return None
        return delete_selected(self, request, queryset)

    @admin.action(permissions=["change"], description="Close: no longer true")
    def retract(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        actor = request.user.get_username()
        for row in queryset:
            ledger.retract(row=row, actor=actor, reason=gettext_noop("Closed by an administrator."))

    @admin.action(permissions=["change"], description="Restore: make this version current again")
    def restore(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for row in queryset.exclude(valid_to=None):
            ledger.restore(row=row, actor=request.user.get_username())

    @admin.display(description="holds until", empty_value="further notice", ordering="valid_to")
    def until(self, row: Fact | Prompt) -> datetime | None:
        return row.valid_to or row.expires_at


@admin.register(Fact)
class FactAdmin(RememberedAdmin):
    list_display = [
        "key", beginning_of("value"), "user", "subject", "kind", "status", "until", "origin",
        "recorded_at",
    ]  # fmt: skip
    list_filter = [IsCurrent, "kind", "status", "origin", "is_pinned", "local_only", "recorded_at"]
    search_fields = ["key", "value", "subject", "user__username"]
    fieldsets = [
        (None, {"fields": ["user", "subject", "key", "value", "kind", "status"]}),
        ("When and how", {"fields": ["due_at", "expires_at", "is_pinned", "local_only"]}),
        ("Where it comes from", {"fields": PROVENANCE}),
    ]


class Persona(admin.SimpleListFilter):
    title = "whose it is"
    parameter_name = "persona"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("global", "Global"), ("own", "A person's own")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Prompt]) -> QuerySet[Prompt]:
        if self.value() is None:
            return queryset
        return queryset.filter(user__isnull=self.value() == "global")


@admin.register(Prompt)
class PromptAdmin(RememberedAdmin):
    list_display = [
        "key", beginning_of("value"), "whose", "status", "until", "origin", "recorded_at",
    ]  # fmt: skip
    list_filter = [IsCurrent, Persona, "status", "origin", "recorded_at"]
    search_fields = ["key", "value", "user__username"]
    fieldsets = [
        (
            None,
            {
                "fields": ["user", "key", "value", "status"],
                "description": "Without a user it belongs to everyone's persona.",
            },
        ),
        ("When and how", {"fields": ["expires_at", "local_only"]}),
        ("Where it comes from", {"fields": PROVENANCE}),
    ]

    @admin.display(description="user", ordering="user__username")
    def whose(self, prompt: Prompt) -> str:
        return str(prompt.user or "everyone")


@admin.register(Forgotten)
class ForgottenAdmin(ReadOnlyAdmin):
    list_display = ["key", "user", "was_turned_down", "created_at"]
    list_select_related = ["user"]
    list_filter = ["was_turned_down", "created_at"]
    search_fields = ["key", "user__username"]
    fields = ["key", "user", "was_turned_down", "created_at"]


class IsOf(admin.SimpleListFilter):
    title = "table"
    parameter_name = "table"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in TABLES]  # and no empty one, of what failed

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        return queryset.filter(table=self.value()) if self.value() else queryset


@admin.register(MemoryEvent)
class MemoryEventAdmin(ReadOnlyAdmin):
    list_display = [
        "created_at", "user", "action", "table", "subject", "key", beginning_of("before"),
        beginning_of("after"), "actor", beginning_of("reason"),
    ]  # fmt: skip
    list_filter = ["action", IsOf, "actor", "created_at"]
    list_select_related = ["user"]
    date_hierarchy = "created_at"
    search_fields = ["subject", "key", "before", "after", "actor", "user__username"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemoryEvent]:
        return super().get_queryset(request).prefetch_related(lean("message"))
