import uuid
from dataclasses import replace

import pytest
from asgiref.sync import sync_to_async
from django.core.exceptions import ValidationError

from memoryapp import branches, turns
from memoryapp.agents import llm
from memoryapp.agents.talker import Wishes
from memoryapp.memory import embeddings, recall
from memoryapp.memory.recall.withheld import NOTHING, Withheld
from memoryapp.models import Usage
from memoryapp.receipts import Receipt, sent_prompt
from memoryapp.tokens import num_tokens
from tests.factories import make_chat, make_fact, make_prompt
from tests.fakes import says
from tests.memory import findable


async def answer(turn, model):
    """All that `take_turn` yields with this talker."""
    with llm.override({"talker": model}):
        return [piece async for piece in turns.take_turn(turn)]


def test_open_turn_saves_the_message_and_the_row_of_its_reply(chat):
    turn = turns.open_turn(chat=chat, body="  And now?  ")
    assert (turn.user_message.body, turn.is_new) == ("And now?", True)
    assert (turn.reply.status, turn.reply.parent) == ("streaming", turn.user_message)


def test_a_turn_asks_for_no_more_than_it_needs(chat, django_assert_num_queries):
    for number in range(3):
        chat.add_message("user", f"Question {number}?")
        chat.add_message("assistant", f"Answer {number}.")
    with django_assert_num_queries(10):  # two of them begin and end it
        turn = turns.open_turn(chat=chat, body="And now?")
    with django_assert_num_queries(2) as asked:
        known = turns.gathered(turn, NOTHING)
        assert [message.told for message in known.history][-2:] == ["Question 2?", "Answer 2."]
    assert "created_at" not in asked[0]["sql"].partition("FROM")[0]  # nor what else isn't told
    chat.refresh_from_db()
    assert chat.last_message_at == turn.reply.created_at > turn.user_message.created_at


def test_a_question_is_understood_while_it_is_saved(ada, chat):
    findable.make_fact(ada, "deployment_tools", "Terraform through GitHub Actions")
    asked = turns.open_turn(chat=chat, body=f" {findable.TOOLS} ").asked
    assert asked.vector.result() == embeddings.embed_query(findable.TOOLS)
    first, again = (recall.recall(ada, chat, findable.TOOLS, asked=each) for each in (asked, None))
    assert first.memories == again.memories != ()


@pytest.mark.parametrize("off", ["chat", "person"])
def test_without_memory_nobody_looks_for_what_a_question_means(chat, off):
    (chat if off == "chat" else chat.user).memory_on = False
    assert turns.open_turn(chat=chat, body="And now?").asked is None


def test_the_same_id_is_the_same_turn(chat):
    id = uuid.uuid4()
    first = turns.open_turn(chat=chat, body="And now?", id=id)
    again = turns.open_turn(chat=chat, body="And now?", id=id)
    assert (again.reply, again.is_new) == (first.reply, False)
    assert chat.archive.count() == 4


def test_an_id_of_another_chat_is_refused(ada, chat):
    taken = chat.archive.first()
    other = make_chat(ada)
    with pytest.raises(ValidationError, match="taken"):
        turns.open_turn(chat=other, body="Hello", id=taken.pk)


def test_a_chat_answers_one_message_at_a_time(chat):
    turns.open_turn(chat=chat, body="And now?")
    with pytest.raises(turns.ReplyStreaming):
        turns.open_turn(chat=chat, body="Hurry up")
    assert chat.archive.count() == 4


@pytest.mark.parametrize("body", ["", "  \n", "\u200b \u2060", "a\0b", "a\ud800b", "x" * 100_001])
def test_a_body_that_cannot_be_stored_changes_nothing(chat, body):
    with pytest.raises(ValidationError):
        turns.open_turn(chat=chat, body=body)
    assert chat.archive.count() == 2


def test_editing_a_message_begins_a_branch(chat):
    question = chat.archive.first()
    turn = turns.open_turn(chat=chat, body="Hello again", fork=True, parent=None)
    assert list(turn.user_message.siblings) == [question, turn.user_message]
    assert [message.body for message in chat.history] == ["Hello again", ""]


