"""What search needs beside the rows themselves: parts of long messages, and spare vectors."""

from typing import ClassVar, Self

from django.conf import settings
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Substr
from pgvector.django import HalfVectorField

from memoryapp.models.accounts import User
from memoryapp.models.fields import Searchable
from memoryapp.models.memory import Fact
from memoryapp.models.messages import Message
from memoryapp.models.resources import Passage


class MessagePartQuerySet(models.QuerySet["MessagePart"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def with_text(self) -> Self:
        """Each with its `text`, cut out of its message where that stands: it may be megabytes."""
        length = F("end") - F("start")
        return self.annotate(text=Substr("message__body", F("start") + 1, length))


class MessagePart(Searchable):
    """A passage of a message that is too long to be searched as a whole.

    It says where it begins and ends in the message's body, in code points, and holds no text.
    """

    # The owner stands here too, so that recall reads one person's parts through one index.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    message = models.ForeignKey(Message, models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    tsv = SearchVectorField()
    text: str  # if it was asked for: `with_text`

    objects = MessagePartQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "position"], name="message_part_position"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="message_part_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.message_id}, {self.start} to {self.end}"


class EmbeddingChoice(models.Model):
    """The embedding model in use since `manage.py reembed`: one row, or none before the first."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    model = models.CharField(max_length=100)
    previous = models.CharField(max_length=100)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=1), name="embedding_choice_only_one"),
        ]

    def __str__(self) -> str:
        return self.model


class SpareVector(models.Model):
    """A row's vector by another model than the one in use: the next one, or the one before.

    It stands in a table of its own, because rows are scanned as they are and should stay narrow.
    """

    embedding = HalfVectorField()
    embedding_model = models.CharField(max_length=100)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.embedding_model} for {self.pk}"


class FactSpare(SpareVector):
    row = models.OneToOneField(Fact, models.CASCADE, primary_key=True, related_name="spare")


class MessageSpare(SpareVector):
    row = models.OneToOneField(Message, models.CASCADE, primary_key=True, related_name="spare")


class MessagePartSpare(SpareVector):
    row = models.OneToOneField(MessagePart, models.CASCADE, primary_key=True, related_name="spare")


class PassageSpare(SpareVector):
    row = models.OneToOneField(Passage, models.CASCADE, primary_key=True, related_name="spare")
