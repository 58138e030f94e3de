"""People at the pages: clients that are signed in, and requests as htmx makes them."""

from django.test import AsyncClient, Client

HTMX = {"HX-Request": "true"}


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


async def async_client_of(user):
    client = AsyncClient()
    await client.aforce_login(user)
    return client


def htmx_get(client, address, **data):
    return client.get(address, data, headers=HTMX)


def htmx_post(client, address, **data):
    return client.post(address, data, headers=HTMX)


def after_password(client, address, password="a-long-password"):
    """The page at an address that asks for the password first."""
    asked = client.get(address)
    assert asked.url.startswith("/accounts/reauthenticate/")
    return client.post(asked.url, {"password": password, "next": address}, follow=True)


def text_of(response):
    return response.content.decode()
