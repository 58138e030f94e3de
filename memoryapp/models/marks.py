"""What people thought of the memories that went into replies, and the floors that follow."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from memoryapp.models.accounts import User
from memoryapp.models.messages import Message


class MemoryMarkQuerySet(models.QuerySet["MemoryMark"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def telling(self, embedding_model: str) -> Self:
        """Marks of what was recalled for its score, as this embedding model gives scores."""
        return self.filter(embedding_model=embedding_model, score__isnull=False)


class MemoryMark(models.Model):
    """Whether one memory was of use in one reply. It holds no text of either."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memory_marks")
    message = models.ForeignKey(Message, models.CASCADE, related_name="memory_marks")
    # A fact or an old turn, which may since be gone.
    memory_id = models.UUIDField()
    is_turn = models.BooleanField()
    is_useful = models.BooleanField()
    # The highest floor at which it would have been told, which for a fact is what it scored. None:
    # it was in whatever the question was, as a name is, so its score decided nothing.
    score = models.FloatField(null=True)
    embedding_model = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MemoryMarkQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "memory_id"], name="memory_mark_once"),
        ]

    def __str__(self) -> str:
        return f"{'useful' if self.is_useful else 'of no use'} in {self.message_id}"


class RecallFloor(models.Model):
    """The least score that `manage.py calibrate` found for an embedding model."""

    embedding_model = models.CharField(max_length=100, unique=True)
    floor = models.FloatField()
    num_marks = models.PositiveIntegerField("marks that it was found from")
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.embedding_model}: {self.floor:.2f}"
