"""Versions of a message: which is shown, and what follows the branch that is."""

import threading
import uuid

import pytest
from asgiref.sync import sync_to_async
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client

from memoryapp import branches, tasks, turns
from memoryapp.agents import llm
from memoryapp.memory import eviction, recall
from memoryapp.memory.recall.withheld import Withheld
from memoryapp.models import Fact, MemoryEvent, Message
from tests.factories import make_chat
from tests.fakes import Script, learns, operation, says

USER, ASSISTANT = Message.Role.USER, Message.Role.ASSISTANT


def shown(chat):
    return " ".join(message.body for message in chat.history)


def say(chat, question, answer="ok"):
    message = chat.add_message(USER, question)
    chat.add_message(ASSISTANT, answer)
    return message


@pytest.fixture
def two_branches(ada):
    """a b c d, and beside c: c2 d2, which is shown."""
    chat = make_chat(ada, *"abcd")
    chat.fork_at(chat.archive.get(body="b"))
    say(chat, "c2", "d2")
    return chat


def test_a_branch_is_shown_again_with_all_that_followed(two_branches):
    assert shown(two_branches) == "a b c2 d2"
    two_branches.switch_to(two_branches.archive.get(body="c"))
    assert shown(two_branches) == "a b c d"
    two_branches.switch_to(two_branches.archive.get(body="d2"))
    assert shown(two_branches) == "a b c2 d2"


def test_of_what_followed_the_newest_is_shown(two_branches):
    two_branches.fork_at(two_branches.archive.get(body="c2"))
    two_branches.add_message(ASSISTANT, "d3")
    two_branches.switch_to(two_branches.archive.get(body="c"))
    two_branches.switch_to(two_branches.archive.get(body="c2"))
    assert shown(two_branches) == "a b c2 d3"


def test_what_is_shown_already_stays_as_it_is(two_branches):
    two_branches.switch_to(two_branches.archive.get(body="a"))
    assert shown(two_branches) == "a b c2 d2"


def test_a_chat_goes_on_where_it_was_switched_to(two_branches):
    two_branches.switch_to(two_branches.archive.get(body="c"))
    message = say(two_branches, "e")
    assert message.parent.body == "d"
    assert shown(two_branches) == "a b c d e ok"


def test_no_branch_is_switched_while_the_chat_answers(two_branches):
    turns.open_turn(chat=two_branches, body="And now?")
    with pytest.raises(turns.ReplyStreaming):
        branches.switch_to(two_branches.archive.get(body="c"))
    assert shown(two_branches).startswith("a b c2 d2 And now?")


def test_a_summary_stands_only_for_what_is_on_the_branch(ada):
    chat = make_chat(ada, *"abcd")
    b = chat.archive.get(body="b")
    first = eviction.evict(chat, list(chat.history)[:2], "[a b]")
    eviction.evict(chat, list(chat.history)[:3], "[[a b] c d]")
    chat.fork_at(b)
    say(chat, "c2", "d2")
    assert shown(chat) == "[a b] c2 d2"
    eviction.evict(chat, list(chat.history)[:2], "[[a b] c2]")
    chat.switch_to(chat.archive.get(body="c"))
    assert shown(chat) == "[a b] c d"
    assert first in chat.history


