"""Chats: the archive of one, its history, and the branch it is on."""

import uuid
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, cast

from django.conf import settings
from django.db import OperationalError, models, transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext_noop
from psycopg.errors import DeadlockDetected

from memoryapp.models.accounts import User
from memoryapp.models.messages import Message, MessageQuerySet

TITLE_MAX_CHARS = 200  # a model is asked for fewer
DELETE_TRIES = 3
UNTITLED = gettext_noop("New chat")  # kept in its owner's language
branch_switched = Signal()  # with the chat as `instance`
imported = Signal()  # with the owner of the chats that came from a file as `instance`
learning_wanted = Signal()  # from such chats, with their owner as `instance`


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

    def save(self, *args: Any, **kwargs: Any) -> None:
        """One that nobody has named begins with a title in its owner's language."""
        is_named = self.title != UNTITLED or self.title_source == self.TitleSource.MANUAL
        if self._state.adding and not is_named:
            self.title = self.user.translate(UNTITLED)
        super().save(*args, **kwargs)

    @property
    def archive(self) -> MessageQuerySet:
        """All messages of all branches, evicted ones included, oldest first."""
        return cast(MessageQuerySet, self.messages.order_by("created_at", "id"))

    @property
    def history(self) -> MessageQuerySet:
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

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Remove it with its messages. A task that writes to them just now may come in between,
        each waiting for rows that the other holds: then it is begun anew."""
        for _ in range(DELETE_TRIES - 1):
            try:
                with transaction.atomic():
                    return super().delete(*args, **kwargs)
            except OperationalError as error:
                if not isinstance(error.__cause__, DeadlockDetected):
                    raise
        return super().delete(*args, **kwargs)

    def add_message(self, role: str, body: str, **fields: Any) -> Message:
        """Append one message, as `add_messages` does."""
        message = Message(role=role, body=body, **fields)
        self.add_messages(message)
        return message

    def add_messages(self, *messages: Message) -> None:
        """Append messages to the active branch. Times within a chat are strictly increasing.

        Whoever calls this holds the chat's `lock`, unless nobody else writes to it.
        """
        with transaction.atomic(savepoint=False):
            parent, latest = self._end()
            for message in messages:
                if message.role == Message.Role.ASSISTANT and parent is not None:
                    message.is_on_record &= parent.is_on_record  # it tells what it answers again
                message.chat, message.user, message.parent = self, self.user, parent
                message.created_at = latest = next_moment(latest)
                message.config = self.user.search_config
                message.save(force_insert=True)
                parent = message
            if latest is not None:
                self.last_message_at = latest
                self.save(update_fields=["last_message_at"])

    def _end(self) -> tuple[Message | None, datetime | None]:
        """Where the active branch ends, and when its newest message was said."""
        fields = ("chat", "role", "created_at", "is_active", "is_on_record")
        newest_first = self.archive.reverse().only(*fields)
        newest = newest_first.first()
        if newest is None:
            return None, None
        is_end = newest.is_active and newest.role != Message.Role.SUMMARY
        end = newest if is_end else newest_first.spoken().on_branch().first()
        return end, newest.created_at

    def fork_at(self, message: Message | None) -> None:
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

    def switch_to(self, message: Message) -> None:
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
