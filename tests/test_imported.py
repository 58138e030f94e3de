"""Learning from imported chats: wanted or not, a question at a time, and ended at once."""

import threading

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from memoryapp import imported, locks, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.models import Chat, Fact, Message
from tests.fakes import Script, learns, operation
from tests.importing import exports
from tests.importing.archive import bring, read_all, read_on, waiting
from tests.importing.exports import taken_in

pytestmark = pytest.mark.django_db
GRAZ = operation("city", "Graz", "I live in Graz")


def test_nothing_is_read_before_it_is_wanted(ada):
    bring(ada, "I live in Graz.")
    model = learns(GRAZ)
    with llm.override({"extractor": model}):
        tasks.extract_imported(str(ada.pk))
        tasks.extract(str(Chat.objects.get().pk))
    assert model.requests == []
    assert not Fact.objects.exists()


def test_starting_puts_it_into_the_queue(ada):
    OrmQ.objects.all().delete()
    imported.start(ada)
    [row] = OrmQ.objects.all()
    assert (row.task["func"], row.args()) == (tasks.extract_imported, (str(ada.pk),))


def test_many_messages_of_many_chats_are_one_question(ada):
    for number in range(5):
        bring(ada, f"I own {number} bikes.", f"And {number} skis.", id=f"c{number}")
    model = learns()
    read_all(ada, model)
    assert len(model.requests) == 1
    assert all(f"I own {number} bikes." in model.sent for number in range(5))


def test_a_long_archive_is_read_in_questions_of_a_size_that_a_model_takes(ada):
    bring(ada, *(f"{number} {'word ' * 200}" for number in range(20)))
    progress = imported.progress(ada)
    assert (progress.num_read, progress.num_messages, progress.num_questions) == (0, 20, 4)
    model = learns()
    read_all(ada, model)
    assert len(model.requests) == 4
    progress = imported.progress(ada)
    assert (progress.num_read, progress.num_left, progress.num_questions) == (20, 0, 0)
    assert not progress.is_going_on


def test_after_each_question_whoever_else_waits_comes_first(ada):
    bring(ada, *(f"{number} {'word ' * 200}" for number in range(20)))
    imported.start(ada)
    OrmQ.objects.all().delete()
    with llm.override({"extractor": learns()}):
        tasks.extract_imported(str(ada.pk))
    [again] = OrmQ.objects.all()
    assert (again.task["func"], again.args()) == (tasks.extract_imported, (str(ada.pk),))
    assert again.lock > timezone.now()


@pytest.mark.django_db(transaction=True)
def test_a_model_that_answers_one_thing_at_a_time_reads_for_one_person_at_a_time(ada):
    bring(ada, "I live in Graz.")
    imported.start(ada)
    model = learns(GRAZ)

    def read():
        tasks.extract_imported(str(ada.pk))
        connection.close()

    with llm.override({"extractor": model}), locks.unless_busy("extract imported"):
        beside = threading.Thread(target=read)
        beside.start()
        beside.join(20)
    assert model.requests == []
    assert OrmQ.objects.filter(lock__gt=timezone.now()).exists()  # it comes again in a moment


def test_of_a_long_paste_only_its_ends_are_sent(ada):
    pasted = "\n".join(f"line {number} of somebody else's text" for number in range(500))
    bring(ada, f"I live in Graz. Shorten this:\n{pasted}\nThanks!")
    model = learns(GRAZ)
    read_all(ada, model)
    assert "line 250" not in model.sent
    assert "Thanks!" in model.sent
    assert waiting(ada) == {"city": "Graz"}


def test_chats_without_memory_branches_that_were_left_and_chats_that_are_gone_are_not_read(ada):
    taken_in(ada, [exports.chatgpt()])  # one question stands on another branch
    assert imported.progress(ada).num_messages == 2
    Chat.objects.update(memory_on=False)
    assert imported.progress(ada).num_messages == 0
    bring(ada, "I live in Graz.", year=2025)
    Chat.objects.latest("last_message_at").delete()
    model = learns()
    read_all(ada, model)
    assert model.requests == []


def test_without_memory_it_is_not_begun_and_ends(ada):
    bring(ada, "I live in Graz.")
    imported.start(ada)
    ada.memory_on = False
    ada.save()
    with pytest.raises(ValidationError, match="Memory is off"):
        imported.start(ada)
    model = learns(GRAZ)
    with llm.override({"extractor": model}):
        read_on(ada)
    assert model.requests == []
    assert imported.progress(ada).num_left == 1


class Meanwhile(Script):
    """An extractor during whose answer something happens."""

    def __init__(self, happens, *operations):
        super().__init__([{"operations": list(operations)}])
        self.happens = happens

    def _next(self, messages, info):
        elsewhere = threading.Thread(target=self._happen)
        elsewhere.start()
        elsewhere.join(20)
        return super()._next(messages, info)

    def _happen(self):
        self.happens()
        connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "happens",
    [
        imported.stop,
        lambda user: type(user).objects.update(memory_on=False),
        lambda user: Chat.objects.update(memory_on=False),
        lambda user: Message.objects.update(is_recallable=False),
        lambda user: Message.objects.update(is_active=False),
        lambda user: Chat.objects.get().delete(),
    ],
    ids=["stopped", "memory off", "chat off", "forgotten", "left", "deleted"],
)
def test_what_happens_while_a_model_reads_counts(ada, happens):
    bring(ada, "I live in Graz.")
    imported.start(ada)
    model = Meanwhile(lambda: happens(ada), GRAZ)
    with llm.override({"extractor": model}):
        tasks.extract_imported(str(ada.pk))
    assert len(model.requests) == 1
    assert not Fact.objects.exists()
    assert not Message.objects.filter(is_extracted=True).exists()


def test_after_a_stop_the_rest_stays_unread_and_can_be_read_later(ada):
    bring(ada, *(f"{number} {'word ' * 200}" for number in range(20)))
    imported.start(ada)
    model = learns()
    with llm.override({"extractor": model}):
        tasks.extract_imported(str(ada.pk))
        imported.stop(ada)
        tasks.extract_imported(str(ada.pk))
    assert len(model.requests) == 1
    assert 0 < imported.progress(ada).num_read < 20
    read_all(ada, model)
    assert imported.progress(ada).num_left == 0


def test_what_is_imported_afterwards_is_asked_about_anew(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns())
    bring(ada, "I have a dog.", id="later")
    progress = imported.progress(ada)
    assert (progress.num_left, progress.is_going_on) == (1, False)


def test_a_failure_is_told_tried_again_and_got_around(ada):
    bring(ada, "I live in Graz.")
    imported.start(ada)
    failing = Script([TimeoutError()])
    with llm.override({"extractor": failing}), pytest.raises(AgentFailed):
        tasks.extract_imported(str(ada.pk))
    assert "didn't answer in time" in imported.progress(ada).failure
    imported.start(ada)
    assert imported.progress(ada).failure == ""
    with llm.override({"extractor": failing}), pytest.raises(AgentFailed):
        tasks.extract_imported(str(ada.pk))
    imported.leave_out(ada)
    assert imported.progress(ada).num_left == 0
    assert imported.progress(ada).failure == ""


def test_nobody_elses_chats_are_read(ada, ben):
    bring(ada, "I live in Graz.")
    bring(ben, "I live in Linz.")
    model = learns(operation("city", "Linz", "I live in Linz"))
    read_all(ben, model)
    assert "Graz" not in model.sent
    assert waiting(ada) == {}
    assert imported.progress(ada).num_left == 1
