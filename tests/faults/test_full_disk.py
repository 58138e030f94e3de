"""The disk of the database has no room left, and then has."""

import json
import secrets
import shutil
import subprocess
import time
import uuid
from contextlib import suppress

import pytest

from tests.faults.model import words
from tests.faults.product import product
from tests.processes import short_folder, wait_until

MEGABYTES = 240  # an empty database takes 80, and keeps as much of its log


@pytest.fixture
def small_disk():
    """A folder on a disk of its own, which only root can have."""
    with short_folder() as folder:
        how = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=755", "tmpfs", str(folder)]
        if subprocess.run(how, check=False, capture_output=True).returncode:
            pytest.skip("no disk of its own can be mounted here")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path):
    with path.open("wb", buffering=0) as ballast, suppress(OSError):
        while ballast.write(bytes(2**16)):
            pass
    assert shutil.disk_usage(path).free < 2**16


def refused(up, chats):
    """The first of these chats whose message finds no room, the message, and what is told of it."""
    for chat in chats:
        body = f"{secrets.token_urlsafe(70_000)} [[words=2]]"
        sent = {"id": str(uuid.uuid4()), "body": body}
        how = {"json": sent, "headers": {"Accept": "text/event-stream"}}
        with up.http.stream("POST", f"/chats/{chat}/messages", **how) as answer:
            if answer.status_code != 200:
                return chat, sent, json.loads(answer.read())
    raise AssertionError("there was room for all")


def test_what_finds_no_room_is_refused_whole_and_all_goes_on_when_there_is(model, small_disk, note):
    with product(model, DATA_DIR=str(small_disk)) as up:
        chats, ballast = [up.make_chat() for _ in range(10)], small_disk / "ballast"
        asked = up.begin_replies(5, "[[words=200 pace=0.05]]")
        model.thinks = 3.0  # what is learned meanwhile finds no room, either
        up.say(up.make_chat(), "My bicycle is green. [[words=2]]").ended()
        wait_until(lambda: model.num_extracting, 30)
        fill(ballast)
        chat, sent, told = refused(up, chats)
        assert told["code"] == "database_full"
        wait_until(lambda: not model.streaming, 30)  # whatever has ended can't be saved
        wait_until(lambda: not model.num_extracting, 30)
        model.thinks = 0.0
        ballast.unlink()
        freed_at = time.monotonic()
        wait_until(up.is_ready, 90)
        wait_until(lambda: up.num_streaming() == 0, 60)
        note("seconds until all was as before", time.monotonic() - freed_at)
        for question in asked:
            end = question.ended()
            [(status, body)] = up.replies(question.chat)
            assert up.num_asked(question.chat) == 1
            if status == "complete":
                assert (end, body, question.text) == ("done", words(200), words(200))
            else:
                assert (end, status) == ("reply_interrupted", "interrupted")
                assert words(200).startswith(body)
        assert (up.num_asked(chat), up.replies(chat)) == (0, [])
        again = up.http.post(f"/chats/{chat}/messages", json=sent)
        assert (again.status_code, again.json()["body"]) == (201, words(2))
        assert up.replies(chat) == [("complete", words(2))]
        wait_until(lambda: up.learned() == {"bicycle": (1, 1)}, 150)
        note("seconds until all was learned", time.monotonic() - freed_at)
