"""Pages that are not let in, or not any longer."""

import uuid

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from memoryapp.consumers.page import CONNECT_AGAIN, GONE, SIGNED_OUT
from memoryapp.routing import websocket_urlpatterns
from tests.tabs import SECONDS, Tab, join
from tests.test_temporary_socket import TemporaryTab

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
async def bus():
    yield
    await get_channel_layer().flush()


@pytest.mark.parametrize("who", ["ben", "ada"])
async def test_a_chat_that_is_not_there_for_somebody_is_gone_and_shows_nothing(chat, ben, ada, who):
    user, chat_id = (ben, chat.pk) if who == "ben" else (ada, uuid.uuid4())
    tab = Tab(user, chat_id)
    await tab.connect()
    assert "This chat was deleted" in await tab.until("gone")
    assert await tab.closed() == GONE
    assert chat.title not in "".join(tab.frames)


async def test_whoever_is_not_signed_in_is_told_so_and_nothing_else(chat):
    tab = Tab(AnonymousUser(), chat.pk)
    await tab.connect()
    assert await tab.closed() == SIGNED_OUT


async def test_a_socket_at_an_unknown_address_is_refused(ada):
    scope = {"type": "websocket", "path": "/ws/nothing/", "user": ada, "headers": []}
    app = ApplicationCommunicator(URLRouter(websocket_urlpatterns), scope)
    await app.send_input({"type": "websocket.connect"})
    assert (await app.receive_output(SECONDS))["type"] == "websocket.close"


async def test_a_tab_that_has_yet_to_join_is_told_that_its_chat_is_gone(chat, ada):
    tab = Tab(ada, chat.pk)
    await tab.connect()
    await chat.adelete()
    await tab.send(action="join", stamp="")
    assert "This chat was deleted" in await tab.until("gone")
    assert await tab.closed() == GONE


@pytest.fixture
async def browsers(ada):
    """Two browsers that she is signed in with."""
    both = Client(), Client()
    for browser in both:
        await sync_to_async(browser.force_login)(ada)
    return both


def session_of(browser):
    return SessionStore(browser.session.session_key)


async def opened(kind, user, chat, browser):
    session = await sync_to_async(session_of)(browser)
    if kind == "temporary":
        tab = TemporaryTab(user, session=session)
        assert await tab.connect()
        return tab
    tab = Tab(user, chat.pk, session=session)
    assert await tab.connect()
    await join(tab, chat)
    return tab


async def is_answered(tab):
    await tab.send(action="nonsense")
    return "be read" in await tab.until("be read")


@pytest.mark.parametrize("kind", ["stored", "temporary"])
async def test_a_page_whose_session_ends_must_connect_again(browsers, ada, chat, kind):
    here, elsewhere = [await opened(kind, ada, chat, browser) for browser in browsers]
    assert await is_answered(here)
    assert await is_answered(elsewhere)
    await sync_to_async(browsers[1].logout)()
    assert await elsewhere.closed() == CONNECT_AGAIN
    assert await is_answered(here)
    await here.close()


async def test_a_tab_that_has_yet_to_join_is_closed_when_its_session_ends(browsers, ada, chat):
    session = await sync_to_async(session_of)(browsers[1])
    tab = Tab(ada, chat.pk, session=session)
    assert await tab.connect()
    assert await is_answered(tab)
    await sync_to_async(browsers[1].logout)()
    assert await tab.closed() == CONNECT_AGAIN


def change_password(browser):
    new = "an-even-longer-password"
    data = {"oldpassword": "a-long-password", "password1": new, "password2": new}
    assert browser.post("/accounts/password/change/", data).status_code == 302


def set_password(user):
    user.set_password("what an administrator has thought of")
    user.save()


@pytest.mark.parametrize("kind", ["stored", "temporary"])
@pytest.mark.parametrize("by", ["herself", "an administrator"])
async def test_another_password_closes_the_pages_of_other_browsers(browsers, ada, chat, kind, by):
    tab = await opened(kind, ada, chat, browsers[1])
    assert await is_answered(tab)
    if by == "herself":
        await sync_to_async(change_password)(browsers[0])
    else:
        await sync_to_async(set_password)(ada)
    assert await tab.closed() == CONNECT_AGAIN


async def test_a_page_of_somebody_else_stays_open(browsers, ada, ben, chat):
    client = Client()
    await sync_to_async(client.force_login)(ben)
    tab = await opened("temporary", ben, chat, client)
    for browser in browsers:
        await sync_to_async(browser.logout)()
    assert await is_answered(tab)
    await tab.close()
