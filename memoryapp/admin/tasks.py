"""Background work: what waits, what is done, and what failed and may be tried again."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q import admin as queue
from django_q.models import Failure, OrmQ, Schedule, Success

# django-q2 has registered its own pages by now. Nothing here runs by a schedule.
admin.site.unregister([Failure, OrmQ, Schedule, Success])


@admin.register(Failure)
class FailureAdmin(queue.FailAdmin):
    """Tasks that failed. Each is safe to run again, so trying again can do no harm."""

    list_display = ["func", "args", "short_result", "attempt_count", "started"]
    list_filter = ["func", "stopped"]
    search_fields = ["func", "name"]
    actions = ["try_again"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request)

    @admin.action(permissions=["change"], description="Try again")
    def try_again(self, request: HttpRequest, queryset: QuerySet[Failure]) -> None:
        number = queryset.count()
        queue.resubmit_task(self, request, queryset)
        self.message_user(request, f"Back in the queue: {number}.")


@admin.register(OrmQ)
class WaitingAdmin(queue.QueueAdmin):
    """Tasks that wait or are being done."""

    list_display = ["func", "args", "lock"]
    list_filter = ["lock"]
    fields = ["func", "args", "lock", "task_id"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Success)
class SuccessAdmin(queue.TaskAdmin):
    """Tasks that are done, the last few hundred of those that were run by themselves."""

    list_display = ["func", "args", "started", "stopped", "time_taken"]
    list_filter = ["func", "stopped"]
    search_fields = ["func", "name"]
    actions = None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
