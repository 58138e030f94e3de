"""Learning from imported chats: wanted or not, in order, never unseen, and ended at once."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from memoryapp import imported, locks, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.memory import forgetting, ledger, recall
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Usage
from tests.factories import make_chat, make_fact, proposal, remember
from tests.fakes import Script, learns, operation
from tests.importing import exports
from tests.importing.exports import taken_in

pytestmark = pytest.mark.django_db
GRAZ = operation("city", "Graz", "I live in Graz")


def at(year):
    return datetime(year, 5, 1, tzinfo=UTC)


def bring(user, *said, year=2023, id="chat", **fields):
    """Import a chat of this year in which the person says this, each of it answered."""
    nodes, before = [], "root"
    for number, body in enumerate(said):
        moment = (at(year) + timedelta(minutes=number)).timestamp()
        nodes.append(exports.node(f"q{number}", before, "user", body, at=moment))
        nodes.append(exports.node(f"a{number}", f"q{number}", "assistant", "I see.", at=moment + 9))
        before = f"a{number}"
    taken_in(user, [exports.chatgpt(*nodes, end=before, conversation_id=id, **fields)])
    return Chat.objects.for_user(user).latest("last_message_at")


def read_all(user, model):
    """All that this person imported, read as the queue would have it read."""
    imported.start(user)
    with llm.override({"extractor": model}):
        read_on(user)


def read_on(user):
    for _ in range(50):
        tasks.extract_imported(str(user.pk))
        user.refresh_from_db()
        if not user.learns_imports:
            return
    raise AssertionError("It comes to no end.")


def waiting(user):
    return {fact.key: fact.value for fact in Fact.objects.for_user(user).waiting()}


def test_nothing_is_read_before_it_is_wanted(ada):
    bring(ada, "I live in Graz.")
    model = learns(GRAZ)
    with llm.override({"extractor": model}):
        tasks.extract_imported(str(ada.pk))
        tasks.extract(str(Chat.objects.get().pk))
    assert model.requests == []
    assert not Fact.objects.exists()


@pytest.mark.parametrize("review", ["always", "risky", "never"])
def test_what_is_found_waits_whatever_its_owner_has_set(ada, review):
    ada.review = review
    ada.save()
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    fact = Fact.objects.get()
    assert (fact.status, fact.origin) == ("pending", "import")
    assert fact.waits_because == "It comes from a file that you imported."
    assert (fact.quote, fact.source_message.body) == ("I live in Graz", "I live in Graz.")
    assert fact.valid_from == at(2023)
    assert not Fact.objects.for_user(ada).in_use().exists()
    assert Usage.objects.get().agent == "extractor"


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


def test_the_newest_of_what_was_said_is_proposed(ada):
    bring(ada, "I live in Graz.", year=2023)
    bring(ada, "I live in Linz.", year=2024, id="later")
    read_all(ada, learns(GRAZ, operation("city", "Linz", "I live in Linz")))
    assert waiting(ada) == {"city": "Linz"}
    outdated = MemoryEvent.objects.get(after="Graz", action="refused")
    assert outdated.reason == "Something newer is known: this was said before it."


def test_the_newest_is_proposed_whichever_file_came_first(ada):
    bring(ada, "I live in Linz.", year=2024)
    read_all(ada, learns(operation("city", "Linz", "I live in Linz")))
    bring(ada, "I live in Graz.", year=2023, id="earlier")
    read_all(ada, learns(GRAZ))
    assert waiting(ada) == {"city": "Linz"}


def test_what_is_known_from_later_is_not_questioned(ada):
    remember(ada, "city", "Vienna")
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    assert waiting(ada) == {}
    assert Fact.objects.for_user(ada).in_use().get().value == "Vienna"


def test_what_ended_since_is_not_proposed(ada):
    ledger.retract(row=remember(ada, "employer", "Siemens"), actor="ada")
    bring(ada, "I work at Siemens.")
    read_all(ada, learns(operation("employer", "Siemens", "I work at Siemens")))
    assert waiting(ada) == {}


def test_what_ended_within_the_archive_is_not_proposed(ada):
    bring(ada, "I work at Siemens.", year=2023)
    read_all(ada, learns(operation("employer", "Siemens", "I work at Siemens")))
    assert waiting(ada) == {"employer": "Siemens"}
    bring(ada, "I quit my job at Siemens.", year=2024, id="later")
    end = operation("employer", "", "I quit my job at Siemens", action="retract", replaces=1)
    read_all(ada, learns(end))
    assert waiting(ada) == {}


def test_nothing_that_takes_effect_is_ended_by_a_file(ada):
    make_fact(ada, "employer", "Siemens", recorded_at=at(2020), valid_from=at(2020))
    bring(ada, "I quit my job at Siemens.")
    end = operation("employer", "", "I quit my job at Siemens", action="retract", replaces=1)
    read_all(ada, learns(end))
    assert Fact.objects.for_user(ada).in_use().get().value == "Siemens"
    assert "would end what I know" in MemoryEvent.objects.get(action="refused").reason


def test_a_proposal_is_dropped_when_something_newer_is_said_here(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    chat = make_chat(ada, "I moved to Vienna.", "Nice.")
    with llm.override({"extractor": learns(operation("city", "Vienna", "I moved to Vienna"))}):
        tasks.extract(str(chat.pk))
    assert waiting(ada) == {}
    assert Fact.objects.for_user(ada).in_use().get().value == "Vienna"


def test_an_accepted_proposal_holds_from_when_it_was_said_and_is_superseded_as_any_fact(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    ledger.approve(row=Fact.objects.get(), actor="ada")
    bring(ada, "I live in Linz.", year=2024, id="later")
    read_all(ada, learns(operation("city", "Linz", "I live in Linz")))
    assert waiting(ada) == {"city": "Linz"}
    ledger.approve(row=Fact.objects.waiting().get(), actor="ada")
    [linz, graz] = Fact.objects.for_user(ada).order_by("-valid_from")
    assert (graz.valid_from, graz.valid_to, linz.valid_to) == (at(2023), at(2024), None)


def test_the_same_said_in_many_chats_is_one_proposal(ada):
    for number in range(3):
        bring(ada, "I live in Graz.", year=2022 + number, id=f"c{number}")
    read_all(ada, learns(GRAZ, GRAZ))
    assert waiting(ada) == {"city": "Graz"}


def test_a_task_whose_day_is_past_and_what_has_expired_are_left_out(ada):
    bring(ada, "Remind me to call Eva on Friday.", "Until Friday I am in Rome.")
    read_all(
        ada,
        learns(
            operation(
                "call_eva", "call Eva", "Remind me to call Eva", kind="task",
                due_at="2023-05-05T09:00",
            ),
            operation("place", "Rome", "I am in Rome", expires_at="2023-05-05T09:00"),
        ),
    )  # fmt: skip
    assert waiting(ada) == {}
    reasons = set(MemoryEvent.objects.values_list("reason", flat=True))
    assert reasons == {"It has expired."}


def test_what_was_forgotten_waits_with_a_note_and_says_so(ada):
    make_fact(ada, "city", "Graz")
    forgetting.forget(rows=Fact.objects.all(), actor="ada")
    bring(ada, "Graz is where I live.", "My town is Graz.")
    model = learns(operation("home", "Graz", "My town is Graz"))
    read_all(ada, model)
    assert model.requests == []  # what says it isn't read


def test_what_is_not_to_be_remembered_is_not_sent_and_takes_back_what_came_before(ada):
    bring(ada, "I live in Graz.", "Don't remember that I am ill.", "Don't remember that.")
    bring(ada, "I have a dog.", id="other")
    model = learns(GRAZ)
    read_all(ada, model)
    assert "ill" not in model.sent.split('"messages"')[1]
    assert "I have a dog." in model.sent


def test_what_is_taken_back_in_a_later_question_waits_no_longer(ada):
    bring(ada, "I live in Graz.", "Don't remember that.")
    said = Message.objects.for_user(ada).get(body="I live in Graz.")
    [event] = ledger.apply(
        user=ada, operations=[proposal("city", "Graz", "I live in Graz")], messages=[said],
        model="test",
    )  # fmt: skip
    assert event.action == "parked"
    Message.objects.filter(pk=said.pk).update(is_extracted=True)
    read_all(ada, learns())
    assert waiting(ada) == {}


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


def test_reading_the_same_again_changes_nothing(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    Message.objects.update(is_extracted=False)
    read_all(ada, learns(GRAZ))
    assert Fact.objects.count() == MemoryEvent.objects.count() == 1


def test_what_waits_is_shown_to_the_extractor_nearest_first(ada):
    bring(ada, "I live in Graz.", "I work at Siemens.")
    read_all(ada, learns(GRAZ, operation("employer", "Siemens", "I work at Siemens")))
    bring(ada, "I moved house.", year=2024, id="later")
    tasks.embed_missing()
    model = learns()
    read_all(ada, model)
    known = model.sent.split('"messages"')[0]
    assert '"city"' in known
    assert known.index('"city"') < known.index('"employer"')


def test_a_chat_that_is_gone_on_with_learns_from_what_is_said_here_only(ada):
    chat = bring(ada, "I live in Graz.")
    chat.add_message(Message.Role.USER, "I have a dog.")
    chat.add_message(Message.Role.ASSISTANT, "Nice.")
    model = learns(operation("pet", "dog", "I have a dog"))
    with llm.override({"extractor": model}):
        tasks.extract(str(chat.pk))
    assert "Graz" not in model.sent
    assert Fact.objects.get().status == "active"


def test_old_messages_stay_findable_while_what_they_teach_waits(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    tasks.embed_missing()
    found = recall.recall(ada, Chat(user=ada), "Where do I live?")
    assert any("Graz" in turn.text for turn in found.turns)


def test_it_works_with_the_offline_responder(ada):
    bring(ada, "I live in Graz.")
    imported.start(ada)
    read_on(ada)
    assert set(waiting(ada).values()) == {"Graz"}


def test_nobody_elses_chats_are_read(ada, ben):
    bring(ada, "I live in Graz.")
    bring(ben, "I live in Linz.")
    model = learns(operation("city", "Linz", "I live in Linz"))
    read_all(ben, model)
    assert "Graz" not in model.sent
    assert waiting(ada) == {}
    assert imported.progress(ada).num_left == 1
