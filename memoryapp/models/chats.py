"""Chats and their messages: the archive, the history, and the branch one is on."""

import uuid
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, cast

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext_noop

from memoryapp.models.accounts import User
from memoryapp.models.fields import Asks, Searchable, words_of
from memoryapp.tokens import num_tokens

TITLE_MAX_CHARS = 200  # a model is asked for fewer
UNTITLED = gettext_noop("New chat")  # kept in its owner's language, `User.translate`
# A reply without a sign of life for this long has lost its process, and for the shorter time if
# its writer isn't known to live. The writer, too, may have lost its connection for a moment.
STREAMING_LEASE = timedelta(seconds=30)
WRITER_LEASE = timedelta(seconds=3)
INTERRUPTED = gettext_noop(
    "The server stopped while this was being written. What it had saved by then is kept. "
    "Answer again to get a whole reply."
)
FORGOTTEN_MESSAGE = "[A message that the user wanted forgotten.]"
branch_switched = Signal()  # with the chat as `instance`
Place = tuple[uuid.UUID, uuid.UUID | None, str]


class ChatQuerySet(models.QuerySet["Chat"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def newest_first(self) -> Self:
        return self.order_by("-is_pinned", "-last_message_at", "-id")


class Chat(models.Model):
    class TitleSource(models.TextChoices):
        DEFAULT = "default"
        AUTO = "auto"
        MANUAL = "manual"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="chats")
    title = models.CharField(max_length=TITLE_MAX_CHARS, default=UNTITLED)
    title_source = models.CharField(
        max_length=10, choices=TitleSource.choices, default=TitleSource.DEFAULT
    )
    memory_on = models.BooleanField(default=True)
    is_pinned = models.BooleanField(default=False)
    is_archived = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_message_at = models.DateTimeField(default=timezone.now, editable=False)
    seen_at = models.DateTimeField(
        default=timezone.now, editable=False, help_text="When its owner last saw a page of it."
    )

    objects = ChatQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(title=""), name="chat_title_not_empty"),
            models.CheckConstraint(
                condition=Q(title_source__in=["default", "auto", "manual"]),
                name="chat_title_source_known",
            ),
        ]
        indexes: ClassVar = [
            # Serves the chat list: one person's chats, pinned first, then by last message.
            models.Index(
                fields=["user", "-is_pinned", "-last_message_at"], name="chat_list_of_user"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def archive(self) -> "MessageQuerySet":
        """All messages of all branches, evicted ones included, oldest first."""
        return cast(MessageQuerySet, self.messages.order_by("created_at", "id"))

    @property
    def history(self) -> "MessageQuerySet":
        """What the talker still sees: the active branch without evicted messages."""
        return self.archive.history()

    @property
    def remembers(self) -> bool:
        return self.memory_on and self.user.memory_on

    def see(self) -> None:
        """Note that its owner has it in view; a reply that streams is not seen until it ends."""
        ended = type(self).objects.filter(pk=self.pk).exclude(messages__status="streaming")
        ended.update(seen_at=timezone.now())

    def lock(self) -> None:
        """Hold this chat's row until the transaction ends: writers of one chat take turns."""
        type(self).objects.select_for_update().values_list("pk").get(pk=self.pk)

    def add_message(
        self,
        role: str,
        body: str,
        *,
        id: uuid.UUID | None = None,
        after: "Message | None" = None,
        **fields: Any,
    ) -> "Message":
        """Append a message to the active branch. Times within a chat are strictly increasing.

        `after` is the newest message, if this transaction has just added it; else it is sought.
        """
        with transaction.atomic(savepoint=False):
            parent, latest = (after, after.created_at) if after else self._end()
            if role == Message.Role.ASSISTANT and parent is not None:
                # It tells what it answers once more.
                fields.setdefault("is_on_record", parent.is_on_record)
            message = self.messages.create(
                id=id or uuid.uuid4(),
                user=self.user,
                parent=parent,
                role=role,
                body=body,
                created_at=next_moment(latest),
                config=self.user.search_config,
                **fields,
            )
            self.last_message_at = message.created_at
            self.save(update_fields=["last_message_at"])
        return message

    def _end(self) -> "tuple[Message | None, datetime | None]":
        """Where the active branch ends, and when its newest message was said; locks the chat."""
        self.lock()
        fields = ("chat", "role", "created_at", "is_active", "is_on_record")
        newest_first = self.archive.reverse().only(*fields)
        newest = newest_first.first()
        if newest is None:
            return None, None
        is_end = newest.is_active and newest.role != Message.Role.SUMMARY
        end = newest if is_end else newest_first.spoken().on_branch().first()
        return end, newest.created_at

    def fork_at(self, message: "Message | None") -> None:
        """Make `message` the end of the active branch; None: start again from nothing.

        Nothing is deleted. Summaries that cover what is no longer on the branch are set aside,
        and what they covered is history again, to be condensed anew when that is needed.
        """
        with transaction.atomic():
            self.lock()
            parents = dict(self.messages.values_list("id", "parent_id"))
            path, at = set(), message.pk if message else None
            while at is not None:
                path.add(at)
                at = parents[at]
            self.messages.spoken().on_branch().exclude(pk__in=path).update(is_active=False)
            self.messages.spoken().filter(pk__in=path).update(is_active=True)
            self._set_aside_summaries(path)

    def _set_aside_summaries(self, path: set[uuid.UUID]) -> None:
        covered: dict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
        for id, summary in self.messages.values_list("id", "evicted_by"):
            if summary is not None:
                covered[summary].append(id)

        def is_true_of_path(id: uuid.UUID) -> bool:
            # A summary may cover an earlier one.
            return id in path or (id in covered and all(map(is_true_of_path, covered[id])))

        aside = [summary for summary in covered if not is_true_of_path(summary)]
        self.messages.filter(evicted_by__in=aside).update(evicted_by=None)
        self.messages.filter(pk__in=aside).update(is_active=False)

    def switch_to(self, message: "Message") -> None:
        """Show the branch through `message`, to its newest end; nothing if it is shown already."""
        with transaction.atomic():
            self.lock()
            if self.messages.spoken().on_branch().filter(pk=message.pk).exists():
                return
            # The newest child of each parent, because later rows take the place of earlier ones.
            in_order = self.archive.spoken().values_list("parent_id", "id")
            newest, end = dict(in_order), message.pk
            while end in newest:
                end = newest[end]
            self.fork_at(self.messages.get(pk=end))
            branch_switched.send(sender=type(self), instance=self)


def next_moment(latest: datetime | None) -> datetime:
    now = timezone.now()
    return now if latest is None or latest < now else latest + timedelta(microseconds=1)


class MessageQuerySet(models.QuerySet["Message"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def spoken(self) -> Self:
        """What a person or the assistant said; summaries stand beside the branch."""
        return self.exclude(role=Message.Role.SUMMARY)

    def on_branch(self) -> Self:
        return self.filter(is_active=True)

    def history(self) -> Self:
        return self.on_branch().filter(evicted_by=None)

    def streaming(self) -> Self:
        return self.filter(status=Message.Status.STREAMING)

    def abandoned(self, living: Collection[int]) -> Self:
        """Replies whose process died while it wrote them; `living` are the writers that live."""
        now = timezone.now()
        is_gone = Q(writer__isnull=False) & ~Q(writer__in=living)
        return self.streaming().filter(
            Q(streaming_beat__lt=now - STREAMING_LEASE)
            | (Q(streaming_beat__lt=now - WRITER_LEASE) & is_gone)
        )


class MessageManager(models.Manager.from_queryset(MessageQuerySet)):  # type: ignore[misc]
    def get_queryset(self) -> MessageQuerySet:
        # What is only searched in SQL would be most of what is read.
        queryset: MessageQuerySet = super().get_queryset()
        return queryset.defer("embedding", "tsv")


class Message(Searchable):
    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"
        SUMMARY = "summary"

    class Status(models.TextChoices):
        STREAMING = "streaming"
        COMPLETE = "complete"
        STOPPED = "stopped"
        FAILED = "failed"
        INTERRUPTED = "interrupted"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The owner stands here too, so that recall reads one table through one index.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="messages")
    chat = models.ForeignKey(Chat, models.CASCADE, related_name="messages")
    parent = models.ForeignKey("self", models.SET_NULL, null=True, related_name="children")
    role = models.CharField(max_length=10, choices=Role.choices)
    body = models.TextField(blank=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.COMPLETE)
    failure = models.TextField(blank=True, help_text="Why the reply failed, as told to its owner.")
    is_active = models.BooleanField(default=True, help_text="On the branch that is shown.")
    # Of each message and not of the chat up to some time: what was said on a branch that was left
    # too early is learned when somebody comes back to it.
    is_extracted = models.BooleanField(
        default=False, editable=False, help_text="Given to the extractor."
    )
    evicted_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="evicted"
    )
    is_recallable = models.BooleanField(
        default=True, help_text="Off once something this message taught was forgotten."
    )
    is_on_record = models.BooleanField(
        default=True,
        editable=False,
        help_text="Off if its author asked not to remember it: known in its own chat only.",
    )
    receipt = models.JSONField(default=dict, blank=True)
    # When the process that streams this reply last gave a sign of life.
    streaming_beat = models.DateTimeField(null=True, editable=False)
    # That process, as memoryapp/writers.py knows it.
    writer = models.IntegerField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    tsv = words_of("body")
    asks = models.GeneratedField(
        expression=Asks("body"), output_field=models.BooleanField(), db_persist=True
    )

    # Whether recall may find it, as one column: each condition more costs each row of each recall.
    # The offline responder only repeats what is known, and says what it is.
    is_findable = models.GeneratedField(
        expression=models.ExpressionWrapper(
            Q(is_active=True, is_recallable=True, is_on_record=True)
            & ~Q(role="summary")
            & ~Q(status="streaming")
            & ~Q(body="")
            & ~Q(receipt__contains={"is_offline": True}),
            output_field=models.BooleanField(),
        ),
        output_field=models.BooleanField(),
        db_persist=True,
    )

    objects = MessageManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(role__in=["user", "assistant", "summary"]), name="message_role_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=["streaming", "complete", "stopped", "failed", "interrupted"]
                ),
                name="message_status_known",
            ),
            models.CheckConstraint(
                condition=Q(role="assistant") | Q(status="complete"),
                name="message_only_replies_stream",
            ),
            models.CheckConstraint(
                condition=Q(role="assistant") | ~Q(body=""), name="message_body_not_empty"
            ),
            models.UniqueConstraint(
                fields=["chat"], condition=Q(status="streaming"), name="message_one_reply_at_a_time"
            ),
        ]
        indexes: ClassVar = [
            # Serves the history: the prompt of each reply, the chat page, eviction.
            models.Index(
                fields=["chat", "created_at"],
                condition=Q(evicted_by=None, is_active=True),
                name="message_history",
            ),
            # Serves the archive of a chat and the newest time in it.
            models.Index(fields=["chat", "created_at"], name="message_archive"),
            # Serves recall: everything of one person that may be found.
            models.Index(fields=["user"], condition=Q(is_findable=True), name="message_findable"),
            # Serves recall: the newest of what one person's chats hold.
            models.Index(fields=["user", "created_at"], name="message_of_user"),
            # Serves the task that embeds: what of a chat has no vector yet.
            models.Index(fields=["chat"], condition=Q(embedding=None), name="message_unread"),
            # Serves the sweep for replies whose process died.
            models.Index(
                fields=["streaming_beat"], condition=Q(status="streaming"), name="message_streaming"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.body[:60]}"

    @property
    def is_finished_reply(self) -> bool:
        return self.role == self.Role.ASSISTANT and self.status != self.Status.STREAMING

    def finish(self, status: str, failure: str = "") -> None:
        """End a reply. Saved as a whole row: this is the event that background work follows."""
        self.status, self.failure = status, failure
        self.streaming_beat = self.writer = None
        ended = ["body", "status", "failure", "receipt", "streaming_beat", "writer"]
        with transaction.atomic():  # with the rows of that work
            self.save(update_fields=ended)

    @property
    def told(self) -> str:
        """What models are told of it: the body, unless something it says was forgotten."""
        return self.body if self.is_recallable else FORGOTTEN_MESSAGE

    @property
    def num_tokens(self) -> int:
        return num_tokens(self.body)

    @property
    def place(self) -> Place:
        """What all versions of a message share."""
        return self.chat_id, self.parent_id, self.role

    @property
    def siblings(self) -> MessageQuerySet:
        """The versions of this message, itself included, oldest first."""
        return self.chat.archive.filter(parent_id=self.parent_id, role=self.role)
