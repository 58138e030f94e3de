"""A real server, a real browser: uvicorn in a thread, Chromium through Playwright."""

import asyncio
import os
import re
import threading
import time
from contextlib import closing
from socket import socket

import pytest
import uvicorn
from asgiref.sync import sync_to_async
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections
from django_q.brokers import get_broker
from django_q.signing import SignedPackage
from playwright.sync_api import expect, sync_playwright

from memoryapp.agents import llm
from memoryapp.heartbeat import Heartbeat
from memoryapp.memory import recall
from tests.browser.thread import reply, say
from tests.fakes import Held

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# Chromium's own words about an answer that a test provoked on purpose.
PROVOKED = re.compile(r"Failed to load resource: the server responded with a status of 4(04|09|22)")
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}

expect.set_options(timeout=60_000)
# Playwright's sync API leaves a running loop in this thread; the test's own rows are still sync.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def worker(transactional_db):
    """Background work as the queue brings it, in a thread of this process."""
    is_over = threading.Event()
    thread = threading.Thread(target=work, args=[is_over], daemon=True)
    thread.start()
    yield
    is_over.set()
    thread.join(10)


def work(is_over):
    queue, alive = get_broker(), Heartbeat()
    alive.beat()
    while not is_over.is_set():
        for lock, package in queue.dequeue() or []:
            task = SignedPackage.loads(package)
            task["func"](*task["args"])
            queue.acknowledge(lock)
    alive.close()
    connections.close_all()


@pytest.fixture
def server(worker, settings, monkeypatch):
    """The application on a free port, with no model but the offline one."""
    settings.TALKER_MODEL = settings.EXTRACTOR_MODEL = settings.SUMMARIZER_MODEL = "offline"
    settings.RECALL_TIMEOUT_MS = 10_000
    recall.prepare()  # the first reply would wait for it
    # Each request has a thread of its own here, and no pool that would take its connection back.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    from config.asgi import application

    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(application, "127.0.0.1", port, log_level="warning")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=asyncio.run, args=[serve(running)], daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(10)
    connections.close_all()


async def serve(running):
    await running.serve()
    await sync_to_async(connections.close_all)()


class Person:
    """Somebody signed in, in a browser of their own; every page must stay free of errors."""

    def __init__(self, chromium, server, user, **options):
        options = {"viewport": WIDE, "base_url": server, **options}
        self.context = chromium.new_context(**options)
        self.errors = []
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        cookie = {"name": "sessionid", "value": session.session_key, "url": server}
        self.context.add_cookies([cookie])

    def open(self, address="/"):
        page = self.context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(address)
        return page

    def _heard(self, message):
        if message.type in ("error", "warning") and not PROVOKED.match(message.text):
            self.errors.append(message.text)


@pytest.fixture
def browse(chromium, server):
    """Opens a browser for a person; fails the test if a page of it complained."""
    people = []

    def begin(user, **options):
        people.append(Person(chromium, server, user, **options))
        return people[-1]

    yield begin
    for person in people:
        person.context.close()
    assert [error for person in people for error in person.errors] == []


@pytest.fixture
def person(browse, ada):
    return browse(ada)


@pytest.fixture
def slow_talker(server):
    """A model that says "word0 word1 ..." with a blank line after each tenth of its sixty words,
    and pauses after "word7" until the test lets it go on."""
    words = [f"word{n}" + ("\n\n" if n % 10 == 9 else " ") for n in range(60)]
    talker = Held(*words, may_say=8, pause=0.05)
    with llm.override({"talker": talker}):
        yield talker


@pytest.fixture
def streaming(person, chat, slow_talker):
    """A page whose chat is answering."""
    page = person.open(f"/chats/{chat.pk}/")
    say(page, "Tell me words")
    expect(reply(page)).to_contain_text("word2")
    return page
