"""Forgetting that holds: the text is gone wherever it was kept, and doesn't come back."""

import hashlib
import hmac
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from memoryapp.memory.operations import Operation, normalised
from memoryapp.memory.wording import content, contents, is_telling, repeats, said
from memoryapp.models import (
    Chat,
    Fact,
    Forgotten,
    MemoryEvent,
    Message,
    MessagePart,
    MessageSpare,
    Prompt,
    User,
)
from memoryapp.models.chats import UNTITLED

GONE = "[forgotten]"
REMOVED = gettext_noop(
    "Removed from: versions {}, log entries {}, receipts {}, messages {}, summaries {}, titles {}"
)
RECEIPT_PARTS = ("memories", "near_misses", "turns", "archive", "prompts")


@dataclass
class Report:
    """What was looked through and how much of it was removed or cleared."""

    memories: int = 0
    versions: int = 0
    log_entries: int = 0
    receipts: int = 0
    messages: int = 0  # no longer recalled, condensed or sent to a model
    summaries: int = 0  # removed, to be written again without it
    titles: int = 0  # made by a model, to be made again without it

    def __str__(self) -> str:
        """The receipt of the forgetting, as the log keeps it."""
        return REMOVED.format(*(getattr(self, field.name) for field in fields(self)[1:]))

    def add(self, other: "Report") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def digest(user: User, key: str, value: str) -> str:
    """A keyed hash of a value's content: tells whether it is the same, never what it was.

    What says little by itself ("yes", "42") is hashed with its key, and not searched for in what
    was said.
    """
    if is_telling(value):
        return hashed(user, content(value))
    return hashed(user, {f"{key}={normalised(value).strip(' .!')}"})


def hashed(user: User, words: Collection[str]) -> str:
    text = f"{user.pk}:{' '.join(sorted(words))}"
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()


def met_before(user: User, operation: Operation) -> Forgotten | None:
    """What was forgotten of all that a proposal says, or turned down of its value."""
    met = Forgotten.objects.filter(user=user)
    if not met.exists():
        return None
    key, value = operation.key, operation.value
    said = digests(user, key, value) | digests(user, key, operation.quote)
    said |= digests(user, key, key.replace("_", " "))
    forgotten = met.filter(digest__in=said, was_turned_down=False)
    return met.filter(digest__in=digests(user, key, value)).first() or forgotten.first()


def digests(user: User, key: str, text: str) -> set[str]:
    """The hashes of all that stands in `text`."""
    return {hashed(user, stretch) for stretch in contents(text)} | {digest(user, key, text)}


def note(row: Fact | Prompt, *, was_turned_down: bool = False) -> None:
    """Hold later extractions to it that this value was forgotten or turned down."""
    if row.user is not None:
        key = GONE if said(row.value, row.key.replace("_", " ")) else row.key
        Forgotten.objects.update_or_create(
            user=row.user,
            digest=digest(row.user, row.key, row.value),
            defaults={"key": key, "was_turned_down": was_turned_down},
        )


def welcome_back(row: Fact | Prompt) -> None:
    """The owner wants this value after all."""
    if row.user is not None:
        of_value = digests(row.user, row.key, row.value)
        Forgotten.objects.filter(user=row.user, digest__in=of_value).delete()


def forget(*, rows: QuerySet[Fact] | QuerySet[Prompt], actor: str) -> Report:
    """Remove these rows with every version of their keys, and their text wherever it was kept.

    It leaves versions, embeddings, the log, receipts, summaries and titles that a model made.
    Messages that say it stay in their chats for their owner to read, but are never recalled,
    condensed or sent to a model again. A later extraction of the same value waits for the owner's
    decision.
    """
    report = Report()
    with transaction.atomic():
        places = {(row.user_id, row.place): row for row in rows}
        for row in places.values():
            report.add(_forget_key(row, actor))
    return report


def _forget_key(row: Fact | Prompt, actor: str) -> Report:
    rows: Any = type(row).objects
    versions: list[Fact | Prompt] = list(rows.versions_of(row))
    report = Report(memories=1, versions=len(versions))
    report.log_entries = _scrub_log(row.user, row.table, row.key, versions)
    if row.user is not None:
        for version in versions:
            note(version)
        silenced = _silence(row.user, versions)
        report.messages = len(silenced)
        report.summaries = _dissolve_summaries(row.user, silenced, versions)
        report.titles = _remove_titles(row.user, versions)
        ids = {str(version.pk) for version in versions} | {str(pk) for pk in silenced}
        report.receipts = _scrub_receipts(row.user, ids)
    rows.filter(pk__in=[version.pk for version in versions]).delete()
    MemoryEvent.objects.create(
        user=row.user,
        action=MemoryEvent.Action.FORGOTTEN,
        table=row.table,
        key=GONE,
        reason=str(report),
        actor=actor,
    )
    return report


