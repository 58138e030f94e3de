"""Outside text that can be searched: resources and the passages they are made of."""

import uuid
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryapp.documents.addresses import URL_MAX_CHARS
from memoryapp.models.accounts import User
from memoryapp.models.fields import Searchable, words_of

NAME_MAX_CHARS = 200

# What it was read from is still at its address, or the text itself is there. A file that couldn't
# be read isn't kept.
RETRIABLE = Q(status="failed") & ~Q(url="", body="")


class ResourceQuerySet(models.QuerySet["Resource"]):
    def for_user(self, user: User) -> Self:
        """What this person may read: their own, and what is shared with everyone."""
        return self.filter(Q(user=user) | Q(is_shared=True))

    def owned_by(self, user: User) -> Self:
        return self.filter(user=user)


class Resource(models.Model):
    class Status(models.TextChoices):
        READING = "reading"
        READY = "ready"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="resources")
    name = models.CharField(max_length=NAME_MAX_CHARS)
    url = models.CharField("address", max_length=URL_MAX_CHARS, blank=True)
    body = models.TextField(blank=True)  # empty until what it is read from has been read
    is_shared = models.BooleanField("shared with everyone", default=False)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.READING)
    progress = models.PositiveSmallIntegerField("per cent read", default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ResourceQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(name=""), name="resource_name_not_empty"),
            models.CheckConstraint(
                condition=~Q(body="") | ~Q(status="ready"), name="resource_ready_with_a_text"
            ),
            # A page links to it.
            models.CheckConstraint(
                condition=Q(url="") | Q(url__regex="^https?://"), name="resource_url_of_the_web"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["reading", "ready", "failed"]),
                name="resource_status_known",
            ),
            models.CheckConstraint(
                condition=Q(progress__lte=100), name="resource_progress_in_per_cent"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ResourceFile(models.Model):
    """What a resource is still to be read from; gone when it has been."""

    resource = models.OneToOneField(Resource, models.CASCADE, primary_key=True, related_name="file")
    kind = models.CharField(max_length=10)  # one of `documents.kinds.Kind`
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.kind} of {self.resource_id}"


class PassageQuerySet(models.QuerySet["Passage"]):
    def for_user(self, user: User) -> Self:
        return self.filter(Q(resource__user=user) | Q(resource__is_shared=True))


class Passage(Searchable):
    resource = models.ForeignKey(Resource, models.CASCADE, related_name="passages")
    position = models.PositiveIntegerField()
    page = models.PositiveIntegerField(null=True)  # of a text that has pages, from 1
    body = models.TextField()

    tsv = words_of("body")

    objects = PassageQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["resource", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["resource", "position"], name="passage_position"),
        ]

    def __str__(self) -> str:
        return f"{self.resource}, passage {self.number}"

    @property
    def number(self) -> int:
        """Its position as people count."""
        return self.position + 1
