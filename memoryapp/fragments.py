"""What the fragments of a chat show, read once for the page, the views and the socket alike."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Count, Exists, F, OuterRef, Q, When
from django.db.models.functions import MD5
from django.utils.translation import gettext as _

from memoryapp.branches import versions_of
from memoryapp.memory.taught import Learned, learned_from
from memoryapp.models import Chat, Fact, MemoryEvent, MemoryMark, Message, Prompt, User
from memoryapp.models.chats import ChatQuerySet
from memoryapp.models.memory import Status
from memoryapp.models.messages import MessageQuerySet

PAGE_OF_MESSAGES = 50
DRAWER_MOST = 50  # of what a chat taught
Role, Action = Message.Role, MemoryEvent.Action


@dataclass(frozen=True)
class Entry:
    """A message of the thread; a reply comes with what its question taught."""

    message: Message
    learned: tuple[Learned, ...] = ()
    num_waiting: int = 0  # proposals of the question that wait for a decision
    problem: str = ""  # why nothing could be learned from the question
    marks: Mapping[str, bool] = field(default_factory=dict)  # memory id: was it of use
    versions: tuple[UUID, ...] = ()  # of the message, itself included, oldest first
    packed: str = ""  # as the page of a temporary chat holds it

    @property
    def number(self) -> int:
        """Which of its versions this message is, counted from one."""
        return self.versions.index(self.message.pk) + 1

    @property
    def version_before(self) -> UUID | None:
        return self.versions[self.number - 2] if self.number > 1 else None

    @property
    def version_after(self) -> UUID | None:
        return self.versions[self.number] if self.number < len(self.versions) else None

    def recalled(self, part: str) -> list[dict[str, Any]]:
        """A part of the receipt, each memory with its mark (`is_useful`, None without one)."""
        memories = self.message.receipt.get(part, [])
        return [{**memory, "is_useful": self.marks.get(memory["id"])} for memory in memories]

    @property
    def used(self) -> list[dict[str, Any]]:
        return self.recalled("memories") + self.recalled("turns")

    @property
    def near_misses(self) -> list[dict[str, Any]]:
        return self.recalled("near_misses")

    @property
    def num_used(self) -> int:
        return len(self.used)

    @property
    def num_learned(self) -> int:
        """What was learned and not taken back; a thing that has changed since was learned too."""
        return sum(not (each.is_ending or each.is_taken_back) for each in self.learned)

    @property
    def num_ended(self) -> int:
        """What was said to hold no longer, and not taken back."""
        return sum(each.is_ending and not each.is_taken_back for each in self.learned)

    @property
    def has_taught(self) -> bool:
        return bool(self.num_learned or self.num_ended)

    @property
    def has_receipt(self) -> bool:
        """Whether a line under the reply has something to say: of memory, or of its model."""
        receipt = self.message.receipt
        told = ("resources", "recall_timed_out", "continues", "instead_of", "without")
        is_told = self.problem or any(map(receipt.get, told))
        return bool(self.num_used or self.learned or self.num_waiting or is_told)


@dataclass(frozen=True)
class Thread:
    """A stretch of a chat, oldest message first."""

    entries: tuple[Entry, ...]
    has_older: bool
    num_condensed: int


@dataclass(frozen=True)
class Drawer:
    """Memory in one chat: what the last reply used, and what the chat taught, newest first."""

    chat_id: UUID
    receipt: dict[str, Any]
    learned: tuple[Learned, ...]
    tokens_most: int

    @property
    def newest(self) -> tuple[Learned, ...]:
        return self.learned[:DRAWER_MOST]

    @property
    def sections(self) -> list[tuple[str, list[dict[str, Any]]]]:
        memories = self.receipt.get("memories", [])
        always = [memory for memory in memories if memory["reason"] in ("always", "pinned")]
        recalled = [memory for memory in memories if memory not in always]
        persona = [{**prompt, "kind": "persona"} for prompt in self.receipt.get("prompts", [])]
        sections = [
            (_("Recalled for the last reply"), recalled + self.receipt.get("turns", [])),
            (_("Always with you"), always + persona),
        ]
        return [(label, rows) for label, rows in sections if rows]

    @property
    def tokens(self) -> int:
        return int(self.receipt.get("tokens", {}).get("memory", 0))

    @property
    def is_empty(self) -> bool:
        return not (self.sections or self.learned)


def shown(chat: Chat) -> MessageQuerySet:
    """The messages a person sees: their branch, with summaries that no later one has folded in."""
    messages = chat.archive.on_branch().exclude(role=Role.SUMMARY, evicted_by__isnull=False)
    # A summary has the time of the newest message it condenses, and stands below that.
    return messages.order_by("created_at", F("evicted_by").asc(nulls_last=True), "id")


def thread(chat: Chat, before: Message | None = None) -> Thread:
    """The newest messages of a chat, or the newest of those before `before`."""
    messages = shown(chat)
    if before is not None:
        messages = messages.filter(created_at__lt=before.created_at)
    newest = list(messages.reverse()[: PAGE_OF_MESSAGES + 1])
    page = newest[:PAGE_OF_MESSAGES][::-1]
    return Thread(
        entries=entries(chat.user, page),
        has_older=len(newest) > PAGE_OF_MESSAGES,
        num_condensed=num_condensed(chat) if any(m.role == Role.SUMMARY for m in page) else 0,
    )


def condensed(summary: Message) -> dict[str, Any]:
    """A summary as it stands in its thread."""
    return {"entry": Entry(summary), "num_condensed": num_condensed(summary.chat)}


def num_condensed(chat: Chat) -> int:
    """How many messages the chat's summary stands for in the prompt, however often refolded."""
    evicted: MessageQuerySet = chat.messages.spoken().on_branch().exclude(evicted_by=None)
    return evicted.count()


