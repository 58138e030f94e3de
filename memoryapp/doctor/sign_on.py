"""Whether the provider of single sign-on can be asked, where one is set."""

from collections.abc import Iterator

from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.http import HttpRequest
from requests import RequestException

from memoryapp.doctor.findings import Finding, ok, problem


def provider() -> Iterator[Finding]:
    if not settings.OIDC_ISSUER:
        return
    from memoryapp.oidc import Exchange, callback_address

    try:
        _ = Exchange(HttpRequest()).openid_config  # is asked for only now
    except (OAuth2Error, RequestException) as error:
        yield problem(
            f"{settings.OIDC_ISSUER} can't be asked, so nobody can sign in by it ({error}):"
            " OIDC_ISSUER must be the issuer that its .well-known/openid-configuration names, and"
            " be reached from this machine."
        )
    else:
        yield ok(
            f"{settings.OIDC_ISSUER}. It must know {callback_address()} as where to send back."
        )