def test_reopening_a_reply_makes_a_sibling(chat):
    reply = chat.archive.last()
    turn = branches.reopen(message=reply)
    assert list(turn.reply.siblings) == [reply, turn.reply]
    assert turn.reply.parent == reply.parent


def test_a_question_cannot_be_reopened(chat):
    with pytest.raises(ValidationError, match="Only a reply"):
        branches.reopen(message=chat.archive.first())


@pytest.mark.django_db(transaction=True)
async def test_a_turn_yields_its_receipt_then_text_then_the_whole_receipt(ada, chat):
    turn = await _open(chat)
    first, *text, last = await answer(turn, says("Good ", "morning"))
    assert "".join(text) == "Good morning"
    assert first is last
    assert last.tokens["reply"] > 0
    assert last.milliseconds["total"] >= last.milliseconds["first_token"]


@pytest.mark.django_db(transaction=True)
async def test_the_receipt_tells_all_that_went_into_the_prompt(ada, ben, chat):
    await _thread(make_fact, ada, "name", "Ada", kind="identity")
    await _thread(make_prompt, ada, "style", "Be short.")
    await _thread(make_prompt, None, "house", "Be kind.")
    await _thread(make_prompt, ben, "style", "Be loud.")
    receipt, *_ = await answer(await _open(chat), says("Good"))
    assert [memory["text"] for memory in receipt.memories] == ["name: Ada"]
    assert [prompt["text"] for prompt in receipt.prompts] == ["Be kind.", "Be short."]
    assert receipt.window == 2


@pytest.mark.django_db(transaction=True)
async def test_the_talker_is_sent_what_the_receipt_says(ada, chat):
    await _thread(make_fact, ada, "name", "Ada", kind="identity")
    turn = replace(await _open(chat), wishes=Wishes("Answer in verse."))
    model = says("Good")
    receipt, *_ = await answer(turn, model)
    turn.reply.receipt = receipt.noted()
    sent = await _thread(sent_prompt, turn.reply)
    assert (sent.question, sent.instructions) == (model.sent, model.instructions)
    assert receipt.tokens["memory"] == num_tokens("name: Ada")
    assert "name: Ada" in sent.question
    assert sent.instructions.endswith("Answer in verse.")


@pytest.mark.django_db(transaction=True)
async def test_a_fact_can_be_left_out_of_one_answer(ada, chat):
    fact = await _thread(make_fact, ada, "name", "Ada", kind="identity")
    reply = await _thread(chat.archive.last)
    turn = await _thread(branches.reopen, message=reply, without=[str(fact.pk)])
    receipt, *_ = await answer(turn, says("Good"))
    assert (receipt.memories, receipt.without) == ([], [str(fact.pk)])


@pytest.mark.django_db(transaction=True)
async def test_memory_off_recalls_nothing(ada, chat):
    await _thread(make_fact, ada, "name", "Ada", kind="identity")
    chat.memory_on = False
    await chat.asave()
    receipt, *_ = await answer(await _open(chat), says("Good"))
    assert (receipt.memories, receipt.memory_on) == ([], False)


@pytest.mark.django_db(transaction=True)
async def test_a_turn_is_accounted_for(ada, chat):
    await answer(await _open(chat), says("Good"))
    usage = await Usage.objects.aget()
    assert (usage.agent, usage.user_id) == ("talker", ada.pk)


async def _open(chat):
    turn = await _thread(turns.open_turn, chat=chat, body="And now?")
    turn.reply.chat, turn.reply.user = chat, chat.user
    return turn


async def _thread(function, *arguments, **named):
    return await sync_to_async(function)(*arguments, **named)


@pytest.mark.django_db(transaction=True)
async def test_a_hosted_talker_cannot_look_up_what_is_for_local_models_only(ada, chat):
    old = await _thread(make_chat, ada, "My therapist is called Quimby.", "Noted.")
    source = await _thread(old.archive.first)
    await _thread(make_fact, ada, "therapist", "Quimby", local_only=True, source_message=source)
    turn = await _open(chat)
    receipt = Receipt(memory_on=True, model="hosted", label="", is_offline=False)
    search = turns._archive_search(turn, receipt, Withheld(local_only=True))
    assert await search("What is my therapist called?") == []
    search = turns._archive_search(turn, receipt, NOTHING)
    assert "Quimby" in str(await search("What is my therapist called?"))
