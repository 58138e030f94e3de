"""Resources, whom they are shared with, and the passages they are made of."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from memoryapp import tasks
from memoryapp.admin.base import ReadOnlyAdmin, RowAdmin, beginning_of
from memoryapp.models import Passage, Resource

RESOURCE_PASSAGES = 100


@admin.register(Resource)
class ResourceAdmin(RowAdmin):
    """Added on the resources page by whose they are; here their name and sharing can change."""

    change_form_template = "admin/memoryapp/resource.html"
    list_display = ["name", "user", "status", "progress", "is_shared", "error", "created_at"]
    list_filter = ["status", "is_shared", "created_at"]
    list_select_related = ["user"]
    search_fields = ["name", "user__username", "url", "error"]
    actions = ["share", "unshare", "read_again"]
    fields = ["name", "is_shared", "user", "url", "status", "progress", "error", "created_at"]
    readonly_fields = ["user", "url", "status", "progress", "error", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Resource]:
        resources: QuerySet[Resource] = super().get_queryset(request)
        return resources.defer("body")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        passages = context["original"].passages.defer("embedding", "tsv")
        context["passages"] = passages[:RESOURCE_PASSAGES]
        context["num_more"] = max(0, passages.count() - RESOURCE_PASSAGES)
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.action(permissions=["change"], description="Share with everyone")
    def share(self, request: HttpRequest, queryset: QuerySet[Resource]) -> None:
        self.message_user(request, f"Shared with everyone: {queryset.update(is_shared=True)}.")

    @admin.action(permissions=["change"], description="No longer share with everyone")
    def unshare(self, request: HttpRequest, queryset: QuerySet[Resource]) -> None:
        self.message_user(request, f"Their owners' only: {queryset.update(is_shared=False)}.")

    @admin.action(permissions=["change"], description="Read again")
    def read_again(self, request: HttpRequest, queryset: QuerySet[Resource]) -> None:
        # A file that could not be read is not kept.
        there = queryset.exclude(url="", body="", file=None)
        for resource in there:
            tasks.enqueue(tasks.read_resource, resource.pk)
        self.message_user(request, f"Waiting to be read: {len(there)} of {len(queryset)}.")


@admin.register(Passage)
class PassageAdmin(ReadOnlyAdmin):
    list_display = [beginning_of("body"), "resource", "position", "page", "is_embedded"]
    list_filter = ["embedding_model"]
    list_select_related = ["resource"]
    search_fields = ["body", "resource__name", "resource__user__username"]
    fields = ["resource", "position", "page", "body", "embedding_model"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Passage]:
        passages: QuerySet[Passage] = super().get_queryset(request)
        return passages.defer("embedding", "tsv", "resource__body")

    @admin.display(description="embedded", boolean=True)
    def is_embedded(self, passage: Passage) -> bool:
        return bool(passage.embedding_model)
