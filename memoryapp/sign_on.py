"""Single sign-on: whom the provider that the settings name lets in, and as whom."""

import logging
from typing import Any
from urllib.parse import urlsplit

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from memoryapp.models import User

logger = logging.getLogger(__name__)


def provider_name() -> str:
    """What people know the provider by; "" if there is none."""
    return str(urlsplit(settings.OIDC_ISSUER).netloc)


def is_sign_up() -> bool:
    """Whether to sign in with the provider is the way to get an account."""
    return bool(settings.SIGNUP == "oidc")


def refusal(request: HttpRequest, sentence: str) -> HttpResponse:
    return render(request, "account/sign_on_failed.html", {"sentence": sentence}, status=403)


class SignOnAdapter(DefaultSocialAccountAdapter):
    """allauth's rules for accounts that a provider vouches for."""

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> Any:
        from memoryapp.oidc import Provider

        return Provider(request)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Know somebody again by the address that an administrator has entered for them."""
        if not sociallogin.is_existing and (user := known_by_address(sociallogin.account)):
            sociallogin.connect(request, user)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        if settings.SIGNUP != "closed":
            return True
        raise ImmediateHttpResponse(refusal(request, without_account(sociallogin)))

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        user: User = super().save_user(request, sociallogin, form)
        user.email = sociallogin.account.extra_data.get("email", "")
        user.save(update_fields=["email"])
        return user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        if error == AuthError.CANCELLED:
            raise ImmediateHttpResponse(redirect("account_login"))
        raise ImmediateHttpResponse(refusal(request, explain(request, exception)))


def known_by_address(account: SocialAccount) -> User | None:
    """Whose account has the address that the provider vouches for.

    Nobody's, if several have it, or if its owner comes under another name at the provider: an
    address may have passed to somebody else there.
    """
    address = account.extra_data.get("email", "")
    if not address or not address.isascii():  # PostgreSQL takes ı for an i
        return None
    found = list(User.objects.filter(email__iexact=address)[:2])
    if len(found) != 1:
        return None
    known = SocialAccount.objects.filter(provider=account.provider, user=found[0])
    return None if known.exists() else found[0]


def without_account(sociallogin: SocialLogin) -> str:
    address = sociallogin.account.extra_data.get("email")
    if not address:
        return _(
            "%(provider)s doesn't vouch for an e-mail address of yours, so I can't tell which"
            " account is yours. Ask the person who runs this server."
        ) % {"provider": provider_name()}
    return _(
        "There is no account for %(address)s here. Ask the person who runs this server to make"
        " one with that address."
    ) % {"address": address}


def explain(request: HttpRequest, error: Exception | None) -> str:
    """What went wrong, for whoever wanted to sign in; the log has it for the administrator."""
    from memoryapp import oidc

    provider = {"provider": provider_name()}
    told = error or request.GET.get("error")
    if told is None:
        return _("That took too long, or was begun in another browser. Try again from here.")
    logger.warning("Nobody could be signed in by %s: %.500r", settings.OIDC_ISSUER, told)
    if oidc.is_away(error):
        return _("%(provider)s doesn't answer. Try again in a while.") % provider
    if oidc.is_over(error):
        return (
            _(
                "The clocks of this server and of %(provider)s differ. Ask the person who runs this"
                " server to set them right."
            )
            % provider
        )
    return (
        _(
            "%(provider)s and this server don't understand each other. Ask the person who runs this"
            " server: its log says why, and OIDC_ISSUER and OIDC_CLIENT are where to look."
        )
        % provider
    )
