"""The socket of a temporary chat: what it says to the page, and that nothing else hears of it."""

import asyncio
import json
import re
from html import unescape

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.contrib.auth.models import AnonymousUser
from pydantic_ai import ModelHTTPError

from config.asgi import application
from memoryapp.agents import llm
from memoryapp.consumers import temporary
from memoryapp.consumers.page import SIGNED_OUT
from memoryapp.routing import websocket_urlpatterns
from memoryapp.temporary import packed
from tests.dumps import everything
from tests.fakes import Script, says
from tests.tabs import Tab
from tests.test_temporary import talk

pytestmark = pytest.mark.django_db(transaction=True)
SAID = re.compile(r'name="said" value="([^"]+)"')
FINISHED = 'title="Send"'


class TemporaryTab(Tab):
    def __init__(self, user, **scope):
        path = "/ws/temporary/"
        scope = {"type": "websocket", "path": path, "user": user, "headers": [], **scope}
        self.app = ApplicationCommunicator(URLRouter(websocket_urlpatterns), scope)
        self.frames = []

    async def ask(self, body, until=FINISHED, **fields):
        await self.send(action="send", body=body, **fields)
        return await self.until(until)

    @property
    def said(self):
        """What the page would hand back: the newest of each message."""
        return list(dict.fromkeys(SAID.findall("".join(self.frames))))


@pytest.fixture
async def tabs():
    opened = []

    async def open_tab(user):
        opened.append(TemporaryTab(user))
        assert await opened[-1].connect()
        return opened[-1]

    yield open_tab
    for tab in opened:
        if not tab.app.future.done():
            await tab.close()
    await get_channel_layer().flush()
    assert not temporary.OPEN


@pytest.fixture
def echo():
    with llm.override({"talker": says("Zebras ", "it\n\n", "is")}):
        yield


async def test_it_needs_somebody_signed_in():
    tab = TemporaryTab(AnonymousUser())
    await tab.connect()
    assert await tab.closed() == SIGNED_OUT


@pytest.mark.parametrize("origin", [b"https://elsewhere.example", None])
async def test_it_listens_to_pages_of_this_site_only(origin):
    headers = [(b"host", b"localhost"), *([(b"origin", origin)] if origin else [])]
    scope = {"type": "websocket", "path": "/ws/temporary/", "headers": headers}
    app = ApplicationCommunicator(application, scope)
    await app.send_input({"type": "websocket.connect"})
    assert (await app.receive_output(5))["type"] == "websocket.close"


async def test_a_question_is_shown_and_answered_word_by_word(tabs, ada, echo):
    tab = await tabs(ada)
    turn = await tab.ask("And <now>?", until="And &lt;now&gt;?")
    assert "Stop answering" in turn
    finished = await tab.until(FINISHED)
    assert "<p>Zebras it</p>" in finished
    assert tab.rest == "is"
    assert unescape(finished).count('name="said"') == 1


async def test_the_same_send_twice_is_one_message(tabs, ada, echo):
    tab = await tabs(ada)
    await tab.ask("Hello", id="1")
    await tab.send(action="send", body="Hello", id="1")
    await tab.ask("And now?", id="2")
    assert len(tab.said) == 4


async def test_what_is_wrong_is_said_in_a_sentence(tabs, ada):
    with llm.override({"talker": says("slow", pause=1)}):
        tab = await tabs(ada)
        for asked, sentence in [
            ({"action": "send", "body": "  "}, "The message is empty."),
            ({"action": "send", "body": "x" * 100_001}, "is the most."),
            ({"action": "again"}, "no question"),
            ({"action": "nonsense"}, "be read."),
            ({"action": "join", "said": ["nonsense"]}, "taken up"),
            ({}, "be read."),
        ]:
            await tab.send(**asked)
            assert sentence in unescape(await tab.until("composer-error"))
        await tab.ask("Hello", until="Hello")
        await tab.ask("And now?", until="still answering")
        await tab.send(action="stop")
        await tab.until(FINISHED)


async def test_stop_keeps_what_has_come_and_it_can_be_answered_again(tabs, ada):
    with llm.override({"talker": says("One ", *["and "] * 100, pause=0.05)}):
        tab = await tabs(ada)
        await tab.ask("Count", until="One ")
        await tab.send(action="stop")
        stopped = await tab.until(FINISHED)
    assert "You stopped this reply." in stopped
    assert "One" in stopped
    with llm.override({"talker": says("Two")}):
        await tab.send(action="again")
        assert 'hx-swap-oob="delete"' in await tab.until("Stop answering")
        assert "<p>Two</p>" in await tab.until(FINISHED)


