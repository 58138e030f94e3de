"""How the log says what happened."""

from django import template
from django.utils.translation import gettext as _

from memoryapp.models import MemoryEvent

Action = MemoryEvent.Action
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
