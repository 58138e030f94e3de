"""How people come in, where they are signed in, and how they leave."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.models import User


class AccountAdapter(DefaultAccountAdapter):
    """allauth's account rules, closed to strangers unless SIGNUP opens them."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP == "open")


def sessions_of(user: User) -> list[str]:
    """The keys of this person's sessions. A session is sealed, so all of them are opened."""
    running = Session.objects.filter(expire_date__gt=timezone.now())
    own = str(user.pk)
    return [row.session_key for row in running if row.get_decoded().get(SESSION_KEY) == own]


def sign_out(user: User, *, but: str | None = None) -> int:
    """End this person's sessions, except the one with the key `but`; returns how many."""
    keys = [key for key in sessions_of(user) if key != but]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


def delete(user: User) -> None:
    """Remove a person with all that is theirs. ValidationError for the last administrator."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise ValidationError(
            _("You are the only administrator. Make somebody else one first, in the admin.")
        )
    with transaction.atomic():
        sign_out(user)
        user.delete()