def entries(user: User, messages: Sequence[Message]) -> tuple[Entry, ...]:
    """These messages as the thread shows them, in a fixed number of queries."""
    questions = [m.parent_id for m in messages if m.role == Role.ASSISTANT and m.parent_id]
    events = MemoryEvent.objects.for_user(user).filter(message__in=questions)
    taught: dict[UUID | None, list[Learned]] = defaultdict(list)
    for learned in learned_from(user, events.learned()):
        taught[learned.event.message_id].append(learned)
    waiting = Counter(
        question
        for table in (Fact, Prompt)
        for question in table.objects.for_user(user)
        .filter(status=Status.PENDING, source_message__in=questions)
        .values_list("source_message", flat=True)
    )
    marks: dict[UUID, dict[str, bool]] = defaultdict(dict)
    for mark in MemoryMark.objects.for_user(user).filter(message__in=messages):
        marks[mark.message_id][str(mark.memory_id)] = mark.is_useful
    # What was read in the end is no problem any more.
    failed = events.filter(action=Action.FAILED, message__is_extracted=False)
    problems = dict(failed.values_list("message", "reason"))
    versions = versions_of(messages)
    return tuple(
        Entry(
            m,
            tuple(taught[about]),
            waiting[about],
            problems.get(about, ""),
            marks[m.pk],
            versions[m.place],
        )
        if (about := m.parent_id) and m.role == Role.ASSISTANT
        else Entry(m, versions=versions[m.place])
        for m in messages
    )


def is_branch(messages: Sequence[Message]) -> bool:
    """Whether one of these messages stands in the place of another version."""
    versions = versions_of(messages)
    return any(len(versions[message.place]) > 1 for message in messages)


def entry(message: Message) -> Entry:
    return entries(message.user, [message])[0]


def drawer(chat: Chat, reply: Message | None = None) -> Drawer:
    """The drawer beside the chat; `reply` is its last reply where that is at hand."""
    if reply is None:
        reply = shown(chat).filter(role=Role.ASSISTANT).last()
    events = MemoryEvent.objects.for_user(chat.user).learned().filter(message__chat=chat)
    learned = [learned for learned in learned_from(chat.user, events) if learned.holds]
    return Drawer(
        chat_id=chat.pk,
        receipt=reply.receipt if reply else {},
        learned=tuple(reversed(learned)),
        tokens_most=settings.RECALL_TOKENS,
    )


def stamp(chat: Chat) -> str:
    """Changes whenever the thread would look different: a page that has another one is stale."""
    newest = shown(chat).reverse().values_list("pk", "status").first()
    num_events = MemoryEvent.objects.filter(message__chat=chat).count()
    summaries = shown(chat).filter(role=Role.SUMMARY)
    said = list(summaries.values_list("pk", MD5("body"), "failure"))
    seen = f"{chat.title} {newest} {num_events} {num_condensed(chat)} {said}"
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def chat_list(user: User, *, is_archived: bool = False) -> ChatQuerySet:
    """A person's chats, pinned and newest first, those that answer or are unread marked."""
    chats = Chat.objects.for_user(user).filter(is_archived=is_archived).newest_first()
    return marked(chats)


def marked(chats: ChatQuerySet) -> ChatQuerySet:
    answering = Message.objects.streaming().filter(chat=OuterRef("pk"))
    unread = Case(When(seen_at__lt=F("last_message_at"), then=True), default=False)
    return chats.annotate(is_answering=Exists(answering), is_unread=unread)


def listed(chat: Chat) -> dict[str, Any]:
    """The chat as the side list has it."""
    return {"chat": marked(Chat.objects.filter(pk=chat.pk)).get()}


def turn(chat: Chat, messages: Sequence[Message]) -> dict[str, Any]:
    """A turn that has begun, and the page's composer while it is answered."""
    return {
        **listed(chat),
        "entries": entries(chat.user, messages),
        "streaming": messages[-1],
    }


def finished(reply: Message) -> dict[str, Any]:
    """A reply that has ended, and everything on the page that this changes."""
    return {
        **listed(reply.chat),
        "entry": entry(reply),
        "drawer": drawer(reply.chat, reply),
    }


def taught_before(reply: Message) -> dict[str, Any]:
    """What the question of a reply taught, under the reply and beside the chat."""
    return {
        "entry": entry(reply),
        "drawer": drawer(reply.chat),
        **known(reply.user),
    }


def known(user: User) -> dict[str, int]:
    """How much is known about a person, and how much waits for their decision."""
    waiting = Q(status=Status.PENDING)
    facts = Fact.objects.for_user(user).current()
    counts = facts.aggregate(
        num_facts=Count("pk", filter=~waiting), num_waiting=Count("pk", filter=waiting)
    )
    prompts = Prompt.objects.for_user(user).filter(waiting)
    return {**counts, "num_waiting": counts["num_waiting"] + prompts.count()}
