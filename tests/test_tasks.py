import json
import threading
import traceback
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ
from pydantic_ai import UnexpectedModelBehavior

from memoryapp import locks, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.learning import KNOWN_ROWS, TURNS_TOGETHER
from memoryapp.memory import indexing, resources
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Usage
from tests.factories import make_chat, make_fact, make_prompt
from tests.fakes import Script, learns, operation, says
from tests.pages import client_of


@pytest.fixture
def taught(ada):
    return make_chat(ada, "I live in Graz.", "Noted.")


GRAZ = operation("city", "Graz", "I live in Graz")


def test_extract_learns_from_a_finished_turn(taught):
    with llm.override({"extractor": learns(GRAZ)}):
        tasks.extract(str(taught.pk))
    assert Fact.objects.get().value == "Graz"
    assert Usage.objects.get().agent == "extractor"


def test_what_was_learned_is_found_by_meaning_at_once(taught):
    with llm.override({"extractor": learns(GRAZ)}):
        tasks.extract(str(taught.pk))
    assert not Fact.objects.filter(embedding=None).exists()


def test_without_an_embedder_it_is_learned_all_the_same_and_embedded_later(
    taught, settings, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.EMBEDDING_MODEL = "openai:text-embedding-3-small"
    OrmQ.objects.all().delete()
    with llm.override({"extractor": learns(GRAZ)}):
        tasks.extract(str(taught.pk))
    assert Fact.objects.get().embedding is None
    assert [row.func() for row in OrmQ.objects.all()] == ["memoryapp.tasks.embed_facts"]


def test_a_long_resource_lets_other_work_have_its_turn(ada, monkeypatch):
    resource = resources.add(user=ada, name="Pump", body="The pump is checked each spring.")
    OrmQ.objects.all().delete()
    monkeypatch.setattr(tasks, "EMBED_SECONDS", -1)
    tasks.read_resource(str(resource.pk))
    [again] = OrmQ.objects.all()
    monkeypatch.undo()
    again.task["func"](*again.args())
    resource.refresh_from_db()
    assert resource.status == "ready"
    assert OrmQ.objects.get() == again


@pytest.mark.django_db(transaction=True)
def test_long_reading_keeps_one_process_busy_and_no_more(ada):
    resource = resources.add(user=ada, name="Pump", body="The pump is checked each spring.")
    OrmQ.objects.all().delete()

    def read():
        tasks.read_resource(str(resource.pk))
        connection.close()

    with locks.unless_busy("embed"):
        beside = threading.Thread(target=read)
        beside.start()
        beside.join(20)
    resource.refresh_from_db()
    assert resource.status != "ready"
    [again] = OrmQ.objects.all()
    assert again.lock > timezone.now()
    again.task["func"](*again.args())
    resource.refresh_from_db()
    assert resource.status == "ready"


def test_a_second_extract_asks_no_model_and_changes_nothing(taught):
    model = learns(GRAZ)
    with llm.override({"extractor": model}):
        tasks.extract(str(taught.pk))
        tasks.extract(str(taught.pk))
    assert len(model.requests) == 1
    assert MemoryEvent.objects.count() == 1


def test_extract_waits_for_the_reply(ada):
    chat = make_chat(ada, "I live in Graz.")
    model = learns(GRAZ)
    with llm.override({"extractor": model}):
        tasks.extract(str(chat.pk))
    assert model.requests == []


def test_turns_that_come_quickly_are_read_together(taught):
    model = learns()
    with llm.override({"extractor": model}):
        for number in range(1, 2 * TURNS_TOGETHER):
            taught.add_message(Message.Role.USER, f"Number {number}")
            reply = taught.add_message(Message.Role.ASSISTANT, "", status="streaming")
            tasks.extract(str(taught.pk))
            reply.finish("complete")
        tasks.extract(str(taught.pk))
    assert len(model.requests) == 2
    assert f"Number {number}" in model.sent


def test_extract_hears_only_what_is_new(taught):
    model = learns()
    with llm.override({"extractor": model}):
        tasks.extract(str(taught.pk))
        taught.add_message(Message.Role.USER, "And I have a cat.")
        taught.add_message(Message.Role.ASSISTANT, "Nice.")
        tasks.extract(str(taught.pk))
    assert "cat" in model.sent
    assert "I live in Graz" not in model.sent


def test_what_was_said_while_memory_was_off_is_never_learned(taught):
    Chat.objects.filter(pk=taught.pk).update(memory_on=False)
    model = learns(GRAZ)
    with llm.override({"extractor": model}):
        tasks.extract(str(taught.pk))
        Chat.objects.filter(pk=taught.pk).update(memory_on=True)
        tasks.extract(str(taught.pk))
    assert model.requests == []
    assert not Fact.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_memory_switched_off_while_the_extractor_thinks_is_honoured(taught):
    class SlowToThink(Script):
        async def _respond(self, messages, info):
            await Chat.objects.filter(pk=taught.pk).aupdate(memory_on=False)
            return await super()._respond(messages, info)

    with llm.override({"extractor": SlowToThink([{"operations": [GRAZ]}])}):
        tasks.extract(str(taught.pk))
    assert not Fact.objects.exists()


def test_a_failing_extractor_tells_the_owner_and_the_queue(taught):
    words = "the model's answer with everybody's words"
    with (
        llm.override({"extractor": Script([UnexpectedModelBehavior(words)])}),
        pytest.raises(AgentFailed) as failed,
    ):
        tasks.extract(str(taught.pk))
    event = MemoryEvent.objects.get()
    assert (event.action, event.user) == (MemoryEvent.Action.FAILED, taught.user)
    assert event.message == taught.archive.first()
    assert words not in "".join(traceback.format_exception(failed.value))


def test_the_extractor_is_shown_what_is_known(ada, ben, taught):
    make_fact(ada, "pet", "a cat called Muffin")
    make_fact(ben, "pet", "a dog called Rex")
    model = learns()
    with llm.override({"extractor": model}):
        tasks.extract(str(taught.pk))
    assert "Muffin" in model.sent
    assert "Rex" not in model.sent


def test_of_many_facts_the_extractor_is_shown_the_nearest_and_the_persona_all_the_same(ada, taught):
    for number in range(KNOWN_ROWS):
        make_fact(ada, f"note_{number}", f"The heron number {number} is on the roof.")
    make_fact(ada, "home", "lives in Linz, near Graz")
    make_prompt(ada, "answer_length", "Answer in two sentences.")
    indexing.index_facts(Fact.objects.for_user(ada))
    model = learns()
    with llm.override({"extractor": model}):
        tasks.extract(str(taught.pk))
    known = json.loads(model.sent)["known"]
    assert len(known) == KNOWN_ROWS
    assert {"home", "answer_length"} <= {row["key"] for row in known}


def test_summarize_puts_a_summary_in_the_place_of_old_messages(ada, settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 5, 2
    chat = make_chat(ada, *"abcdef")
    with llm.override({"summarizer": says("They spelled.")}):
        tasks.summarize(str(chat.pk))
        tasks.summarize(str(chat.pk))
    assert [message.body for message in chat.history] == ["They spelled.", "e", "f"]


def test_a_summary_is_written_again_from_what_it_covers(ada, settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 5, 2
    chat = make_chat(ada, *"abcdef")
    with llm.override({"summarizer": says("They spelled.")}):
        tasks.summarize(str(chat.pk))
    summary = chat.history.first()
    model = says("They said the alphabet.")
    with llm.override({"summarizer": model}):
        tasks.redo_summary(str(summary.pk))
    assert [message.body for message in chat.history] == ["They said the alphabet.", "e", "f"]
    assert ">a<" in model.sent
    assert "They spelled" not in model.sent


def test_only_a_summary_is_written_again(chat):
    model = says("Something else")
    with llm.override({"summarizer": model}):
        tasks.redo_summary(str(chat.history.first().pk))
    assert model.requests == []


def test_title_names_the_chat_once(chat):
    model = says("Greetings")
    with llm.override({"title": model}):
        tasks.title(str(chat.pk))
        tasks.title(str(chat.pk))
    chat.refresh_from_db()
    assert (chat.title, chat.title_source, len(model.requests)) == ("Greetings", "auto", 1)


@pytest.mark.django_db(transaction=True)
def test_title_never_overwrites_one_made_by_hand(chat):
    class SlowToThink(Script):
        async def _respond(self, messages, info):
            await Chat.objects.filter(pk=chat.pk).aupdate(title="Mine", title_source="manual")
            return await super()._respond(messages, info)

    with llm.override({"title": SlowToThink(["Theirs"])}):
        tasks.title(str(chat.pk))
    chat.refresh_from_db()
    assert chat.title == "Mine"


def test_title_leaves_the_order_of_chats_alone(chat):
    before = chat.last_message_at
    with llm.override({"title": says("Greetings")}):
        tasks.title(str(chat.pk))
    chat.refresh_from_db()
    assert chat.last_message_at == before


def test_messages_and_facts_get_their_vectors(ada, taught):
    fact = make_fact(ada, "city", "Graz")
    tasks.embed_messages(str(taught.pk))
    tasks.embed_facts(str(ada.pk))
    assert not Message.objects.filter(chat=taught, embedding=None).exists()
    assert Fact.objects.get(pk=fact.pk).embedding_model


def test_sweep_ends_replies_whose_process_is_gone(chat):
    reply = chat.add_message(Message.Role.ASSISTANT, "Half a", status="streaming")
    Message.objects.filter(pk=reply.pk).update(streaming_beat=timezone.now() - timedelta(minutes=1))
    tasks.sweep()
    reply.refresh_from_db()
    assert (reply.status, reply.body) == ("interrupted", "Half a")
    assert "Answer again" in reply.failure


def test_sweep_drops_refusals_after_thirty_days_and_nothing_else(taught):
    invented = operation("job", "pilot", "I am a pilot")
    with llm.override({"extractor": learns(GRAZ, invented)}):
        tasks.extract(str(taught.pk))
    for age, left in ((29, ["refused", "added"]), (31, ["added"])):
        MemoryEvent.objects.update(created_at=timezone.now() - timedelta(days=age))
        tasks.sweep()
        assert [event.action for event in MemoryEvent.objects.all()] == left


def test_sweep_drops_sessions_that_are_over_and_leaves_the_others(ada, client):
    old, gone = client_of(ada), client_of(ada)
    client.force_login(ada)
    for browser in (old, gone, client):
        browser.get("/chats/")  # which notes where it is
    sessions = Session.objects.filter(session_key=old.session.session_key)
    sessions.update(expire_date=timezone.now() - timedelta(days=1))
    gone.logout()
    tasks.sweep()
    [left] = Session.objects.all()
    [noted] = UserSession.objects.all()
    assert left.session_key == noted.session_key == client.session.session_key


def test_sweep_leaves_living_replies_alone(chat):
    reply = chat.add_message(Message.Role.ASSISTANT, "Half a", status="streaming")
    Message.objects.filter(pk=reply.pk).update(streaming_beat=timezone.now())
    tasks.sweep()
    reply.refresh_from_db()
    assert reply.status == "streaming"


@pytest.mark.parametrize(
    "task", [tasks.extract, tasks.summarize, tasks.title, tasks.embed_messages]
)
def test_a_task_for_a_deleted_chat_does_nothing(chat, task):
    chat_id = str(chat.pk)
    chat.delete()
    task(chat_id)
    assert not Usage.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("task", ["extract", "summarize", "title", "redo_summary"])
def test_a_chat_that_is_deleted_while_a_model_thinks_is_let_go(ada, settings, task):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 5, 2
    chat = make_chat(ada, *"abcdef")
    about = chat.add_message(Message.Role.SUMMARY, "They spelled.") if "redo" in task else chat
    chat.messages.exclude(pk=about.pk).update(evicted_by=about if about != chat else None)

    class Deleting(Script):
        async def _respond(self, messages, info):
            await Chat.objects.filter(pk=chat.pk).adelete()
            return await super()._respond(messages, info)

    says_something = Deleting([{"operations": [GRAZ]}] if task == "extract" else ["A word."])
    with llm.override(dict.fromkeys(("extractor", "summarizer", "title"), says_something)):
        getattr(tasks, task)(str(about.pk))
    assert len(says_something.requests) == 1
    assert not Message.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_deliveries_at_once_learn_once(taught):
    model = learns(GRAZ)

    def deliver():
        tasks.extract(str(taught.pk))
        connection.close()

    with llm.override({"extractor": model}):
        threads = [threading.Thread(target=deliver) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (Fact.objects.count(), len(model.requests)) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_what_is_said_later_in_another_chat_is_learned_later(ada, taught):
    moved = make_chat(ada, "I moved to Linz.", "Noted.")
    is_reading, may_answer = threading.Event(), threading.Event()

    def slowly():
        is_reading.set()
        assert may_answer.wait(20)
        yield {"operations": [GRAZ]}

    linz = {"operations": [operation("city", "Linz", "I moved to Linz")]}

    def deliver(chat):
        tasks.extract(str(chat.pk))
        connection.close()

    with llm.override({"extractor": Script(slowly(), [linz])}):
        earlier = threading.Thread(target=deliver, args=[taught])
        earlier.start()
        assert is_reading.wait(20)
        OrmQ.objects.all().delete()
        deliver(moved)
        [again] = OrmQ.objects.all()
        may_answer.set()
        earlier.join(20)
        again.task["func"](*again.args())
    versions = Fact.objects.order_by("valid_from").values_list("value", "valid_to")
    assert [(value, end is None) for value, end in versions] == [("Graz", False), ("Linz", True)]


@pytest.mark.django_db(transaction=True)
def test_sweep_leaves_a_reply_that_is_just_being_ended(chat):
    reply = chat.add_message(Message.Role.ASSISTANT, "Half a", status="streaming")
    Message.objects.filter(pk=reply.pk).update(streaming_beat=timezone.now() - timedelta(minutes=1))

    def sweep():
        tasks.sweep()
        connection.close()

    with transaction.atomic():
        ending = Message.objects.select_for_update().get(pk=reply.pk)
        sweeping = threading.Thread(target=sweep)
        sweeping.start()
        sweeping.join(10)
        ending.body = "Half a sentence, and the rest"
        ending.finish("complete")
    tasks.sweep()
    reply.refresh_from_db()
    assert (reply.status, reply.body) == ("complete", "Half a sentence, and the rest")
