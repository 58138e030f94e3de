"""People, and the keys they give to programs."""

import hashlib
import secrets
import uuid
from datetime import datetime
from typing import ClassVar, Self
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from memoryapp.models.fields import search_config

SCOPES = ("read", "write")
KEY_NAME_MAX_CHARS = 100


def check_timezone(name: str) -> None:
    """Raise ValidationError unless `name` is an IANA time zone such as Europe/Vienna."""
    if name not in available_timezones():
        unknown = _("“%(name)s” is not a time zone; use a name such as Europe/Vienna.")
        raise ValidationError(unknown % {"name": name})


def check_language(code: str) -> None:
    """Raise ValidationError unless `code` is a language that Django knows, such as de or pt-br."""
    if code not in LANG_INFO:
        unknown = _("“%(code)s” is not a language code; use one such as en, de or pt-br.")
        raise ValidationError(unknown % {"code": code})


def default_timezone() -> str:
    return str(settings.TIME_ZONE)


class User(AbstractUser):
    class Review(models.TextChoices):
        ALWAYS = "always", "ask always"
        RISKY = "risky", "ask when it is risky"
        NEVER = "never", "never ask"

    timezone = models.CharField(
        max_length=64, default=default_timezone, validators=[check_timezone]
    )
    language = models.CharField(max_length=10, default="en", validators=[check_language])
    memory_on = models.BooleanField("remember what I say", default=True)
    review = models.CharField(
        "before something is remembered",
        max_length=10,
        choices=Review.choices,
        default=Review.RISKY,
    )
    learns_imports = models.BooleanField(
        default=False, editable=False, help_text="Imported chats are being learned from."
    )
    local_models_only = models.BooleanField("new memories for local models only", default=False)
    notify_learned = models.BooleanField("show a notice when something is learned", default=True)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def search_config(self) -> str:
        """The text search configuration that what this person writes is indexed with."""
        return search_config(self.language)

    def translate(self, sentence: str) -> str:
        """A sentence of the catalogue in this person's language."""
        with override(self.language):
            return _(sentence)


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def for_user(self, user: User) -> Self:
        return self.filter(user=user)

    def usable(self) -> Self:
        return self.filter(user__is_active=True).exclude(expires_at__lte=timezone.now())

    def holding(self, secret: str) -> Self:
        """The usable key with this secret, as a queryset of at most one."""
        return self.usable().filter(digest=digest_of(secret))


def digest_of(secret: str) -> str:
    # A plain hash is enough: the secret is 256 random bits, not a password somebody chose.
    return hashlib.sha256(secret.encode()).hexdigest()


class ApiKey(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=KEY_NAME_MAX_CHARS)
    prefix = models.CharField(max_length=12, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(name=""), name="apikey_name_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @classmethod
    def make(
        cls,
        *,
        user: User,
        name: str,
        scopes: tuple[str, ...] = SCOPES,
        expires_at: datetime | None = None,
    ) -> tuple["ApiKey", str]:
        """A saved key and its secret, which exists only in this answer."""
        secret = f"ma_{secrets.token_urlsafe(32)}"
        key = cls.objects.create(
            user=user,
            name=name,
            prefix=secret[:10],
            digest=digest_of(secret),
            scopes=list(scopes),
            expires_at=expires_at,
        )
        return key, secret
