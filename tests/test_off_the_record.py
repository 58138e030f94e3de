import pytest

from memoryapp import branches, tasks, turns
from memoryapp.agents import llm
from memoryapp.memory.recall import recall, search, search_archive
from memoryapp.models import Chat, MemoryEvent, Message, MessagePart
from tests.fakes import learns

PARTY = "Please don't remember this: I'm planning a surprise party for Nadia."
ASKED = "Whose surprise party is it that I plan?"


def answered(chat, body, reply):
    """A finished turn whose background work is done."""
    turn = turns.open_turn(chat=chat, body=body)
    turn.reply.body = reply
    turn.reply.finish(Message.Status.COMPLETE)
    with llm.override({"extractor": learns()}):
        tasks.extract(str(chat.pk))
    tasks.embed_messages(str(chat.pk))
    return turn


def found(user):
    """All that another chat hears of it."""
    other = Chat.objects.create(user=user)
    memories = [
        *recall(user, other, ASKED).turns,
        *search_archive(user, ASKED, chat=other),
        *search(user, ASKED, kind="turn"),
    ]
    return [memory for memory in memories if "party" in memory.text]


def test_what_is_on_the_record_is_found_from_another_chat(ada, chat):
    answered(chat, PARTY.partition(": ")[2], "A surprise party for Nadia!")
    assert {memory.said_by for memory in found(ada)} == {"user", "assistant"}


def test_what_is_off_the_record_is_known_in_its_own_chat_only(ada, chat):
    turn = answered(chat, PARTY, "A surprise party for Nadia!")
    assert found(ada) == []
    assert {turn.user_message, turn.reply} <= set(chat.history)


def test_another_reply_to_it_is_off_the_record_too(ada, chat):
    turn = answered(chat, PARTY, "I see.")
    again = branches.reopen(message=turn.reply)
    again.reply.body = "A surprise party for Nadia!"
    again.reply.finish(Message.Status.COMPLETE)
    tasks.embed_messages(str(chat.pk))
    assert found(ada) == []


def test_the_next_message_is_on_the_record_again(ada, chat):
    answered(chat, PARTY, "I see.")
    turn = answered(chat, "My surprise party plan is for Otto.", "A party for Otto.")
    assert {memory.id for memory in found(ada)} == {str(turn.user_message.pk), str(turn.reply.pk)}


def test_what_was_just_an_example_is_no_longer_found(ada, chat):
    answered(chat, PARTY.partition(": ")[2] + " Balloons." * 400, "A surprise party for Nadia!")
    assert found(ada)
    answered(chat, "That was just an example.", "I see.")
    assert found(ada) == []
    assert not MessagePart.objects.exists()


@pytest.mark.parametrize("memory_on", [True, False])
def test_what_was_just_an_example_is_taken_back_even_while_memory_is_off(ada, chat, memory_on):
    answered(chat, PARTY.partition(": ")[2], "A surprise party for Nadia!")
    Chat.objects.filter(pk=chat.pk).update(memory_on=memory_on)
    chat.refresh_from_db()
    answered(chat, "That was just an example.", "I see.")
    Chat.objects.filter(pk=chat.pk).update(memory_on=True)
    assert found(ada) == []
    assert not MemoryEvent.objects.exists()
