"""Tasks that wait for a model: one process does many of them at once, each as if by itself."""

import asyncio
import re
import signal
import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from django_q.exceptions import TimeoutException
from django_q.models import Failure, OrmQ
from pydantic_ai import UnexpectedModelBehavior

from memoryapp import queue, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.models import Fact, MemoryEvent, User
from tests.factories import make_chat
from tests.fakes import Script, operation
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def many_at_once(settings):
    settings.BACKGROUND_CALLS = 100


@pytest.fixture
def chats(db):
    """Of four people, each of whom says where they live; nothing waits in the queue."""
    cities = ("Graz", "Bonn", "Oslo", "Lima")
    chats = [
        make_chat(User.objects.create_user(f"from_{city}"), f"I live in {city}.", "Noted.")
        for city in cities
    ]
    OrmQ.objects.all().delete()
    return chats


class Reader(Script):
    """An extractor that learns in which cities people live. It answers when it has been asked
    about `at_once` of them, not yet about those in `slow`, and fails at those in `bad`."""

    def __init__(self, at_once=1, slow=(), bad=()):
        self.at_once, self.slow, self.bad = at_once, set(slow), bad
        self.asked = []
        super().__init__()

    async def _respond(self, messages, info):
        said = dict(re.findall(r"(I \w+ \w+ ([A-Z]\w+))", messages[-1].parts[-1].content))
        cities = list(said.values())
        self.asked.append(cities)
        while len(self.asked) < self.at_once or self.slow & set(cities):
            await asyncio.sleep(0.01)
        if set(self.bad) & set(cities):
            raise UnexpectedModelBehavior("nonsense")
        learned = [operation("city", city, quote) for quote, city in said.items()]
        self.responses = [[{"operations": learned}]]
        return await super()._respond(messages, info)


def wait_in_queue(*chats):
    for chat in chats:
        queue.enqueue(tasks.extract, chat.pk)


def learned():
    return sorted(Fact.objects.values_list("value", flat=True))


@contextmanager
def extracting(chat):
    """Another process of the worker that extracts, until the end of the block."""

    def run():
        tasks.extract(str(chat.pk))
        connection.close()

    process = threading.Thread(target=run)
    process.start()
    yield
    process.join(20)


def test_chats_that_wait_are_read_at_the_same_time(chats):
    wait_in_queue(*chats[1:])
    with llm.override({"extractor": Reader(at_once=4)}):
        tasks.extract(str(chats[0].pk))
    assert learned() == ["Bonn", "Graz", "Lima", "Oslo"]
    assert not OrmQ.objects.exists()


def test_a_local_model_is_asked_for_one_at_a_time(chats, settings):
    settings.BACKGROUND_CALLS = None
    wait_in_queue(*chats[1:])
    with llm.override({"extractor": Reader()}):
        tasks.extract(str(chats[0].pk))
    assert learned() == ["Graz"]
    assert OrmQ.objects.filter(lock__lt=timezone.now()).count() == 3


def test_a_slow_answer_holds_nobody_back(chats):
    wait_in_queue(*chats[1:])
    model = Reader(slow=["Graz"])
    with llm.override({"extractor": model}), extracting(chats[0]):
        wait_until(lambda: learned() == ["Bonn", "Lima", "Oslo"], 20)
        wait_until(lambda: not OrmQ.objects.exists(), 20)
        model.slow.clear()
    assert learned() == ["Bonn", "Graz", "Lima", "Oslo"]


def test_one_that_fails_touches_no_other_and_is_there_to_be_seen(chats):
    wait_in_queue(*chats[1:])
    with llm.override({"extractor": Reader(bad=["Oslo"])}):
        tasks.extract(str(chats[0].pk))
    assert learned() == ["Bonn", "Graz", "Lima"]
    assert MemoryEvent.objects.get(action=MemoryEvent.Action.FAILED).user == chats[2].user
    [failure], [row] = Failure.objects.all(), OrmQ.objects.all()
    assert (failure.pk, failure.args, failure.attempt_count) == (row.task_id(), row.args(), 1)
    assert "didn't keep to the form" in failure.result
    assert row.lock > timezone.now()


