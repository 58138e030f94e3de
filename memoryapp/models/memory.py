"""What is known about a person, how they want to be answered, and the log of every change."""

import uuid
from datetime import datetime
from typing import ClassVar, Self, TypeVar

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from memoryapp.models.accounts import User
from memoryapp.models.fields import Searchable, words_of
from memoryapp.models.messages import Message

KEY_MAX_CHARS = 100
SUBJECT_MAX_CHARS = 100
VALUE_MAX_CHARS = 2000
HAS_AN_END = Q(valid_to__isnull=False) | Q(expires_at__isnull=False)


class Status(models.TextChoices):
    ACTIVE = "active"
    PENDING = "pending"
    PAUSED = "paused"


class Origin(models.TextChoices):
    TYPED = "typed"
    PASTED = "pasted"
    IMPORT = "import"
    USER = "user"
    ADMIN = "admin"
    API = "api"


Row = TypeVar("Row", bound=models.Model)


class RememberedQuerySet(models.QuerySet[Row]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def current(self) -> Self:
        """Rows that hold now, or wait for a decision: neither superseded nor expired."""
        return self.filter(valid_to=None).exclude(expires_at__lte=timezone.now())

    def in_use(self) -> Self:
        """Current rows that may reach a prompt."""
        return self.current().filter(status=Status.ACTIVE)

    def waiting(self) -> Self:
        """Rows that wait for their owner's decision."""
        return self.current().filter(status=Status.PENDING)

    def with_source(self) -> Self:
        """With the message that taught each and its chat, but without what that message says.

        By a query of its own: joined, the messages of all rows would be read for one page of them.
        """
        messages = Message.objects.defer("body", "receipt").select_related("chat")
        return self.prefetch_related(models.Prefetch("source_message", messages))

    def as_of(self, moment: datetime) -> Self:
        """Rows that were true at `moment`."""
        held = (Q(valid_to=None) | Q(valid_to__gt=moment)) & Q(valid_from__lte=moment)
        return self.exclude(status=Status.PENDING).filter(held).exclude(expires_at__lte=moment)

    def versions_of(self, row: "Fact | Prompt") -> Self:
        """All values that the key of `row` has had, whatever waits for it too; newest first."""
        about = {"subject": row.subject} if isinstance(row, Fact) else {}
        versions = self.filter(user_id=row.user_id, key=row.key, **about)
        return versions.order_by("-valid_from", "-recorded_at")


class RememberedManager(models.Manager[Row]):
    def get_queryset(self) -> models.QuerySet[Row]:
        # What is only searched in SQL would be most of what is read.
        return super().get_queryset().defer("embedding", "tsv")


class Remembered(Searchable):
    """A key and its value, true for a time, with where it came from.

    A new value never overwrites: it closes the old row (`valid_to`) and names it (`replaces`).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    key = models.CharField(max_length=KEY_MAX_CHARS)
    value = models.TextField(validators=[MaxLengthValidator(VALUE_MAX_CHARS)])
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    valid_from = models.DateTimeField(default=timezone.now)
    valid_to = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField(default=timezone.now, editable=False)
    replaces = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="replaced_by"
    )
    source_message = models.ForeignKey(
        Message, models.SET_NULL, null=True, blank=True, related_name="taught_%(class)ss"
    )
    quote = models.TextField(blank=True, help_text="The words that taught it, letter for letter.")
    quote_start = models.PositiveIntegerField(
        null=True, editable=False, help_text="Where it begins in the message, in code points."
    )
    waits_because = models.CharField(
        max_length=300, blank=True, help_text="Why it waits for its owner's decision."
    )
    origin = models.CharField(max_length=10, choices=Origin.choices)
    actor = models.CharField(max_length=150, help_text="A person's name, or the agent's.")
    model = models.CharField(max_length=200, blank=True, help_text="The model that proposed it.")
    expires_at = models.DateTimeField(null=True, blank=True)
    is_pinned = models.BooleanField(default=False)
    local_only = models.BooleanField(default=False)
    use_count = models.PositiveIntegerField(default=0, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True
        ordering: ClassVar = ["-recorded_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~Q(key="") & ~Q(value=""), name="%(class)s_key_and_value_not_empty"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["active", "pending", "paused"]),
                name="%(class)s_status_known",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=["typed", "pasted", "import", "user", "admin", "api"]),
                name="%(class)s_origin_known",
            ),
            models.CheckConstraint(
                condition=Q(valid_to=None) | Q(valid_to__gte=F("valid_from")),
                name="%(class)s_valid_in_order",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.value[:60]}"

    @property
    def table(self) -> str:
        """What kind of row it is, as operations and the log name it: "fact" or "prompt"."""
        return str(self._meta.model_name)

    @property
    def place(self) -> tuple[str, str]:
        """Whom it is about, "" for its owner, and its key: of all rows there, one value holds."""
        return getattr(self, "subject", ""), self.key

    @property
    def text(self) -> str:
        """All its words, as they are searched and compared."""
        subject, key = self.place
        about = f"{subject}: " if subject else ""
        return f"{about}{key.replace('_', ' ')}: {self.value}"

    @property
    def is_current(self) -> bool:
        return self.valid_to is None and (
            self.expires_at is None or self.expires_at > timezone.now()
        )


def as_key(text: str) -> str:
    """A person's words as the key of a memory: "Dark UI" is "dark_ui"."""
    return "_".join(text.lower().replace("_", " ").split())


def said_in_one_line(subject: str, key: str, value: str) -> str:
    """How a memory is said in prompts and on receipts."""
    about = f"{subject}: " if subject else ""
    return f"{about}{label(key, value)}: {value}"


def label(key: str, value: str) -> str:
    """The words of a key that its value doesn't repeat: "likes_tea" is "likes" beside "tea"."""
    words = key.replace("_", " ").strip()
    repeated = f" {' '.join(value.split())}"
    return words[: -len(repeated)] if words.casefold().endswith(repeated.casefold()) else words


class Fact(Remembered):
    class Kind(models.TextChoices):
        IDENTITY = "identity", gettext_lazy("Identity")
        PREFERENCE = "preference", gettext_lazy("Preference")
        PROJECT = "project", gettext_lazy("Project")
        TASK = "task", gettext_lazy("Task")
        FACT = "fact", gettext_lazy("Fact")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="facts")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.FACT)
    # Whom it is about: empty for the person, else the name they used ("my sister Maria").
    subject = models.CharField(max_length=SUBJECT_MAX_CHARS, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)

    tsv = words_of("subject", "key", "value")

    objects = RememberedManager.from_queryset(RememberedQuerySet)()

    class Meta(Remembered.Meta):
        constraints: ClassVar = [
            *Remembered.Meta.constraints,
            models.CheckConstraint(
                condition=Q(kind__in=["identity", "preference", "project", "task", "fact"]),
                name="fact_kind_known",
            ),
            models.UniqueConstraint(
                fields=["user", "subject", "key"],
                condition=Q(valid_to=None) & ~Q(status="pending"),
                name="fact_one_current_value",
            ),
        ]
        indexes: ClassVar = [
            # Serves recall: an exact scan over one person's current facts.
            models.Index(
                fields=["user", "kind"], condition=Q(valid_to=None), name="fact_current_of_user"
            ),
            # Serves the task that embeds: what of one person has no vector yet.
            models.Index(fields=["user"], condition=Q(embedding=None), name="fact_unread"),
            # Serves the history of one key.
            models.Index(fields=["user", "key", "valid_from"], name="fact_versions"),
            # Serves recall, which marks old turns that tell what holds no longer.
            models.Index(fields=["user"], condition=HAS_AN_END, name="fact_ended"),
            # Serves the ledger, which asks whether something is known already.
            GinIndex(fields=["tsv"], condition=Q(valid_to=None), name="fact_words"),
        ]


