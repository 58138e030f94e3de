"""How values look on the page: icons, moments, markdown, and what a receipt says about itself."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django import template
from django.forms import BoundField
from django.template import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryapp import accounts, markdown, sentences
from memoryapp.key_names import named
from memoryapp.memory.recall.memories import DUE, DUE_DAY, TURN
from memoryapp.models import Chat, Fact, MemoryEvent, Prompt
from memoryapp.models.memory import label

THEMES = ("light", "dark")
FOLDED_LINES, FOLDED_CHARS = 40, 4000  # a message with more is folded, to so many at most:
SHOWN_LINES, SHOWN_CHARS = 8, 500

# The words that have room; where none ends in time, as in Chinese, it is cut wherever that is.
WORDS = re.compile(rf".{{{SHOWN_CHARS - 100},{SHOWN_CHARS}}}(?<=\s)", re.DOTALL)

register = template.Library()


@register.simple_tag
def icon(name: str, *looks: str, extra: str = "") -> SafeString:
    """An icon of static/img/icons.svg; `looks` are endings of its classes: small, memory, turns."""
    classes = " ".join(["icon", *(f"icon--{look}" for look in looks), *extra.split()])
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        classes,
        static("img/icons.svg"),
        quote(name),
    )


@register.simple_tag(takes_context=True)
def theme(context: Context) -> SafeString:
    """The attribute of <html> for somebody who chose light or dark; else the system decides."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme") if request else None
    return SafeString(f' data-theme="{chosen}"' if chosen in THEMES else "")


@register.filter
def as_html(body: str) -> SafeString:
    return markdown.render(body)


@register.filter
def parted(body: str) -> tuple[str, str]:
    """The final blocks of a text that grows, and its rest."""
    final = markdown.final_chars(body)
    return body[:final], body[final:]


register.filter(accounts.device)


@register.filter
def folded(body: str) -> tuple[str, str]:
    """What is shown of a long message at once, and what opens from it ("" if it is short)."""
    lines = body.splitlines(keepends=True)
    if len(lines) <= FOLDED_LINES and len(body) <= FOLDED_CHARS:
        return body, ""
    shown = "".join(lines[:SHOWN_LINES])
    if len(shown) > SHOWN_CHARS:
        words = WORDS.match(shown)
        shown = words[0] if words else shown[:SHOWN_CHARS]
    return shown, body[len(shown) :]


@register.filter
def more(folded: tuple[str, str]) -> str:
    """How much of a folded message isn't shown: lines, or characters where it ends within one."""
    shown, rest = folded
    if shown.endswith("\n"):
        n = len(rest.splitlines())
        return ngettext("%(n)s more line", "%(n)s more lines", n) % {"n": n}
    n = len(rest)
    told = ngettext("%(n)s more character", "%(n)s more characters", n)
    return told % {"n": number_format(n, force_grouping=True)}


@register.filter
def is_next(field: BoundField) -> bool:
    """Whether somebody goes on with this field: the first of its form that is empty or wrong."""
    fields = field.form.visible_fields()
    to_fill = (
        each for each in fields if each.errors or each.widget_type == "password" or not each.value()
    )
    return field is next(to_fill, None)


@register.filter
def styled(field: BoundField, flag: str = "") -> SafeString:
    """A form field's control in the house's look, with what it shows if the form notes that."""
    control = field.as_widget(attrs={"class": "input", **({flag: True} if flag else {})})
    if field.field.show_hidden_initial:
        control += field.as_hidden(only_initial=True)
    return control


@register.filter
def when(moment: datetime | str | None) -> str:
    """A moment as one says it: "today 18:02", "yesterday 09:14", "12 Nov", "12 Nov 2025"."""
    if isinstance(moment, str):
        moment = parse_datetime(moment)
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    today = timezone.localdate()
    days = (today - local.date()).days
    if days == 0:
        return _("today %(time)s") % {"time": date_format(local, "TIME_FORMAT")}
    if days == 1:
        return _("yesterday %(time)s") % {"time": date_format(local, "TIME_FORMAT")}
    is_this_year = local.year == today.year
    return date_format(local, "MONTH_DAY_FORMAT" if is_this_year else "SHORT_DATE_FORMAT")