def test_the_one_that_was_asked_for_fails_when_all_have_ended(chats):
    wait_in_queue(*chats[1:])
    with llm.override({"extractor": Reader(bad=["Graz"])}), pytest.raises(AgentFailed):
        tasks.extract(str(chats[0].pk))
    assert learned() == ["Bonn", "Lima", "Oslo"]


def test_what_failed_before_is_left_to_run_by_itself(chats):
    wait_in_queue(chats[1])
    with llm.override({"extractor": Reader(bad=["Bonn"])}):
        tasks.extract(str(chats[0].pk))
    OrmQ.objects.update(lock=timezone.now())
    with llm.override({"extractor": Reader()}):
        tasks.extract(str(chats[0].pk))
    assert learned() == ["Graz"]


def test_what_waits_more_than_once_is_done_once(chats):
    wait_in_queue(chats[1], chats[1], chats[1])
    model = Reader()
    with llm.override({"extractor": model}):
        tasks.extract(str(chats[0].pk))
    assert sorted(model.asked) == [["Bonn"], ["Graz"]]
    assert not OrmQ.objects.exists()


def test_what_is_being_done_and_waits_once_more_is_done_once_with_a_local_model_too(
    chats, settings
):
    settings.BACKGROUND_CALLS = None
    wait_in_queue(chats[0], chats[1], chats[0])
    with llm.override({"extractor": Reader()}):
        tasks.extract(str(chats[0].pk))
    assert [row.args() for row in OrmQ.objects.all()] == [(str(chats[1].pk),)]


def test_two_chats_of_a_person_are_read_one_after_the_other(chats):
    moved = make_chat(chats[0].user, "I moved to Riga.", "Noted.")
    OrmQ.objects.all().delete()
    wait_in_queue(moved)
    with llm.override({"extractor": Reader()}):
        tasks.extract(str(chats[0].pk))
        assert learned() == ["Graz"]
        [again] = OrmQ.objects.all()
        again.task["func"](*again.args())
    assert [fact.value for fact in Fact.objects.filter(valid_to=None)] == ["Riga"]


def test_what_is_said_while_a_chat_is_being_read_is_learned_too(chats):
    model = Reader(slow=["Graz"])
    with llm.override({"extractor": model}):
        with extracting(chats[0]):
            wait_until(lambda: model.asked, 20)
            chats[0].add_message("user", "I moved to Riga.")
            chats[0].add_message("assistant", "Noted.")
            OrmQ.objects.all().delete()
            tasks.extract(str(chats[0].pk))  # whose turn it isn't
            model.slow.clear()
        [again] = OrmQ.objects.all()
        again.task["func"](*again.args())
    assert model.asked == [["Graz"], ["Riga"]]
    assert learned() == ["Graz", "Riga"]


def test_when_its_time_is_over_nothing_is_lost_and_nothing_held(chats):
    def is_over(*_):
        raise TimeoutException

    def end_it():
        wait_until(lambda: OrmQ.objects.count() == 1)
        connection.close()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

    wait_in_queue(*chats[1:])
    before = signal.signal(signal.SIGALRM, is_over)
    clock = threading.Thread(target=end_it)
    clock.start()
    with (
        llm.override({"extractor": Reader(slow=["Graz", "Oslo"])}),
        pytest.raises(TimeoutException),
    ):
        tasks.extract(str(chats[0].pk))
    clock.join(20)
    signal.signal(signal.SIGALRM, before)
    assert learned() == ["Bonn", "Lima"]
    [left] = OrmQ.objects.all()
    with llm.override({"extractor": Reader()}):
        for chat_id in (str(chats[0].pk), *left.args()):
            tasks.extract(chat_id)
    assert learned() == ["Bonn", "Graz", "Lima", "Oslo"]


def test_what_is_to_come_later_isnt_taken_before(chats):
    queue.enqueue(tasks.extract, chats[1].pk, due=timezone.now() + timedelta(minutes=1))
    with llm.override({"extractor": Reader()}):
        tasks.extract(str(chats[0].pk))
    assert learned() == ["Graz"]
    assert OrmQ.objects.get().lock > timezone.now()
