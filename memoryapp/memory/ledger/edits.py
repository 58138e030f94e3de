"""What a person, an administrator or a program writes into memory, edits or takes out."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from memoryapp.memory.ledger import rows
from memoryapp.memory.operations import same_value
from memoryapp.memory.review import is_secret
from memoryapp.models import Fact, Prompt, User
from memoryapp.models.memory import TABLES, Status
from memoryapp.visible import visible

CHANGED_IN_PLACE = ("kind", "subject", "due_at", "expires_at", "is_pinned", "local_only", "status")
KEPT = ("user", "key", "value", "config", *CHANGED_IN_PLACE)


def remember(
    *,
    user: User | None,
    table: str,
    key: str,
    value: str,
    actor: str,
    origin: str,
    **fields: Any,
) -> Fact | Prompt:
    """Store what a person, an administrator or a program states; the current value if it is new.

    A different current value of the key is superseded. `fields` are further columns of the row
    (`kind`, `subject`, `due_at`, `expires_at`, `is_pinned`, `local_only`, `status`). Without a
    user it is a prompt of the global persona. Raises ValidationError, also for a secret.
    """
    key, value = visible(key), visible(value)
    _check_no_secret(key, value)
    with transaction.atomic():
        rows.lock(user)
        row = TABLES[table](user=user, key=key, value=value, actor=actor, origin=origin, **fields)
        if user is not None:
            row.config = user.search_config
            row.local_only = fields.get("local_only", user.local_models_only)
        current = rows.holder(row)
        if current is not None and same_value(current.value, row.value):
            return edit(row=current, actor=actor, origin=origin, **fields)
        rows.keep_choices(current, row, chosen={"status", *fields})
        rows.supersede(current, row)
    return row


def edit(*, row: Fact | Prompt, actor: str, origin: str = "user", **changes: Any) -> Fact | Prompt:
    """Change a current row. A new value or key supersedes it, the rest changes in place.

    Returns the row that is current afterwards. Raises ValidationError, also for a secret and
    when the row has been superseded meanwhile.
    """
    with transaction.atomic():
        rows.lock(row.user)
        row = type(row).objects.get(pk=row.pk)
        _check_editable(row)
        changes = {name: new for name, new in changes.items() if getattr(row, name) != new}
        if not changes:
            return row
        if "value" in changes or "key" in changes:
            return _edit_into_new_row(row, actor, origin, changes)
        rows.amend(row, changes, actor=actor)
    return row


def _check_no_secret(key: str, value: str) -> None:
    if is_secret(key, value):
        raise ValidationError(
            _(
                "This looks like a password, a key or a card number. Memory goes to models, so it "
                "keeps none. Put it into a password manager."
            ),
            code="secret",
        )


def _check_editable(row: Fact | Prompt) -> None:
    if row.status == Status.PENDING:
        raise ValidationError(_("This waits for your decision. Approve it or turn it down first."))
    if row.valid_to is not None:
        now = rows.holder(row)
        raise ValidationError(
            _("This was changed meanwhile: it now says “%(value)s”. Look at that first.")
            % {"value": now.value}
            if now
            else _("This was taken back meanwhile. Load the page again and look.")
        )


def _edit_into_new_row(
    row: Fact | Prompt, actor: str, origin: str, changes: dict[str, Any]
) -> Fact | Prompt:
    new = rows.copy(row, KEPT, **{**changes, "origin": origin, "actor": actor})
    new.key, new.value = visible(new.key), visible(new.value)
    _check_no_secret(new.key, new.value)
    rows.check_place(new, held_by=row)
    rows.supersede(row, new)
    return new


def retract(*, row: Fact | Prompt, actor: str, reason: str = "") -> None:
    """Close a current row without a successor; it stays in the history.

    Nothing happens to one that is closed already, or that waits: that is to be decided.
    """
    with transaction.atomic():
        rows.lock(row.user)
        row = type(row).objects.get(pk=row.pk)
        if row.valid_to is None and row.status != Status.PENDING:
            rows.close(row, actor=actor, reason=reason)