@register.filter
def day(moment: datetime) -> str:
    """The day of a moment, as it parts the messages of a chat."""
    local = timezone.localtime(moment)
    days = (timezone.localdate() - local.date()).days
    return {0: _("Today"), 1: _("Yesterday")}.get(days) or date_format(local, "DATE_FORMAT")


register.filter(sentences.localized)


@register.filter
def about(row: Fact | Prompt | MemoryEvent) -> str:
    """Whom and what it is about, as a person reads it: "dark_ui" of Ben is "Ben: Dark ui"."""
    subject = getattr(row, "subject", "")
    value = row.after or row.before if isinstance(row, MemoryEvent) else row.value
    words = named(label(row.key, value))
    key = words[:1].upper() + words[1:]
    return f"{subject}: {key}" if subject else key


@register.filter
def told(memory: dict[str, Any]) -> str:
    """A receipt's memory as a person reads it: its key, and when it is due, in their language."""
    text: str = memory["text"]
    if memory.get("kind") == TURN:
        return text
    *about, value = text.split(": ", 2)  # whom it is about, if somebody else, and the key
    return DUE.sub(_due, ": ".join([*map(named, about), value]))


def _due(found: re.Match[str]) -> str:
    try:
        day = datetime.strptime(found["day"], DUE_DAY).date()  # noqa: DTZ007 - a day has no zone
    except ValueError:  # words of somebody's own that only look like it
        return found[0]
    when = f"{date_format(day, 'l')}, {date_format(day, 'DATE_FORMAT')}{found['time'] or ''}"
    return f"({_('due %(when)s') % {'when': when}})"


@register.filter
def why(memory: dict[str, Any]) -> str:
    """Why a receipt's memory was recalled: "always", or how near it was and by what."""
    reason, score = memory.get("reason", ""), memory.get("score")
    said = {
        "always": _("always"),
        "pinned": _("pinned"),
        "due": _("due"),
        "asked": _("asked for"),
        "meaning": _("by meaning"),
        "words": _("by words"),
    }.get(reason, reason)
    return (
        said
        if score is None or reason in ("always", "pinned", "asked")
        else f"{said} {number_format(score, 2)}"
    )


@register.filter
def per_cent(part: float | None, whole: float = 1) -> int:
    """`part` of `whole` as the width of a bar: between 0 and 100."""
    return round(100 * min(max((part or 0) / whole, 0), 1)) if whole else 0


@register.filter
def kind_of(row: Fact | Prompt) -> str:
    return row.kind if isinstance(row, Fact) else "persona"


@register.filter
def kind_icon(kind: str) -> str:
    """The icon of a kind of memory; an earlier turn is drawn as a chat."""
    return "chat" if kind == TURN else kind


@register.filter
def kind_name(kind: str) -> str:
    others = {TURN: _("Message"), "persona": _("How to answer")}
    return str(dict(Fact.Kind.choices).get(kind) or others.get(kind, kind))


@register.filter
def by_day(chats: Iterable[Chat]) -> list[tuple[str, list[Chat]]]:
    """Chats in their order, under the day or month of their last message."""
    today = timezone.localdate()
    groups: dict[str, list[Chat]] = {}
    for chat in chats:
        last = timezone.localtime(chat.last_message_at).date()
        age = (today - last).days
        if chat.is_pinned:
            label = _("Pinned")
        elif age <= 1:
            label = _("Today") if age <= 0 else _("Yesterday")
        elif age <= 7:
            label = _("Last 7 days")
        else:
            label = date_format(last, "F" if last.year == today.year else "YEAR_MONTH_FORMAT")
        groups.setdefault(label, []).append(chat)
    return list(groups.items())
