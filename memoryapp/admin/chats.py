"""Chats, each with the newest of its archive, and their messages."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memoryapp.admin.base import (
    OpenedByOthers,
    ReadOnlyAdmin,
    RowAdmin,
    beginning_of,
    lean,
    link_to,
)
from memoryapp.admin.words import says
from memoryapp.forms import ChatTitleForm
from memoryapp.fragments import Entry
from memoryapp.models import Chat, Message, User

ARCHIVE_MESSAGES = 200


@admin.register(Chat)
class ChatAdmin(OpenedByOthers, RowAdmin):
    form = ChatTitleForm
    list_display = [
        "title", "user", "num_messages", "last_message_at", "memory_on", "is_pinned", "is_archived",
    ]  # fmt: skip
    list_filter = ["memory_on", "is_pinned", "is_archived", "title_source", "last_message_at"]
    list_select_related = ["user"]
    ordering = ["-last_message_at"]
    search_fields = ["title", "user__username"]
    fields = [
        "title", "memory_on", "is_pinned", "is_archived", "user", "title_source", "created_at",
        "last_message_at",
    ]  # fmt: skip
    readonly_fields = ["user", "title_source", "created_at", "last_message_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chat]:
        messages = Message.objects.filter(chat=OuterRef("pk")).values("chat")
        counted: QuerySet[Chat] = super().get_queryset(request)
        return counted.annotate(
            num_messages=Coalesce(Subquery(messages.annotate(n=Count("pk")).values("n")), 0)
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Chat], search_term: str
    ) -> tuple[QuerySet[Chat], bool]:
        """Each word in a title, a user name or a message; joined, a chat would come for each."""
        for word in search_term.split():
            said = Message.objects.filter(says(word))
            named = Q(title__icontains=word) | Q(user__username__icontains=word)
            queryset = queryset.filter(named | Q(pk__in=said.values("chat")))
        return queryset, False

    @admin.display(description="messages", ordering="num_messages")
    def num_messages(self, chat: Any) -> int:
        return int(chat.num_messages)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Chat, form: Any, change: bool) -> None:
        changed = list(form.changed_data)
        if "title" in changed:
            obj.title_source = Chat.TitleSource.MANUAL
            changed.append("title_source")
        # Only these columns: the chat may be written to while this page is open.
        obj.save(update_fields=changed)

    def log_change(self, request: HttpRequest, obj: Chat, message: Any) -> Any:
        return super().log_change(request, untitled(obj), message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        chats: Any = [untitled(chat) for chat in queryset]
        return super().log_deletions(request, chats)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        chat: Chat = context["original"]
        newest = list(chat.archive.reverse()[:ARCHIVE_MESSAGES])
        context["archive"] = [Entry(message) for message in reversed(newest)]
        context["num_earlier"] = max(0, chat.archive.count() - ARCHIVE_MESSAGES)
        return super().render_change_form(request, context, *args, **kwargs)


def untitled(chat: Chat) -> Chat:
    """What stands for `chat` in the administrators' log, which must not outlive its words."""
    return Chat(pk=chat.pk, title=f"Chat {chat.pk}")


@admin.register(Message)
class MessageAdmin(OpenedByOthers, ReadOnlyAdmin):
    list_display = [
        beginning_of("body"), "user", "chat", "role", "status", "is_active", "created_at",
    ]  # fmt: skip
    list_filter = [
        "role", "status", "is_active", ("evicted_by", admin.EmptyFieldListFilter), "created_at",
    ]  # fmt: skip
    list_select_related = ["user", "chat"]
    date_hierarchy = "created_at"
    ordering = ["-created_at"]
    search_fields = ["body", "chat__title", "user__username"]
    fields = [
        "chat", "user", "role", "status", "failure", "body", "created_at", "parent", "is_active",
        "evicted_by", "is_recallable", "taught", "receipt_text",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        messages: QuerySet[Message] = super().get_queryset(request)
        return messages.defer("receipt").prefetch_related(lean("parent"), lean("evicted_by"))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Message], search_term: str
    ) -> tuple[QuerySet[Message], bool]:
        """Each word in the message, the title of its chat or the name of its owner."""
        for word in search_term.split():
            chats = Chat.objects.filter(title__icontains=word)
            users = User.objects.filter(username__icontains=word)
            queryset = queryset.filter(says(word) | Q(chat__in=chats) | Q(user__in=users))
        return queryset, False

    @admin.display(description="taught")
    def taught(self, message: Message) -> SafeString | str:
        rows = [*message.taught_facts.all(), *message.taught_prompts.all()]
        return format_html_join(", ", "{}", [[link_to(row)] for row in rows]) or "-"

    @admin.display(description="receipt")
    def receipt_text(self, message: Message) -> SafeString | str:
        if not message.receipt:
            return "-"
        text = json.dumps(message.receipt, indent=2, ensure_ascii=False)
        return format_html('<pre class="receipt-text">{}</pre>', text)
