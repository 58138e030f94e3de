"""What the provider of single sign-on is asked, and how its answers are read.

Imported by the first who signs in that way: what it needs is much, and elsewhere of no use.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from allauth.account.internal.emailkit import valid_email_or_none
from allauth.core.internal.datakit import parse_bool_safely
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from jwt import ExpiredSignatureError
from requests import ConnectionError, HTTPError, RequestException, Timeout

from memoryapp.memory.operations import storable

CLAIMS = ("preferred_username", "given_name", "family_name", "name", "email")
# What an answer of another form has its readers raise.
OTHER_FORM = (
    *(AttributeError, ImproperlyConfigured, KeyError),
    *(RecursionError, TypeError, ValueError),
)
NEEDED = {
    *("issuer", "jwks_uri"),
    *("authorization_endpoint", "token_endpoint", "userinfo_endpoint"),
}


def callback_address() -> str:
    """What is to be registered at the provider: where it sends people back to."""
    return settings.SITE_URL.rstrip("/") + reverse("sign-on-callback")


@contextmanager
def understood() -> Iterator[None]:
    """OAuth2Error for an answer that has another form than the protocol's."""
    try:
        yield
    except OTHER_FORM as error:
        if isinstance(error, RequestException):
            raise
        raise OAuth2Error(f"an answer without what belongs in it: {error!r}") from error


class Exchange(OpenIDConnectOAuth2Adapter):
    """The protocol's steps."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, settings.OIDC_ISSUER)

    @property
    def openid_config(self) -> dict[str, Any]:
        with understood():
            found: dict[str, Any] = super().openid_config
            if missing := NEEDED - found.keys():
                raise OAuth2Error(f"its configuration lacks {', '.join(sorted(missing))}")
            if found["issuer"].rstrip("/") != settings.OIDC_ISSUER:
                raise OAuth2Error(f"its configuration is that of {found['issuer']}")
            return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return callback_address()

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        with understood():
            return dict(super().get_access_token_data(*args, **kwargs))

    def complete_login(self, *args: Any, **kwargs: Any) -> SocialLogin:
        with understood():
            return super().complete_login(*args, **kwargs)


class Provider(OpenIDConnectProvider):
    """The one that the settings name. Someone's identity there is the issuer and their `sub`."""

    oauth2_adapter_class = Exchange

    def __init__(self, request: HttpRequest) -> None:
        client_id, _, secret = settings.OIDC_CLIENT.partition(":")
        app = SocialApp(
            provider=self.id,
            provider_id=settings.OIDC_ISSUER,
            name=settings.OIDC_ISSUER,
            client_id=client_id,
            secret=secret,
            settings={"server_url": settings.OIDC_ISSUER, "oauth_pkce_enabled": True},
        )
        super().__init__(request, app=app)

    def get_oauth2_adapter(self, request: HttpRequest) -> Exchange:
        return Exchange(request)

    def extract_uid(self, data: dict[str, Any]) -> str:
        named = {str(claims["sub"]) for claims in data.values()}
        if len(named) != 1:
            raise OAuth2Error("its token and its userinfo are about different people")
        if storable(uid := named.pop()) != uid:
            raise OAuth2Error("its `sub` is no text")
        return uid

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """All that is kept: the names, and an e-mail address that the provider vouches for."""
        claims = {**data.get("id_token", {}), **data.get("userinfo", {})}
        if parse_bool_safely(claims.get("email_verified")):
            claims["email"] = valid_email_or_none(claims.get("email"))
        else:
            claims.pop("email", None)
        return {name: storable(str(claims[name])) for name in CLAIMS if claims.get(name)}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        fields = dict(super().extract_common_fields(data))
        del fields["email"]  # which address counts is decided in sign_on.py, and nowhere else
        return {name: storable(value) for name, value in fields.items() if value}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        return []


def is_away(error: Exception | None) -> bool:
    """Whether the provider can't be reached just now."""
    if isinstance(error, HTTPError) and error.response is not None:
        return error.response.status_code >= 500
    return isinstance(error, ConnectionError | Timeout)


def is_over(error: Exception | None) -> bool:
    """Whether what it has just signed is over already by this server's clock."""
    return isinstance(error and error.__cause__, ExpiredSignatureError)


def begin(request: HttpRequest, next_url: str | None) -> HttpResponseBase:
    """The way to the provider. What else the request's address says, allauth would pass on."""
    leave = Provider(request).redirect
    return answered(request, partial(leave, request, AuthProcess.LOGIN, next_url))


def finish(request: HttpRequest) -> HttpResponseBase:
    """Signed in, or a page that says why not."""
    return answered(request, partial(OAuth2CallbackView.adapter_view(Exchange(request)), request))


def answered(request: HttpRequest, step: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """What a step leads to; a page about it, where it fails."""
    try:
        return step()
    except (OAuth2Error, RequestException) as error:
        refusal: HttpResponseBase = render_authentication_error(request, None, exception=error)
        return refusal