class PromptQuerySet(RememberedQuerySet["Prompt"]):
    def persona_of(self, user: User) -> Self:
        """The prompts a reply to this person follows: global ones first, in a stable order."""
        prompts = self.filter(Q(user=None) | Q(user=user)).in_use()
        return prompts.order_by(F("user").asc(nulls_first=True), "key")


class Prompt(Remembered):
    """How the assistant should behave. Without a user it belongs to the global persona."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="prompts"
    )

    tsv = words_of("key", "value")

    objects = RememberedManager.from_queryset(PromptQuerySet)()

    class Meta(Remembered.Meta):
        constraints: ClassVar = [
            *Remembered.Meta.constraints,
            models.UniqueConstraint(
                fields=["user", "key"],
                condition=Q(valid_to=None) & ~Q(status="pending"),
                nulls_distinct=False,
                name="prompt_one_current_value",
            ),
        ]


TABLES: dict[str, type[Fact] | type[Prompt]] = {"fact": Fact, "prompt": Prompt}


class Forgotten(models.Model):
    """That a value was forgotten, without the value: a keyed hash that re-learning is held to."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="forgotten")
    key = models.CharField(max_length=KEY_MAX_CHARS)
    digest = models.CharField(max_length=64)
    was_turned_down = models.BooleanField(
        default=False, help_text="Proposed and turned down, so it isn't proposed again."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name_plural = "forgotten"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "digest"], name="forgotten_once"),
        ]

    def __str__(self) -> str:
        return f"{self.key}, forgotten on {self.created_at:%Y-%m-%d}"


