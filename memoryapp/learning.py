"""What the extractor is given of a chat: what it hasn't read yet, and what is known already."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from django.db.models import OuterRef, QuerySet, Subquery
from pgvector.django import CosineDistance

from memoryapp.agents.portions import shortened
from memoryapp.memory import indexing, ledger, recall
from memoryapp.memory.language.pasted import PASTED_CHARS
from memoryapp.memory.language.phrases import is_off_the_record, takes_back_the_last
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Prompt, User

if TYPE_CHECKING:
    from memoryapp.agents.extractor import Heard, Known

# So much of what is known the extractor is shown, to use the keys of it; repeats are found by the
# ledger. Of more than that it is the newest prompts and the nearest facts.
KNOWN_ROWS, KNOWN_PROMPTS, KNOWN_WAITING = 40, 20, 20
# While turns come quickly, so many are read at once: most of what the extractor is sent is the same
# for one turn as for several.
TURNS_TOGETHER = 6


def unread(chat: Chat) -> list[Message]:
    """The finished turns of the active branch that the extractor hasn't had.

    None while there are few and the next one is being answered, whose end asks again.
    """
    unread = chat.archive.spoken().on_branch().filter(is_extracted=False, is_imported=False)
    new = list(unread)
    is_more_coming = any(message.status == Message.Status.STREAMING for message in new)
    while new and not new[-1].is_finished_reply:
        new.pop()
    batch = [message for message in new if message.body and message.is_recallable]
    num_turns = sum(message.role == Message.Role.USER for message in batch)
    return [] if is_more_coming and num_turns < TURNS_TOGETHER else batch


def on_record(batch: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """The batch without what the person asked not to remember, and the messages taken back for it.

    What is said of the message before takes that one out too, and undoes what it had taught.
    """
    kept, taken_back = list[Message](), list[Message]()
    for message in batch:
        if message.role != Message.Role.USER or not is_off_the_record(message.body):
            kept.append(message)
        elif takes_back_the_last(message.body):
            earlier = message.chat.archive.on_branch().filter(role=Message.Role.USER)
            last = earlier.filter(created_at__lt=message.created_at).last()
            if last is not None:
                ledger.take_back(message=last, actor=last.user.username)
                indexing.take_off_record(last)
                kept = [other for other in kept if other.pk != last.pk]
                taken_back.append(last)
    return kept, taken_back


def last_said(batch: Sequence[Message]) -> Message | None:
    """The person's own last message among these."""
    said = [message for message in batch if message.role == Message.Role.USER]
    return said[-1] if said else None


def changed(batch: Sequence[Message], events: Sequence[MemoryEvent]) -> list[Message]:
    """The person's messages under whose replies these events change what stands there.

    Always with the last one, where a failure may stand that is over now; what taught something
    comes after it, for only one notice is shown.
    """
    ids, last = {event.message_id for event in events}, last_said(batch)
    said = (message for message in batch if message.pk in ids or message == last)
    return sorted(said, key=lambda message: message.pk in ids)


def stand_still(batch: Sequence[Message]) -> bool:
    """Whether what the person said here may be learned from still: they may have left its branch
    since it was read, or have had forgotten what it says."""
    said = [message.pk for message in batch if message.role == Message.Role.USER]
    own = Message.objects.on_branch().filter(pk__in=said, is_recallable=True)
    standing: int = own.count()
    return standing == len(said)


def mark_read(batch: Sequence[Message]) -> None:
    """Note that the extractor has had these."""
    ids = [message.pk for message in batch]
    Message.objects.filter(pk__in=ids).update(is_extracted=True)


def heard(user: User, batch: Sequence[Message]) -> "list[Heard]":
    """The messages as the extractor reads them."""
    from memoryapp.agents.extractor import Heard, Speaker

    return [
        Heard(
            number=number,
            role=cast(Speaker, message.role),
            body=own_words(message) if message.is_imported else message.body,
            said_at=message.created_at.astimezone(user.zone),
        )
        for number, message in enumerate(batch, 1)
    ]


def own_words(message: Message) -> str:
    """The message without what its author can't have written themselves: all between the first and
    the last line of a very long one, as `is_pasted` tells it."""
    if len(message.body) <= PASTED_CHARS:
        return message.body
    lines = message.body.strip().split("\n")
    ends = lines if len(lines) == 1 else (lines[0], lines[-1])
    return "\n…\n".join(shortened(line, PASTED_CHARS) for line in ends)


def known(user: User, batch: Sequence[Message]) -> "list[Known]":
    """The facts and prompts that the extractor may change, with small numbers for ids."""
    from memoryapp.agents.extractor import Known

    prompts = list(Prompt.objects.for_user(user).in_use()[:KNOWN_PROMPTS])
    rows = [*_facts(user, batch, KNOWN_ROWS - len(prompts)), *prompts]
    if any(message.is_imported for message in batch):
        rows += _waiting_facts(user, batch)
    return [
        Known(
            number=number,
            id=str(row.pk),
            table=row.table,
            kind=getattr(row, "kind", ""),
            key=row.key,
            value=row.value,
            subject=getattr(row, "subject", ""),
        )
        for number, row in enumerate(rows, 1)
    ]


def _facts(user: User, batch: Sequence[Message], most: int) -> list[Fact]:
    """All facts in use, or if they are more than `most` those nearest to what was said."""
    in_use = Fact.objects.for_user(user).in_use()
    facts = list(in_use[: most + 1])
    if len(facts) <= most:
        return facts
    said = "\n".join(message.body for message in batch if message.role == Message.Role.USER)
    nearest = recall.search(user, said, limit=most)
    return list(in_use.filter(pk__in=[memory.id for memory in nearest]))


def _waiting_facts(user: User, batch: Sequence[Message]) -> QuerySet[Fact]:
    """Of the facts that wait, those nearest to one of these messages: what is imported may go on
    with what was imported before it."""
    said = Message.objects.filter(pk__in=[message.pk for message in batch])
    compared = said.filter(embedding_model=OuterRef("embedding_model"))
    distance = compared.values(distance=CosineDistance("embedding", OuterRef("embedding")))
    nearest = Subquery(distance.order_by("distance")[:1])
    waiting = Fact.objects.for_user(user).waiting()
    return waiting.order_by(nearest.asc(nulls_last=True), "-recorded_at")[:KNOWN_WAITING]
