"""What people marked as useful or not, and the floors that recall goes by because of it."""

from django.contrib import admin
from django.http import HttpRequest

from memoryapp.admin.base import ReadOnlyAdmin, RowAdmin
from memoryapp.models import MemoryMark, RecallFloor


@admin.register(MemoryMark)
class MemoryMarkAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "user", "is_useful", "is_turn", "score", "embedding_model"]
    list_filter = ["is_useful", "is_turn", "embedding_model", "created_at"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    fields = [
        "user", "memory_id", "is_turn", "is_useful", "score", "embedding_model", "created_at",
    ]  # fmt: skip


@admin.register(RecallFloor)
class RecallFloorAdmin(RowAdmin):
    """Written by `manage.py calibrate`. Deleting one goes back to RECALL_FLOOR."""

    list_display = ["embedding_model", "floor", "num_marks", "updated_at"]
    readonly_fields = ["embedding_model", "num_marks", "updated_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
