"""The request as our views get it: from a person who is signed in, perhaps through htmx."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from memoryapp.models import User


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails
    user: User