async def test_a_provider_that_fails_is_told_here_and_not_in_the_log(tabs, ada, caplog):
    failure = ModelHTTPError(500, "test", body="you said Marmalade")
    with llm.override({"talker": Script([failure], ["Fine."])}):
        tab = await tabs(ada)
        failed = await tab.ask("Marmalade?")
        assert "The reply failed" in failed
        assert "The model&#x27;s server sent something" in failed
        assert "Try again" in failed
        await tab.send(action="again")
        assert "Fine." in await tab.until(FINISHED)
    assert "A temporary reply failed: ModelHTTPError" in caplog.text
    assert "Marmalade" not in caplog.text


async def test_a_page_takes_its_chat_to_another_socket(tabs, ada):
    model = says("Fine.")
    with llm.override({"talker": model}):
        first = await tabs(ada)
        await first.ask("I am Ada.")
        await first.close()
        again = await tabs(ada)
        await again.send(action="join", said=first.said)
        thread = await again.until("I am Ada.")
        assert "Fine." in thread
        await again.ask("Who am I?")
    assert "I am Ada." in str(model.requests[-1])


async def test_a_question_whose_reply_was_lost_is_answered_after_all(tabs, ada):
    with llm.override({"talker": says("One ", *["and "] * 100, pause=0.05)}):
        first = await tabs(ada)
        await first.ask("Count", until="One ")
        await first.close()
    with llm.override({"talker": says("Two")}):
        again = await tabs(ada)
        await again.send(action="join", said=first.said)
        assert "<p>Two</p>" in await again.until('title="Answer again"')


async def test_a_lost_reply_is_not_written_again_while_too_many_are(tabs, ada, settings):
    with llm.override({"talker": says("One ", *["and "] * 100, pause=0.05)}):
        first = await tabs(ada)
        await first.ask("Count", until="One ")
        settings.REPLIES_AT_ONCE = 1
        again = await tabs(ada)
        await again.send(action="join", said=first.said)
        assert "Count" in await again.until(FINISHED)
        assert "1 of your replies are being written already" in await again.until("composer-error")


async def test_a_page_of_somebody_else_is_not_taken_up(tabs, ada, ben):
    chat = await sync_to_async(talk)(ada, "Secret", "Yes")
    tab = await tabs(ben)
    await tab.send(action="join", said=[packed(chat, message) for message in chat.messages])
    complaint = await tab.until("composer-error")
    assert "Secret" not in complaint


async def test_a_closed_page_ends_the_providers_work(tabs, ada):
    model = says(*["and "] * 200, pause=0.05)
    with llm.override({"talker": model}):
        tab = await tabs(ada)
        await tab.ask("Count", until="and ")
        await tab.close()
        await asyncio.sleep(0.2)
        assert not [task for task in asyncio.all_tasks() if "write" in str(task.get_coro())]


async def test_a_summary_stands_below_what_it_covers(tabs, ada, settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 3, 2
    models = {"talker": says("Fine."), "summarizer": says("They talked.")}
    with llm.override(models):
        tab = await tabs(ada)
        await tab.ask("One")
        await tab.ask("Two")
        first = await tab.until("2 earlier messages condensed")
        assert "afterend:#message-" in first
        assert "Write it again" not in first
        await tab.ask("Three")
        second = await tab.until("4 earlier messages condensed")
        assert " hidden" in second
        again = await tabs(ada)
        await again.send(action="join", said=tab.said)
        thread = await again.until("4 earlier messages condensed")
    assert thread.count('name="said"') == 8


async def test_nobody_opens_too_many(tabs, ada, echo, monkeypatch):
    monkeypatch.setattr(temporary, "MOST_OPEN", 1)
    first, second = await tabs(ada), await tabs(ada)
    assert "too many" in await second.ask("Hello", until="composer-error")
    await first.close()
    await second.ask("Hello")


async def test_nothing_of_it_is_written_down_anywhere(tabs, ada, settings, caplog):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 3, 2
    before = await sync_to_async(everything)()
    models = {"talker": says("Marmalade, ", "you say."), "summarizer": says("Marmalade again")}
    with llm.override(models), caplog.at_level("DEBUG", "memoryapp"):
        tab = await tabs(ada)
        await tab.ask("I am allergic to Marmalade.")
        await tab.ask("What is Marmalade?")
        await tab.until("Marmalade again")
        await tab.close()
    after = await sync_to_async(everything)()
    assert after == before
    assert "Marmalade" not in json.dumps(after)
    assert "Marmalade" not in caplog.text
