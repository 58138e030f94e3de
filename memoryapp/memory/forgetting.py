"""Forgetting that holds: the text is gone wherever it was kept, and doesn't come back."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from memoryapp.memory.forgotten import GONE, note_all, teller
from memoryapp.memory.indexing import take_out
from memoryapp.memory.language.wording import said
from memoryapp.memory.ledger.rows import lock
from memoryapp.memory.recall.scan import fetch
from memoryapp.memory.traces import Traces
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Prompt, User
from memoryapp.models.chats import UNTITLED
from memoryapp.models.memory import TABLES, Status

REMOVED = gettext_noop(
    "Removed from: versions {}, log entries {}, receipts {}, messages {}, summaries {}, titles {}"
)
RECEIPT_PARTS = ("memories", "near_misses", "turns", "archive", "prompts")
RECEIPTS_AT_ONCE = 200  # some megabytes
COMMITTED_WITHIN = timedelta(minutes=1)  # so long it may take until others see a forgetting
# The replies with one of these ids on their receipt, or with what holds instead of it.
HOLDING = """
select id from memoryapp_message where user_id = %(user)s and receipt <> '{}' and exists (
    select from unnest(array['$.*[*].id', '$.*[*].since_ids[*]']::jsonpath[]) as path,
        jsonb_path_query(receipt, path) as found
    where found #>> '{}' = any(%(ids)s)
)
"""
Place = tuple[str, str]
Taught = dict[Any, set[str]]  # by message


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


def forget(*, rows: QuerySet[Fact] | QuerySet[Prompt], actor: str) -> Report:
    """Remove these rows with every version of theirs, and their text wherever it was kept.

    It is gone from embeddings, the log, receipts and what waits for a decision. Summaries and
    titles of a model's that say it are removed, to be written again without it.
    Messages that say it stay in their chats for their owner to read, but are never recalled,
    condensed or sent to a model again. A later extraction of the same value waits for the owner's
    decision. All that a person has is looked through once, however many rows these are.
    """
    report = Report()
    with transaction.atomic():
        places: dict[int | None, set[Place]] = defaultdict(set)
        for row in rows:
            places[row.user_id].add(row.place)
        for owner, of_owner in places.items():
            user = User.objects.get(pk=owner) if owner else None
            lock(user)
            report.add(_forget_places(rows.model, user, of_owner, actor))
    return report


def catch_up(reply: Message) -> None:
    """Take out of a reply what was forgotten while it was written."""
    with transaction.atomic():
        lock(reply.user)
        since = reply.created_at - COMMITTED_WITHIN
        forgettings = MemoryEvent.objects.filter(user=reply.user, created_at__gt=since)
        if not forgettings.filter(action=MemoryEvent.Action.FORGOTTEN).exists():
            return
        reply.refresh_from_db(fields=["receipt"])
        told = {id for entry in _entries(reply) for id in _ids(entry)}
        says_forgotten = teller(reply.user)
        if says_forgotten(reply.receipt.get("instructions", "")):
            reply.receipt["instructions"] = GONE
        _scrub_receipt(reply, told - _standing(told))
        Message.objects.bulk_update([reply], ["receipt"])
        if says_forgotten(reply.body):
            take_out(Message.objects.filter(pk=reply.pk), is_recallable=False)


def _standing(ids: set[str]) -> set[str]:
    """Those of these facts, prompts and messages that may be told."""
    tables: list[Any] = [table.objects for table in TABLES.values()]
    found = [
        rows.filter(pk__in=ids) for rows in (*tables, Message.objects.filter(is_recallable=True))
    ]
    return {str(pk) for rows in found for pk in rows.values_list("pk", flat=True)}


def _forget_places(
    table: type[Fact] | type[Prompt], user: User | None, places: set[Place], actor: str
) -> Report:
    versions = _versions(table, user, places)
    traces = Traces(version.value for version in versions)
    taught = _taught(versions)
    report = Report(memories=len(places), versions=len(versions))
    report.log_entries = _scrub_log(user, versions, taught, traces)
    if user is not None:
        note_all(user, versions)
        silenced = _silence(user, taught, traces)
        report.messages = len(silenced)
        report.summaries = _dissolve_summaries(user, silenced, traces)
        report.titles = _remove_titles(user, traces)
        ids = {str(version.pk) for version in versions} | {str(pk) for pk in silenced}
        report.receipts = _scrub_receipts(user, ids, traces)
        _drop_waiting(user, traces)
    table.objects.filter(pk__in=[version.pk for version in versions]).delete()
    MemoryEvent.objects.create(
        user=user,
        action=MemoryEvent.Action.FORGOTTEN,
        table=table._meta.model_name or "",
        key=GONE,
        reason=str(report),
        actor=actor,
    )
    return report


def spares(told: Iterable[Message]) -> bool:
    """Whether nothing that a model was told of these messages was forgotten since they were read.
    Whoever writes what it made of them holds the ledger's lock."""
    ids = {message.pk for message in told if message.is_recallable}
    standing: int = Message.objects.filter(pk__in=ids, is_recallable=True).count()
    return standing == len(ids)


def _versions(
    table: type[Fact] | type[Prompt], user: User | None, places: set[Place]
) -> list[Fact | Prompt]:
    """What these keys have ever said, under former names of theirs, too."""
    own: Any = table.objects.filter(user=user)
    found: dict[Any, Fact | Prompt] = {
        row.pk: row for row in own.filter(key__in={key for _, key in places}) if row.place in places
    }
    newest: Collection[Fact | Prompt] = list(found.values())
    while newest:
        before, after = {row.replaces_id for row in newest}, {row.pk for row in newest}
        linked = own.filter(Q(pk__in=before) | Q(replaces__in=after)).exclude(pk__in=found)
        newest = list(linked)
        found |= {row.pk: row for row in newest}
    return list(found.values())


