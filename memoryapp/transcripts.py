"""One chat as a file: Markdown to read, JSON to take elsewhere."""

import json
from collections.abc import Callable
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memoryapp import fragments
from memoryapp.models import Chat, Message


def as_markdown(chat: Chat) -> str:
    """What the page shows: the branch one is on, each message under who said it and when."""
    parts = [f"# {chat.title}"]
    for message in fragments.shown(chat).spoken():
        who = _("You") if message.role == Message.Role.USER else _("Reply")
        when = date_format(timezone.localtime(message.created_at), "DATETIME_FORMAT")
        parts += [f"## {who}, {when}", message.body]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_json(chat: Chat) -> str:
    """Every message of every branch, oldest first, with what went into the replies."""
    messages = [
        {
            "id": str(message.pk),
            "parent": message.parent_id and str(message.parent_id),
            "role": message.role,
            "body": message.body,
            "status": message.status,
            "is_active": message.is_active,
            "created_at": message.created_at.isoformat(),
            "receipt": message.receipt or None,
        }
        for message in chat.archive
    ]
    whole: dict[str, Any] = {
        "id": str(chat.pk),
        "title": chat.title,
        "created_at": chat.created_at.isoformat(),
        "messages": messages,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


KINDS: dict[str, tuple[str, Callable[[Chat], str]]] = {
    "md": ("text/markdown; charset=utf-8", as_markdown),
    "json": ("application/json", as_json),
}
