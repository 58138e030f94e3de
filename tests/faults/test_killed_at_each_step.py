"""The flow of a turn, with a part of the product ended at each of its steps at once."""

import signal
import time

import pytest

from tests.faults.model import words
from tests.faults.product import kill
from tests.processes import wait_until

# Per step, how the question is to be answered. When the last has said its words, all are there.
STEPS = {
    "learning": "[[words=2]]",
    "asked": "[[words=20 wait=10]]",
    "streaming": "[[words=400 pace=0.03]]",
    "ending": "[[words=160 pace=0.02]]",
}
# The same said of two things would be taken for one thing under two names.
MATERIALS = """
    amber brass bronze cedar clay cork denim ebony felt flint glass hemp iron ivory jade jute kelp
    linen maple marble nickel oak onyx pearl quartz rubber silk slate teak velvet wool zinc
"""
materials = iter(MATERIALS.split())
PARTS = {
    "web": lambda up: up.web,
    "worker": lambda up: up.worker,
    "learner": lambda up: up.up.members("memoryapp.tasks.extract'")[0],
    "embedder": lambda up: up.up.child("memoryapp.memory.minilm"),
    "postgres": lambda up: up.postgres,
}


@pytest.fixture
def thoughtful(model):
    """The extractor takes its time, so that it can be hit."""
    model.thinks = 4.0
    yield
    model.thinks = 0.0


@pytest.mark.parametrize(
    ("victim", "how"),
    [
        *((part, signal.SIGKILL) for part in PARTS),
        *((part, signal.SIGTERM) for part in ("web", "worker", "postgres")),
    ],
)
def test_nothing_is_lost_or_doubled_whatever_ends_and_whenever(
    up, model, thoughtful, victim, how, note
):
    asked, things = {}, {}
    for step, answer in STEPS.items():
        thing = f"{step}{victim}{how}"
        things[thing] = (1, 1)
        asked[step] = up.say(up.make_chat(), f"My {thing} is {next(materials)}. {answer}")
    ending = asked["ending"]
    wait_until(lambda: model.num_extracting and len(ending.text.split()) >= 140, 60)
    wait_until(lambda: not any(ending.sent["body"] in said for said in model.streaming), 30)
    kill(PARTS[victim](up), how)
    ended_at = time.monotonic()
    ends = {step: question.ended() for step, question in asked.items()}
    note("seconds until all replies had ended", time.monotonic() - ended_at)
    wait_until(up.is_ready, 60)
    wait_until(lambda: things.items() <= up.learned().items(), 120)
    note("seconds until all was learned", time.monotonic() - ended_at)
    wait_until(lambda: up.num_waiting() == 0, 120)  # for what might be done twice
    assert things.items() <= up.learned().items()
    for step, question in asked.items():
        [(status, body)] = up.replies(question.chat)
        assert up.num_asked(question.chat) == 1
        if victim != "web":
            assert (ends[step], status) == ("done", "complete")
        if status == "complete":
            assert body == question.text
            assert body in [words(n) for n in (2, 20, 160, 400)]
        else:
            assert (ends[step], status) == ("reply_interrupted", "interrupted")
            assert words(400).startswith(body)


def test_an_idle_worker_that_is_killed_comes_back_by_itself(up, note):
    wait_until(lambda: up.num_waiting() == 0, 60)
    wait_until(lambda: up.up.members("idle"), 30)
    kill(up.up.members("idle")[0])
    killed_at = time.monotonic()
    up.say(up.make_chat(), "My idleness is gone. [[words=2]]").ended()
    wait_until(lambda: up.learned().get("idleness") == (1, 1), 90)
    note("seconds until it was learned", time.monotonic() - killed_at)
