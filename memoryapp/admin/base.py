"""What the pages of all tables share: the word for deleting, and rows that are only read."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.widgets import AdminSplitDateTime
from django.db.models import CASCADE, DateTimeField, Model, Prefetch, QuerySet
from django.forms import SplitDateTimeField
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from memoryapp.memory import log
from memoryapp.models import Message


def link_to(row: Model) -> SafeString:
    """A link to the page of `row`."""
    page = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
    return format_html('<a href="{}">{}</a>', reverse(page, args=[row.pk]), str(row))


def lean(name: str) -> "Prefetch[str, QuerySet[Message], str]":
    """The message that the field `name` leads to, without the vector a plain access would load."""
    return Prefetch(name, queryset=Message.objects.all())


def beginning_of(field: str) -> Callable[[Model], str]:
    """A column with the first words of a text, for lists."""

    @admin.display(description=field, ordering=field)
    def beginning(row: Model) -> str:
        return Truncator(getattr(row, field)).chars(80) or "-"

    return beginning


class Moment(AdminSplitDateTime):
    """Django names a day's field and a time's to the eye alone."""

    def __init__(self) -> None:
        super().__init__()
        for widget, name in zip(self.widgets, ("Date", "Time"), strict=True):
            widget.attrs["aria-label"] = name


class RowAdmin(admin.ModelAdmin[Any]):
    formfield_overrides: ClassVar = {
        DateTimeField: {"form_class": SplitDateTimeField, "widget": Moment}
    }
    list_per_page = 50
    delete_word = "Delete"

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["delete_word"] = self.delete_word
        return super().render_change_form(request, context, *args, **kwargs)

    def get_deleted_objects(
        self, objs: Sequence[Model] | QuerySet[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """What goes with these rows, counted: listed, a person's messages would be thousands."""
        counts = Counter({str(self.opts.verbose_name_plural): len(objs)})
        for relation in self.opts.related_objects:
            if relation.on_delete is CASCADE:
                table = relation.related_model
                rows = table._default_manager.filter(**{f"{relation.field.name}__in": objs})
                counts[str(table._meta.verbose_name_plural)] += rows.count()
        return [str(row) for row in objs], +counts, set(), []


class OpenedByOthers(admin.ModelAdmin[Any]):
    """Rows that are a person's own: their log tells them who else opened one."""

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row = context.get("original")
        if row and request.method == "GET" and row.user not in (None, request.user):
            log.note_read(
                owner=row.user,
                table=str(self.opts.model_name),
                row_id=row.pk,
                key=getattr(row, "key", ""),
                actor=request.user.get_username(),
            )
        return super().render_change_form(request, context, *args, **kwargs)


class MadeElsewhereAdmin(RowAdmin):
    """Rows that come about elsewhere: here they are read, and may be deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(MadeElsewhereAdmin):
    """Rows that tell what happened: to edit them would be to lie."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
