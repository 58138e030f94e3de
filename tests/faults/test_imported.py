"""Imported chats being learned from, with the worker ended in the middle."""

import time

import pytest

from tests.faults.product import kill
from tests.importing import exports
from tests.processes import wait_until

QUESTIONS = 12
ALL = 15 * QUESTIONS


@pytest.fixture
def thoughtful(model):
    model.thinks = 1.0
    yield
    model.thinks = 0.0


def archive():
    """A chat with a fact in each turn, of which a question to the extractor holds fifteen."""
    nodes, before = [], "root"
    for number in range(ALL):
        body = f"My thing{number} is colour{number}. {'word ' * 75}"
        at = 1700000000 + 60 * number
        nodes.append(exports.node(f"q{number}", before, "user", body, at=at))
        nodes.append(exports.node(f"a{number}", f"q{number}", "assistant", "I see.", at=at + 9))
        before = f"a{number}"
    return [exports.chatgpt(*nodes, end=before)]


def test_what_was_read_stays_read_and_the_rest_goes_on(up, model, thoughtful, note):
    assert up.http.post("/import", params={"learn": "true"}, json=archive()).is_success
    wait_until(lambda: num_read(up) > ALL / 4, 60)
    wait_until(lambda: model.num_extracting and readers(up), 30)
    kill(readers(up)[0])
    killed_at = time.monotonic()
    assert 0 < num_read(up) < ALL
    wait_until(lambda: num_read(up) == ALL, 120)
    note("seconds until all was read", time.monotonic() - killed_at)
    wait_until(lambda: not up.http.get("/import/learning").json()["going_on"], 30)
    parked = (
        "select count(*), count(distinct key) from memoryapp_memoryevent where action = 'parked'"
    )
    assert up.rows(parked) == [(ALL, ALL)]
    assert up.value("select count(*) from memoryapp_fact where status = 'pending'") == ALL


def readers(up):
    return up.up.members("memoryapp.tasks.extract_imported'")


def num_read(up):
    own = "select count(*) from memoryapp_message where is_imported and role = 'user'"
    return up.value(f"{own} and is_extracted")