def _says_one_of(text: str, versions: Iterable[Fact | Prompt]) -> bool:
    values = (version.value for version in versions if is_telling(version.value))
    return any(repeats(text, value) for value in values)


def _scrub_log(user: User | None, table: str, key: str, versions: Collection[Fact | Prompt]) -> int:
    events = MemoryEvent.objects.filter(user=user)
    ids = [version.pk for version in versions]
    taught = {version.source_message_id for version in versions if version.source_message_id}
    telling = [event.pk for event in events if _tells(event, taught, versions)]
    about = Q(table=table, row_id__in=ids) | Q(table=table, row_id=None, key=key)
    about |= Q(pk__in=telling)
    return events.filter(about).update(
        subject="", key=GONE, before=GONE, after=GONE, quote=GONE, operation=""
    )


def _tells(event: MemoryEvent, taught: set[Any], versions: Collection[Fact | Prompt]) -> bool:
    """Whether an entry of the log says one of these; of the messages that taught it, any word."""
    key = event.key.replace("_", " ")
    text = "\n".join((event.subject, key, event.before, event.after, event.quote))
    has_word = event.message_id in taught and any(said(each.value, text) for each in versions)
    return has_word or _says_one_of(text, versions)


def _silence(user: User, versions: Collection[Fact | Prompt]) -> set[Any]:
    """Keep the messages that taught or say it from ever reaching a prompt again.

    A reply to what taught it says it too if it has any word of it.
    """
    messages = Message.objects.for_user(user).spoken()
    taught = {version.source_message_id for version in versions if version.source_message_id}
    silenced = set(taught)
    for pk, parent, body in messages.values_list("pk", "parent_id", "body"):
        answers = parent in taught and any(said(version.value, body) for version in versions)
        if answers or _says_one_of(body, versions):
            silenced.add(pk)
    messages.filter(pk__in=silenced).update(is_recallable=False, embedding=None)
    MessagePart.objects.filter(message__in=silenced).delete()
    MessageSpare.objects.filter(row__in=silenced).delete()
    return silenced


def _dissolve_summaries(user: User, silenced: set[Any], versions: Collection[Fact | Prompt]) -> int:
    """Remove the summaries that may hold it; what they covered is history again until the next
    round condenses it anew."""
    messages = Message.objects.for_user(user)
    summaries = messages.filter(role=Message.Role.SUMMARY)
    covering = set(messages.filter(pk__in=silenced).values_list("evicted_by", flat=True))
    folded_into: dict[Any, Any] = {}
    holding = []
    for summary in summaries:
        folded_into[summary.pk] = summary.evicted_by_id
        if summary.pk in covering or _says_one_of(summary.body, versions):
            holding.append(summary.pk)
    # What a summary holds, the later ones that it was folded into may hold too.
    tainted: set[Any] = set()
    for pk in holding:
        while pk is not None and pk not in tainted:
            tainted.add(pk)
            pk = folded_into[pk]
    Message.objects.filter(evicted_by__in=tainted).update(evicted_by=None)
    Message.objects.filter(pk__in=tainted).delete()
    return len(tainted)


def _remove_titles(user: User, versions: Collection[Fact | Prompt]) -> int:
    titled = Chat.objects.for_user(user).filter(title_source=Chat.TitleSource.AUTO)
    telling = [chat.pk for chat in titled if _says_one_of(chat.title, versions)]
    return titled.filter(pk__in=telling).update(
        title=user.translate(UNTITLED), title_source=Chat.TitleSource.DEFAULT
    )


def _scrub_receipts(user: User, ids: set[str]) -> int:
    """Take the text of these memories and turns out of receipts."""
    holds = Q()
    for id in ids:
        for part in RECEIPT_PARTS:
            holds |= Q(**{f"receipt__{part}__contains": [{"id": id}]})
            holds |= Q(**{f"receipt__{part}__contains": [{"since_ids": [id]}]})
    holding = Message.objects.for_user(user).filter(holds)
    for message in holding:
        for part in RECEIPT_PARTS:
            for entry in message.receipt.get(part, []):
                if entry["id"] in ids:
                    entry["text"] = GONE
                if ids & {entry["id"], *entry.get("since_ids", [])}:
                    entry |= {key: "" for key in ("since", "ended") if key in entry}
        Message.objects.filter(pk=message.pk).update(receipt=message.receipt)
    return len(holding)
