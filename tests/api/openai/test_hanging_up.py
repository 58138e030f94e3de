"""A program that goes away has stopped its reply, at whatever instant it goes."""

import json
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

from memoryapp import temporary
from memoryapp.agents import llm
from memoryapp.api.openai import completions
from memoryapp.models import Message
from tests.api.callers import secret_of
from tests.api.openai.conftest import asked
from tests.api.openai.test_client import WORDS
from tests.fakes import says
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 30


@pytest.fixture(autouse=True)
def long_story():
    with llm.override({"talker": says(*WORDS * 5, pause=0.1)}):
        yield


@pytest.fixture(params=["opening", "opened", "beginning"])
def instant(request, monkeypatch):
    """The program goes while its turn is opened, before the answer is begun, or with its first
    piece: what is done then waits until it has gone."""
    return Instant(request.param, monkeypatch)


class Instant:
    def __init__(self, name, monkeypatch):
        self.name, self.monkeypatch = name, monkeypatch
        self.come, self.gone = threading.Event(), threading.Event()

    def at(self, place):
        work = getattr(completions, place)

        def waiting(*args, **kwargs):
            if not self.come.is_set():
                self.come.set()
                assert self.gone.wait(SECONDS)
                time.sleep(0.2)  # so that the server has heard of it
            return work(*args, **kwargs)

        self.monkeypatch.setattr(completions, place, waiting)


def ask_and_go(server, user, instant, **fields):
    body = json.dumps(asked("Count", **fields)).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Authorization: Bearer {secret_of(user)}\r\n\r\n"
    )
    address = urlsplit(server)
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(head.encode() + body)
        assert instant.come.wait(SECONDS)
    instant.gone.set()


@pytest.mark.parametrize("stream", [True, False])
def test_its_reply_is_stopped(server, ada, instant, stream):
    first = "event" if stream else "whole"
    instant.at({"opening": "opened", "opened": "Shape", "beginning": first}[instant.name])
    ask_and_go(server, ada, instant, stream=stream)
    wait_until(lambda: Message.objects.filter(status="stopped"), SECONDS)


def test_so_is_one_that_is_stored_nowhere(server, ada, instant):
    instant.at({"opening": "unstored", "opened": "Shape", "beginning": "event"}[instant.name])
    ask_and_go(server, ada, instant, stream=True, model="memoryapp-temporary")
    wait_until(lambda: ada.pk in temporary.WRITING, SECONDS)
    wait_until(lambda: not temporary.WRITING[ada.pk], SECONDS)
