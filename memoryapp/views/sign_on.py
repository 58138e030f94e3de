"""Single sign-on: out to the provider, and back."""

from allauth.account.utils import get_next_redirect_url
from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_GET


@require_GET
def sign_on(request: HttpRequest) -> HttpResponseBase:
    """Send somebody to the provider: a link, as a form may lead nowhere but here."""
    if not settings.OIDC_ISSUER:
        raise Http404
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    from memoryapp import oidc

    return oidc.begin(request, get_next_redirect_url(request))


@require_GET
def sign_on_callback(request: HttpRequest) -> HttpResponseBase:
    """Let in whom the provider sends back."""
    if not settings.OIDC_ISSUER:
        raise Http404
    from memoryapp import oidc

    return oidc.finish(request)