def _drop_waiting(user: User, traces: Traces) -> None:
    """Remove what says it, too, and waits for a decision."""
    for table in TABLES.values():
        waiting: Any = table.objects.for_user(user).filter(status=Status.PENDING)
        telling = [row.pk for row in waiting if traces.said_in(f"{row.text}\n{row.quote}")]
        waiting.filter(pk__in=telling).delete()


def _taught(versions: Iterable[Fact | Prompt]) -> Taught:
    """By each message that taught one of these: all values of the keys that it taught."""
    values: dict[Place, set[str]] = defaultdict(set)
    for version in versions:
        values[version.place].add(version.value)
    taught: Taught = defaultdict(set)
    for version in versions:
        if version.source_message_id:
            taught[version.source_message_id] |= values[version.place]
    return taught


def _has_word(text: str, values: Iterable[str]) -> bool:
    return any(said(value, text) for value in values)


def _scrub_log(
    user: User | None, versions: Sequence[Fact | Prompt], taught: Taught, traces: Traces
) -> int:
    events = MemoryEvent.objects.filter(user=user)
    tables, keys = {version.table for version in versions}, {version.key for version in versions}
    telling = [event.pk for event in events if _tells(event, taught, traces)]
    about = Q(row_id__in=[version.pk for version in versions]) | Q(row_id=None, key__in=keys)
    return events.filter(Q(about, table__in=tables) | Q(pk__in=telling)).update(
        subject="", key=GONE, before="", after="", quote="", operation=""
    )


def _tells(event: MemoryEvent, taught: Taught, traces: Traces) -> bool:
    """Whether an entry of the log says one of these; of the messages that taught it, any word."""
    key = event.key.replace("_", " ")
    text = "\n".join((event.subject, key, event.before, event.after, event.quote))
    return _has_word(text, taught.get(event.message_id, ())) or traces.said_in(text)


def _silence(user: User, taught: Taught, traces: Traces) -> set[Any]:
    """Keep the messages that taught or say it from ever reaching a prompt again.

    A reply to what taught it says it too if it has any word of it.
    """
    messages = Message.objects.for_user(user).spoken()
    silenced = set(taught)
    for pk, parent, body in messages.values_list("pk", "parent_id", "body"):
        if _has_word(body, taught.get(parent, ())) or traces.said_in(body):
            silenced.add(pk)
    take_out(messages.filter(pk__in=silenced), is_recallable=False)
    return silenced


def _dissolve_summaries(user: User, silenced: set[Any], traces: Traces) -> int:
    """Remove the summaries that may hold it; what they covered is history again until the next
    round condenses it anew."""
    messages = Message.objects.for_user(user)
    summaries = messages.filter(role=Message.Role.SUMMARY)
    covering = set(messages.filter(pk__in=silenced).values_list("evicted_by", flat=True))
    folded_into: dict[Any, Any] = {}
    holding = []
    for summary in summaries:
        folded_into[summary.pk] = summary.evicted_by_id
        if summary.pk in covering or traces.said_in(summary.body):
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


def _remove_titles(user: User, traces: Traces) -> int:
    titled = Chat.objects.for_user(user).filter(title_source=Chat.TitleSource.AUTO)
    telling = [chat.pk for chat in titled if traces.said_in(chat.title)]
    return titled.filter(pk__in=telling).update(
        title=user.translate(UNTITLED), title_source=Chat.TitleSource.DEFAULT
    )


def _scrub_receipts(user: User, ids: set[str], traces: Traces) -> int:
    """Take the text of these memories and turns out of receipts, and the instructions of programs
    that say them."""
    telling = _instructed(user, traces)
    holding = list({id for (id,) in fetch(HOLDING, {"user": user.pk, "ids": list(ids)})} | telling)
    for start in range(0, len(holding), RECEIPTS_AT_ONCE):
        replies = Message.objects.in_bulk(holding[start : start + RECEIPTS_AT_ONCE]).values()
        for reply in replies:
            _scrub_receipt(reply, ids)
            if reply.pk in telling:
                reply.receipt["instructions"] = GONE
        Message.objects.bulk_update(replies, ["receipt"])
    return len(holding)


def _instructed(user: User, traces: Traces) -> set[Any]:
    """The replies for which a program gave instructions that say one of these."""
    instructed = Message.objects.for_user(user).filter(receipt__instructions__gt="")
    said = instructed.values_list("pk", "receipt__instructions")
    return {pk for pk, instructions in said if traces.said_in(instructions)}


def _scrub_receipt(reply: Message, ids: set[str]) -> None:
    for entry in _entries(reply):
        if entry["id"] in ids:
            entry["text"] = GONE
        if not ids.isdisjoint(_ids(entry)):
            entry |= {key: "" for key in ("since", "ended") if key in entry}


def _entries(reply: Message) -> list[dict[str, Any]]:
    """What its receipt says of memories, old turns and prompts."""
    return [entry for part in RECEIPT_PARTS for entry in reply.receipt.get(part, [])]


def _ids(entry: dict[str, Any]) -> set[str]:
    return {entry["id"], *entry.get("since_ids", [])}
