"""The API as a program meets it: over a socket, on the whole ASGI application."""

import json
import threading

import httpx
import pytest

from memoryapp.agents import llm
from memoryapp.models import Chat, Message
from tests.api.callers import secret_of
from tests.fakes import says

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = [f"word{n} " for n in range(40)]


@pytest.fixture
def program(ada, server):
    """Ada's program, at a server of its own."""
    headers = {"Authorization": f"Bearer {secret_of(ada)}"}
    with (
        llm.override({"talker": says(*WORDS, pause=0.02)}),
        httpx.Client(base_url=f"{server}/api/v1", headers=headers, timeout=30) as client,
    ):
        yield client


def events(lines):
    """Server-sent events as (name, data), each as soon as it is there."""
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def test_a_turn_waits_for_its_reply(program):
    turn = program.post("/chat", json={"message": "Count", "user_name": "Ada"}).json()
    assert turn["reply"] == "".join(WORDS)
    assert turn["used_memories"] == ["name: Ada"]


def test_a_reply_arrives_while_it_is_written(program, chat):
    body = {"body": "Count"}
    with program.stream(
        "POST", f"/chats/{chat.pk}/messages", json=body, headers={"Accept": "text/event-stream"}
    ) as response:
        arrived = events(response.iter_lines())
        first = next(data for name, data in arrived if name == "delta")
        assert Message.objects.get(status="streaming")
        rest = list(arrived)
    text = first["text"] + "".join(data["text"] for name, data in rest if name == "delta")
    assert text == rest[-1][1]["message"]["body"] == "".join(WORDS)


def test_a_program_that_hangs_up_finds_the_whole_reply_later(program, chat):
    body = {"body": "Count"}
    with program.stream(
        "POST", f"/chats/{chat.pk}/messages", json=body, headers={"Accept": "text/event-stream"}
    ) as response:
        head = next(data for name, data in events(response.iter_lines()) if name == "message")
    with program.stream("GET", f"/messages/{head['id']}/stream?after=5") as response:
        rest = list(events(response.iter_lines()))
    assert rest[-1][1]["message"]["status"] == "complete"
    text = "".join(data["text"] for name, data in rest if name == "delta")
    assert text == "".join(WORDS)[5:]


def test_many_programs_wait_at_once_while_others_are_answered(program):
    def turn():
        replies.append(program.post("/chat", json={"message": "Count"}).json()["reply"])

    replies = []
    threads = [threading.Thread(target=turn) for _ in range(6)]
    for thread in threads:
        thread.start()
    while Message.objects.streaming().count() < 6:
        assert program.get("/me").status_code == 200
    for thread in threads:
        thread.join(30)
    assert replies == ["".join(WORDS)] * 6


def test_a_body_without_an_announced_length_is_held_to_the_limit_too(program, settings):
    def endless():
        for _ in range(settings.BODY_MAX_BYTES // 65_536 + 2):
            yield b" " * 65_536

    response = program.post("/chats", content=endless())
    assert (response.status_code, response.json()["code"]) == (413, "too_large")
    assert not Chat.objects.exists()
