"""What an export of memoryapp says is known of a person, proposed to them once more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.ids import as_uuid
from memoryapp.importing.formats import Unknown, text_of
from memoryapp.importing.records import moment
from memoryapp.memory import ledger
from memoryapp.memory.operations import Operation, Table, storable
from memoryapp.models import Fact, Message, User
from memoryapp.visible import visible

FLAGS = ("is_pinned", "local_only")


@dataclass(frozen=True)
class MemoryRecord:
    """A fact or a prompt of a file, and the message that taught it."""

    operation: Operation
    source: UUID | None
    has_ended: bool
    flags: Mapping[str, bool]


def read(table: str, data: Any, sources: Mapping[str, UUID]) -> MemoryRecord:
    """`sources` tells where messages of the file are here. Raises Unknown."""
    if not isinstance(data, dict):
        raise Unknown
    key, value = (visible(storable(text_of(data.get(name)))) for name in ("key", "value"))
    if not key or not value:
        raise Unknown
    kind, taught_by = data.get("kind"), text_of(data.get("source_message"))
    operation = Operation(
        action="add",
        table=cast(Table, table),
        key=key,
        value=value,
        quote=storable(text_of(data.get("quote"))),
        kind=kind if kind in Fact.Kind.values else Fact.Kind.FACT,
        subject=storable(text_of(data.get("subject"))),
        valid_from=moment(data.get("valid_from")),
        due_at=moment(data.get("due_at")),
        expires_at=moment(data.get("expires_at")),
    )
    return MemoryRecord(
        operation,
        source=sources.get(taught_by) or as_uuid(taught_by),
        has_ended=data.get("valid_to") is not None,
        flags={name: data.get(name) is True for name in FLAGS},
    )


def propose(user: User, memory: MemoryRecord) -> str:
    """Have it wait in the inbox; "" if it does, or why it was left out."""
    expires_at = memory.operation.expires_at
    if memory.has_ended:
        return _("Earlier values stay outside; only what holds is proposed.")
    if expires_at is not None and expires_at <= timezone.now():
        return _("It has expired.")
    mine = Message.objects.for_user(user)
    source = mine.filter(pk=memory.source).first() if memory.source else None
    try:
        reason = ledger.propose(
            user=user, operation=memory.operation, source=source, **memory.flags
        )
    except ValidationError as error:
        return " ".join(error.messages)
    return _(reason) if reason else ""