# What a message taught, and what of it took effect.
LEARNED_ACTIONS = ("added", "changed", "closed", "approved")
UNDOABLE_ACTIONS = (*LEARNED_ACTIONS, "restored")


class MemoryEventQuerySet(models.QuerySet["MemoryEvent"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def learned(self) -> Self:
        """Changes that a message of the person caused, and that took effect."""
        return self.filter(action__in=LEARNED_ACTIONS, message__isnull=False)

    def undoable(self) -> Self:
        """Changes of a value, whoever made them."""
        return self.filter(action__in=UNDOABLE_ACTIONS)


class MemoryEvent(models.Model):
    """One change of memory, a proposal that was refused, or a look at it.

    Only ever appended; refusals leave after a time (`log.REFUSALS_KEPT`), and failures to learn
    from what was imported when it is tried again.
    """

    class Action(models.TextChoices):
        ADDED = "added"
        CHANGED = "changed"
        CLOSED = "closed"
        EDITED = "edited"
        RESTORED = "restored"
        FORGOTTEN = "forgotten"
        REFUSED = "refused"
        PARKED = "parked"
        APPROVED = "approved"
        TURNED_DOWN = "turned down"
        FAILED = "failed"
        READ = "read"  # by an administrator, and not by the person themselves

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="memory_events"
    )
    action = models.CharField(max_length=12, choices=Action.choices)
    # What it happened to: "fact" or "prompt" and the row's id, which may since be gone.
    table = models.CharField(max_length=10, blank=True)
    row_id = models.UUIDField(null=True)
    subject = models.CharField(max_length=SUBJECT_MAX_CHARS, blank=True)
    key = models.CharField(max_length=KEY_MAX_CHARS, blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    quote = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    actor = models.CharField(max_length=150)
    message = models.ForeignKey(Message, models.SET_NULL, null=True, related_name="memory_events")
    # What an extractor proposed, as a hash: the same proposal from the same message acts once.
    operation = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MemoryEventQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["message", "operation"],
                condition=~Q(operation=""),
                name="memory_event_once_per_operation",
            ),
        ]
        indexes: ClassVar = [
            # Serves the log and the history of one key.
            models.Index(fields=["user", "created_at"], name="memory_event_log"),
            # Serves the sweep: refusals are kept for a time.
            models.Index(
                fields=["created_at"], condition=Q(action="refused"), name="memory_event_refused"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.key}"
