"""What a person sees when something isn't there, isn't theirs, or broke."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import include, path

from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db


def broken(request):
    raise RuntimeError("on purpose")


urlpatterns = [path("broken/", broken), path("", include("config.urls"))]


def is_of_the_house(response, status, title):
    html = text_of(response)
    assert response.status_code == status
    assert f'<h1 class="page__title">{title}</h1>' in html
    assert "css/app.css" in html
    assert f"<span>{status}</span>" in html
    assert 'href="/"' in html
    assert "style=" not in html
    assert "<style" not in html
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    return html


def test_an_address_without_a_page(client):
    is_of_the_house(client.get("/nowhere/"), 404, "There's nothing at this address")


def test_a_page_of_administrators(ada):
    is_of_the_house(client_of(ada).get("/admin/", follow=True), 403, "This isn't yours to see")


def test_a_form_without_its_token(ada):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    html = is_of_the_house(client.post("/settings/profile/"), 403, "This page was too old")
    assert "Nothing was changed." in html


def test_too_many_tries(client):
    cache.clear()
    for _ in range(30):
        client.post("/accounts/login/", {})
    response = client.post("/accounts/login/", {})
    cache.clear()
    is_of_the_house(response, 429, "That was too much at once")


def test_a_fault_of_the_server_shows_nothing_of_its_inside(settings, ada):
    settings.ROOT_URLCONF = __name__
    client = client_of(ada)
    client.raise_request_exception = False
    html = is_of_the_house(client.get("/broken/"), 500, "Something broke on this server")
    assert "on purpose" not in html
    assert "Traceback" not in html
