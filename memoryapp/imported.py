"""Imported chats as something to learn from: whether that is wanted, how far it is, what is next.

Nothing of it is kept but what its owner wants and which messages were read.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db.models import Case, Count, F, Func, IntegerField, Q, Sum, Value, When
from django.db.models.functions import Coalesce, Least
from django.utils.translation import gettext as _

from memoryapp import learning
from memoryapp.agents.portions import shortened, size
from memoryapp.memory import log
from memoryapp.memory.language.pasted import PASTED_CHARS
from memoryapp.models import Message, User
from memoryapp.models.chats import learning_wanted
from memoryapp.models.messages import MessageQuerySet

SOUGHT_AT_ONCE = 200  # messages, of which one question holds fewer
OWN = Q(role=Message.Role.USER)


@dataclass(frozen=True)
class Progress:
    """How far it is, in the person's own messages that can be learned from."""

    is_going_on: bool
    num_read: int
    num_messages: int
    num_questions: int  # about so many are left to ask
    failure: str  # why it can't go on

    @property
    def num_left(self) -> int:
        return self.num_messages - self.num_read


def readable(user: User) -> MessageQuerySet:
    """The imported messages that may be learned from, read or not, oldest first."""
    imported = Message.objects.for_user(user).spoken().on_branch().filter(is_imported=True)
    recallable: MessageQuerySet = imported.filter(is_recallable=True, chat__memory_on=True)
    return recallable.exclude(body="").order_by("created_at", "id")


def progress(user: User) -> Progress:
    unread = Q(is_extracted=False)
    counts = readable(user).aggregate(
        read=Count("pk", filter=OWN & ~unread),
        messages=Count("pk", filter=OWN),
        unread_bytes=Coalesce(Sum(_bytes_sent(), filter=unread), 0),
    )
    wanted = User.objects.filter(pk=user.pk, learns_imports=True).exists()
    failed = log.failures(user).first() if wanted else None
    return Progress(
        is_going_on=wanted,
        num_read=counts["read"],
        num_messages=counts["messages"],
        num_questions=math.ceil(counts["unread_bytes"] / _portion()),
        failure=failed.reason if failed else "",
    )


def _bytes_sent() -> Case:
    """About how much of a message is sent, as SQL."""
    from memoryapp.agents.extractor import CONTEXT_BYTES

    length = Func(F("body"), function="octet_length", output_field=IntegerField())
    own, reply = (Least(length, Value(most)) for most in (2 * PASTED_CHARS, CONTEXT_BYTES))
    return Case(When(OWN, then=own), default=reply)


def _portion() -> int:
    from memoryapp.agents.extractor import PORTION_BYTES

    return PORTION_BYTES


def check_wanted(user: User) -> None:
    """Raise ValidationError if this person's memory is off."""
    if not user.memory_on:
        raise ValidationError(
            _("Memory is off, so nothing can be learned. Switch it on in the settings first.")
        )


def start(user: User) -> None:
    """Learn from all that was imported and isn't read yet, or try again; as `check_wanted`."""
    check_wanted(user)
    log.failures(user).delete()
    User.objects.filter(pk=user.pk).update(learns_imports=True)
    learning_wanted.send(sender=User, instance=user)


def stop(user: User) -> None:
    """Leave the rest unread. What is being read just now is not learned any more either."""
    User.objects.filter(pk=user.pk).update(learns_imports=False)


def leave_out(user: User) -> None:
    """Go on without the messages that couldn't be read, as when a model won't take them."""
    batch = next_batch(user)
    if log.failures(user).filter(message__in=batch).exists():
        learning.mark_read(batch)
    start(user)


def next_batch(user: User) -> list[Message]:
    """The oldest messages not read yet, as many as go into one question."""
    unread = readable(user).filter(is_extracted=False).select_related("user", "chat__user")
    batch, room = list[Message](), _portion()
    for message in unread.defer("receipt")[:SOUGHT_AT_ONCE]:
        room -= _num_bytes(message)
        if batch and room < 0:
            break
        batch.append(message)
    return batch


def _num_bytes(message: Message) -> int:
    from memoryapp.agents.extractor import CONTEXT_BYTES

    is_own = message.role == Message.Role.USER
    return size(learning.own_words(message) if is_own else shortened(message.body, CONTEXT_BYTES))


def is_wanted_still(user: User, batch: Sequence[Message]) -> bool:
    """Whether all of these are to be learned from, as it is now; holds them until the transaction
    ends, for they may be forgotten, left or deleted while a model reads them."""
    ids = [message.pk for message in batch]
    unread = readable(user).filter(pk__in=ids, is_extracted=False)
    held = unread.select_for_update(of=("self",), no_key=True)
    is_wanted = User.objects.filter(pk=user.pk, memory_on=True, learns_imports=True).exists()
    return is_wanted and len(held.values_list("pk")) == len(batch)
