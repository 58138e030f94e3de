"""How people come in, where they are signed in, and how they leave."""

import time
from importlib import import_module
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from memoryapp.models import (
    Chat,
    Fact,
    FactSpare,
    MemoryEvent,
    MemoryMark,
    Message,
    MessagePart,
    MessagePartSpare,
    MessageSpare,
    Prompt,
    Usage,
    User,
)

NOTED_SECONDS = 300  # between two notes of when a session was last seen
# Each browser's header names those that it descends from too, so the first mark decides.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class AccountAdapter(DefaultAccountAdapter):
    """allauth's account rules, closed to strangers unless SIGNUP opens them."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy("The username or the password is wrong."),
        "username_taken": gettext_lazy("Somebody else has this username. Choose another one."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP == "open")

    def pre_login(self, request: HttpRequest, user: User, **about: Any) -> HttpResponseBase | None:
        """Before the first time, take the browser's language for one that nobody has chosen."""
        asked_for = get_language()
        if user.last_login is None and user.language == settings.LANGUAGE_CODE and asked_for:
            user.language = asked_for
            user.save(update_fields=["language"])
        response: HttpResponseBase | None = super().pre_login(request, user, **about)
        return response

    def get_login_stages(self) -> list[str]:
        stages = list(super().get_login_stages())
        stages.remove("allauth.mfa.stages.AuthenticateStage")
        return [*stages, "memoryapp.second_factor.SecondFactorStage"]

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("settings")  # which says that it is done


def holder_of(session_key: str | None) -> User | AnonymousUser:
    """Whom the session with this key lets in now."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    holder: User | AnonymousUser = get_user(request)
    return holder


def note_visit(request: HttpRequest) -> None:
    """Keep which browser this session is of and when it was last here, to some minutes."""
    now = time.time()
    if now - request.session.get("noted_at", 0) > NOTED_SECONDS:
        request.session["noted_at"] = now
        UserSession.objects.create_from_request(request)


def sessions_of(user: User) -> list[UserSession]:
    """Where this person is signed in, last seen first."""
    noted = UserSession.objects.filter(user=user)
    # All that have ended at once; allauth asks for each whether it has.
    noted.exclude(session_key__in=Session.objects.values("session_key")).delete()
    return list(noted.order_by("-last_seen_at"))


def drop_ended_sessions() -> None:
    """Remove the sessions that have expired, and what was noted of those that are over."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()


def sign_out(user: User, *, but: str | None = None) -> int:
    """End this person's sessions, except the one with the key `but`; returns how many."""
    ending = [session for session in sessions_of(user) if session.session_key != but]
    for session in ending:
        session.end()
    return len(ending)


def device(user_agent: str) -> str:
    """The browser and its system, such as "Firefox, Linux"; "" if the header names neither."""
    names = (
        next((name for mark, name in marks if mark in user_agent), "")
        for marks in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, names))


def administrators_but(*users: User) -> QuerySet[User]:
    """Who could still administer without these people."""
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    return administrators.exclude(pk__in=[user.pk for user in users])


def delete(user: User) -> None:
    """Remove a person with all that is theirs. ValidationError for the last administrator."""
    if user.is_superuser and not administrators_but(user).exists():
        raise ValidationError(
            _("You are the only administrator. Make somebody else one first, in the admin.")
        )
    with transaction.atomic():
        sign_out(user)
        _delete_most(user)
        user.delete()


def _delete_most(user: User) -> None:
    """Remove what a person has thousands of, each table in one statement. By themselves rows would
    first be read, and written once more for each other row that names them."""
    spares = [(table, "row__user") for table in (FactSpare, MessageSpare, MessagePartSpare)]
    tables = (MessagePart, MemoryMark, MemoryEvent, Fact, Prompt, Usage, Message, Chat)
    for table, owner in (*spares, *((table, "user") for table in tables)):
        rows: QuerySet[Any] = table._default_manager.filter(**{owner: user})
        rows._raw_delete(rows.db)
