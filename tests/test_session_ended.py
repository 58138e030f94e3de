import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from memoryapp.consumers.page import CONNECT_AGAIN
from tests.test_consumers import Tab, join
from tests.test_temporary_socket import TemporaryTab

pytestmark = pytest.mark.django_db(transaction=True)


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
    assert await asyncio.wait_for(elsewhere.closed(), 5) == CONNECT_AGAIN
    assert await is_answered(here)
    await here.close()


async def test_a_page_of_somebody_else_stays_open(browsers, ada, ben, chat):
    client = Client()
    await sync_to_async(client.force_login)(ben)
    tab = await opened("temporary", ben, chat, client)
    for browser in browsers:
        await sync_to_async(browser.logout)()
    assert await is_answered(tab)
    await tab.close()
