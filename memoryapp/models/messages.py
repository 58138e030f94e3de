"""Messages: what was said in a chat, and the summaries that stand for some of it."""

import uuid
from collections.abc import Collection
from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from memoryapp.models.accounts import User
from memoryapp.models.fields import Asks, Searchable, words_of
from memoryapp.tokens import num_tokens

# A reply without a sign of life for this long has lost its process, and for the shorter time if
# its writer isn't known to live. The writer, too, may have lost its connection for a moment.
STREAMING_LEASE = timedelta(seconds=30)
WRITER_LEASE = timedelta(seconds=3)
INTERRUPTED = gettext_noop(
    "The server stopped while this was being written. What it had saved by then is kept. "
    "Answer again to get a whole reply."
)
FORGOTTEN_MESSAGE = "[A message that the user wanted forgotten.]"
Place = tuple[uuid.UUID, uuid.UUID | None, str]


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
    chat = models.ForeignKey("Chat", models.CASCADE, related_name="messages")
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
    # What it teaches waits for its owner: a file may hold anybody's words, and old ones.
    is_imported = models.BooleanField(
        default=False, editable=False, help_text="Brought along in a file, and not said here."
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
            # Serves recall: everything of one person that may be found, and in which languages.
            models.Index(
                fields=["user", "config"], condition=Q(is_findable=True), name="message_findable"
            ),
            # Serves recall: the newest of what one person's chats hold.
            models.Index(fields=["user", "created_at"], name="message_of_user"),
            # Serves the task that learns from imported chats: what it has read, what comes next.
            models.Index(
                fields=["user", "is_extracted", "created_at"],
                condition=Q(is_imported=True),
                name="message_imported",
            ),
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
