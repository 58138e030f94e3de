"""How the log, receipts and usage say what happened, and by whom."""

import re

from django import template
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memoryapp.memory.ledger import CHANGED_IN_PLACE, EXTRACTOR
from memoryapp.models import MemoryEvent
from memoryapp.templatetags.page import kind_name

Action = MemoryEvent.Action
# Before each value that was changed in place, as the ledger logs them.
NAMES = re.compile(rf"(?:^|, )({'|'.join(CHANGED_IN_PLACE)}): ")
register = template.Library()


@register.filter
def action_name(action: str) -> str:
    return {
        Action.ADDED: _("Added"),
        Action.CHANGED: _("Changed"),
        Action.CLOSED: _("Closed"),
        Action.EDITED: _("Edited"),
        Action.RESTORED: _("Restored"),
        Action.FORGOTTEN: _("Forgotten"),
        Action.REFUSED: _("Refused"),
        Action.PARKED: _("Waiting"),
        Action.APPROVED: _("Approved"),
        Action.TURNED_DOWN: _("Turned down"),
        Action.FAILED: _("Failed"),
        Action.READ: _("Read by an administrator"),
    }.get(Action(action), action)


@register.filter
def table_name(table: str) -> str:
    return {
        "fact": _("a fact"),
        "prompt": _("a rule for answering"),
        "chat": _("a chat"),
        "message": _("a message"),
    }.get(table, table)


@register.filter
def agent_name(agent: str) -> str:
    """What an agent does."""
    return {
        "talker": _("Replies"),
        "extractor": _("Learning"),
        "summarizer": _("Condensing"),
        "title": _("Titles"),
    }.get(agent, agent)


@register.filter
def actor_name(actor: str) -> str:
    """Who changed a memory: the assistant speaks of itself, anybody else has their name."""
    return _("me") if actor == EXTRACTOR else actor


@register.filter
def role_name(role: str) -> str:
    return {"user": _("You"), "assistant": _("Reply"), "summary": _("Summary")}.get(role, role)


@register.filter
def in_place(logged: str) -> str:
    """Columns and values that were changed in place, in words: "pinned: yes"."""
    _before, *parts = NAMES.split(logged)
    changes = zip(parts[::2], parts[1::2], strict=True)
    return ", ".join(f"{column_name(name)}: {value_name(name, value)}" for name, value in changes)


def column_name(name: str) -> str:
    return {
        "kind": _("kind"),
        "subject": _("about"),
        "due_at": _("due"),
        "expires_at": _("use until"),
        "is_pinned": _("pinned"),
        "local_only": _("local models only"),
        "status": _("status"),
    }[name]


def value_name(name: str, value: str) -> str:
    if name == "kind":
        return kind_name(value)
    if name in ("due_at", "expires_at") and (moment := parse_datetime(value)):
        return date_format(timezone.localtime(moment), "SHORT_DATETIME_FORMAT")
    return {
        "True": _("yes"),
        "False": _("no"),
        "None": "–",
        "": "–",
        "active": _("in use"),
        "paused": _("paused"),
    }.get(value, value)