def test_an_answer_again_is_told_the_summary_that_ends_with_its_question(ada, settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 5, 3
    chat = make_chat(ada, *"abcdef")
    eviction.evict(chat, eviction.due(chat), "They spelled.")
    turn = branches.reopen(message=chat.archive.get(body="d"))
    assert [told.body for told in turns.gathered(turn, Withheld()).history] == ["They spelled."]


def test_recall_follows_the_branch(two_branches, ada):
    other = make_chat(ada)
    Message.objects.filter(chat=two_branches, body="c").update(body="My bicycle is a Brompton")
    question = "What is my bicycle?"
    assert recall.recall(ada, other, question).turns == ()
    two_branches.switch_to(two_branches.archive.get(body__startswith="My bicycle"))
    best, *_ = recall.recall(ada, other, question).turns
    assert "Brompton" in best.text


def test_title_follows_the_branch(two_branches):
    model = says("Letters")
    with llm.override({"title": model}):
        tasks.title(str(two_branches.pk))
    assert "c2" in model.sent
    assert "user: c\n" not in model.sent


CITY = {place: operation("city", place, f"I live in {place}") for place in ("Graz", "Linz")}


def extract(chat, *operations):
    model = learns(*operations)
    with llm.override({"extractor": model}):
        tasks.extract(str(chat.pk))
    return model


def test_what_was_said_on_a_branch_left_too_early_is_learned_on_the_way_back(ada):
    chat = make_chat(ada, "I have a cat.", "Nice.")
    extract(chat)
    left = say(chat, "I live in Graz.")
    chat.fork_at(chat.archive.get(body="Nice."))
    say(chat, "I have a dog.")
    assert "Graz" not in extract(chat).sent
    chat.switch_to(left)
    model = extract(chat, CITY["Graz"])
    assert "I live in Graz." in model.sent
    assert "cat" not in model.sent
    assert Fact.objects.get().value == "Graz"


class Meanwhile(Script):
    """An extractor that proposes one thing, and during whose thinking something else is done."""

    def __init__(self, done, proposed):
        super().__init__([{"operations": [proposed]}])
        self.done = sync_to_async(done)

    async def _respond(self, messages, info):
        await self.done()
        return await super()._respond(messages, info)


@pytest.mark.django_db(transaction=True)
def test_what_was_said_on_a_branch_left_while_it_was_read_is_not_learned(ada):
    chat = make_chat(ada, "I have a cat.", "Nice.")
    extract(chat)
    left = say(chat, "I live in Graz.")

    def leave():
        chat.fork_at(chat.archive.get(body="Nice."))
        say(chat, "I have a dog.")

    with llm.override({"extractor": Meanwhile(leave, CITY["Graz"])}):
        tasks.extract(str(chat.pk))
    assert not Fact.objects.exists()
    assert not MemoryEvent.objects.exists()
    assert "dog" in extract(chat).sent
    chat.switch_to(left)
    extract(chat, CITY["Graz"])
    assert Fact.objects.get().value == "Graz"
    assert extract(chat, CITY["Graz"]).requests == []


@pytest.mark.django_db(transaction=True)
def test_what_was_said_is_learned_though_it_is_answered_again_meanwhile(ada):
    chat = make_chat(ada, "I live in Graz.", "Noted.")

    def answer_again():
        branches.reopen(message=chat.archive.get(body="Noted.")).reply.finish("complete")

    with llm.override({"extractor": Meanwhile(answer_again, CITY["Graz"])}):
        tasks.extract(str(chat.pk))
    assert Fact.objects.get().value == "Graz"


def test_switching_back_and_forth_learns_nothing_anew(ada):
    chat = make_chat(ada, "I live in Graz.", "Noted.")
    extract(chat, CITY["Graz"])
    chat.fork_at(None)
    new = say(chat, "I live in Linz.")
    extract(chat, CITY["Linz"])
    events = MemoryEvent.objects.count()
    for message in (chat.archive.first(), new):
        chat.switch_to(message)
        assert extract(chat, CITY["Graz"]).requests == []
    assert MemoryEvent.objects.count() == events
    assert Fact.objects.current().get().value == "Linz"


def test_the_same_said_on_two_branches_is_learned_once(ada):
    chat = make_chat(ada, "I live in Graz.", "Noted.")
    extract(chat, CITY["Graz"])
    chat.fork_at(None)
    say(chat, "I live in Graz. What should I see?")
    extract(chat, CITY["Graz"])
    assert Fact.objects.count() == 1


def test_another_answer_teaches_nothing_and_asks_no_model(ada):
    chat = make_chat(ada, "I live in Graz.", "Noted.")
    extract(chat, CITY["Graz"])
    reply = branches.reopen(message=chat.archive.last()).reply
    reply.body = "So you live in Linz."
    reply.finish("complete")
    assert extract(chat, CITY["Linz"]).requests == []


@pytest.mark.django_db(transaction=True)
def test_the_same_send_from_many_sides_at_once_is_one_turn(chat):
    id, opened = uuid.uuid4(), []
    at_once = threading.Barrier(4)

    def send():
        at_once.wait()
        opened.append(turns.open_turn(chat=chat, body="And now?", id=id))
        connection.close()

    run_together(*[send] * 4)
    assert sorted(turn.is_new for turn in opened) == [False, False, False, True]
    assert {turn.reply.pk for turn in opened} == {chat.archive.last().pk}
    assert chat.archive.count() == 4


@pytest.mark.django_db(transaction=True)
def test_one_id_in_two_chats_at_once_is_taken_in_one(ada):
    id, refused = uuid.uuid4(), []
    chats = [make_chat(ada), make_chat(ada)]
    at_once = threading.Barrier(2)

    def send(chat):
        at_once.wait()
        try:
            turns.open_turn(chat=chat, body="And now?", id=id)
        except ValidationError as error:
            refused.append(error.code)
        connection.close()

    run_together(*[lambda chat=chat: send(chat) for chat in chats])
    assert refused == ["id_taken"]
    assert Message.objects.filter(role=USER).get().pk == id
    assert Message.objects.filter(role=ASSISTANT).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_double_click_on_a_first_message_makes_one_chat(ada):
    id, addresses = uuid.uuid4(), []
    at_once = threading.Barrier(2)

    def send():
        client = Client()
        client.force_login(ada)
        at_once.wait()
        response = client.post("/", {"id": str(id), "body": "Hello"})
        addresses.append((response.status_code, response.url))
        connection.close()

    run_together(send, send)
    message = Message.objects.get(role=USER)
    assert message.pk == id
    assert addresses == [(302, f"/chats/{message.chat_id}/")] * 2
    assert Message.objects.filter(role=ASSISTANT).count() == 1


def run_together(*jobs):
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
