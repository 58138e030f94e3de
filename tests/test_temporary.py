"""A chat that is written down nowhere, until it is kept."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.core import signing
from django.core.exceptions import ValidationError
from django_q.models import OrmQ
from pydantic_ai import ModelHTTPError

from memoryapp import tasks, temporary
from memoryapp.agents import llm
from memoryapp.models import Chat, Fact, Message
from memoryapp.replies import End
from memoryapp.temporary import TemporaryChat, packed, unpacked
from memoryapp.turns import ReplyStreaming
from tests.factories import make_chat, make_fact, make_prompt
from tests.fakes import Script, calls, learns, operation, says, texts

pytestmark = pytest.mark.django_db(transaction=True)


def talk(user, *bodies):
    """A temporary chat in which this was said, in turns."""
    chat = TemporaryChat(user)
    for question, answer in zip(bodies[::2], bodies[1::2], strict=True):
        reply = chat.ask(question).reply
        reply.body = answer
        chat.finish(reply, End("complete"))
    return chat


def handed_back(chat, user=None):
    """The chat after it was given to the page and taken from it again."""
    return unpacked(user or chat.user, [packed(chat, message) for message in chat.messages])


def shown(messages):
    return [(m.pk, m.role, m.body, m.status, m.created_at, m.evicted_by_id) for m in messages]


async def written(chat, turn, model):
    with llm.override({"talker": model}):
        await asyncio.wait_for(temporary.write(chat, turn), 10)
    chat.finish(turn.reply, End("complete"))
    return turn.reply


async def test_the_talker_is_told_the_persona_and_this_chat_and_nothing_else(ada):
    await sync_to_async(make_prompt)(ada, "style", "Answer in rhymes")
    await sync_to_async(make_fact)(ada, "name", "Augusta", kind="identity")
    await sync_to_async(make_chat)(ada, "I keep zebras.", "Noted.")
    chat, model = talk(ada, "I like tea.", "Me too."), says("Of ", "course.")
    reply = await written(chat, chat.ask("What do I keep, and like?"), model)
    assert reply.body == "Of course."
    assert "Answer in rhymes" in model.instructions
    said = texts(model.requests[-1])
    assert [text for _, text in said[:-1]] == ["I like tea.", "Me too."]
    assert said[-1][1].endswith("What do I keep, and like?")
    assert "Augusta" not in str(said)
    assert "zebras" not in str(said)


async def test_without_a_model_it_says_that_it_uses_no_memory(ada):
    await sync_to_async(make_fact)(ada, "city", "Vienna", kind="identity")
    chat = talk(ada, "Hello.", "Hello.")
    turn = chat.ask("Where do I live?")
    await asyncio.wait_for(temporary.write(chat, turn), 10)
    assert turn.reply.body.startswith("This chat doesn't use your memory")


async def test_its_tools_find_nothing(ada):
    await sync_to_async(make_chat)(ada, "I keep zebras.", "Noted.")
    model = Script([calls("search_archive", query="zebras")], ["I don't know."])
    chat = TemporaryChat(ada)
    await written(chat, chat.ask("What do I keep?"), model)
    assert "Nothing found." in str(model.requests[-1])
    assert "zebras" not in str(model.requests[-1][-1])


def test_it_answers_one_message_at_a_time(ada):
    chat = TemporaryChat(ada)
    chat.ask("Hello")
    for again in (lambda: chat.ask("Hello?"), chat.answer):
        with pytest.raises(ReplyStreaming):
            again()


@pytest.mark.parametrize("body", ["", "  ", "x" * 100_001, "\0"])
def test_what_cannot_be_said_in_a_chat_cannot_be_said_here(ada, body):
    chat = TemporaryChat(ada)
    with pytest.raises(ValidationError):
        chat.ask(body)
    assert chat.messages == []


def test_it_has_an_end(ada):
    chat = talk(ada, *["x" * 90_000] * 2)
    chat.ask("y" * 90_000)
    chat.finish(chat.messages[-1], End("complete"))
    with pytest.raises(ValidationError, match="full"):
        chat.ask("z" * 90_000)


def test_another_reply_takes_the_place_of_the_last(ada):
    chat = talk(ada, "Hello", "Bad answer")
    turn = chat.answer()
    assert turn.user_message.body == "Hello"
    assert [message.body for message in chat.messages] == ["Hello", ""]


def test_the_page_hands_it_back_as_it_was(ada):
    chat = talk(ada, "Hello", "Good day", "And now?", "Now what?")
    chat.put_summary(chat.messages[:2], "They greeted.")
    again = handed_back(chat)
    assert shown(again.messages) == shown(chat.messages)
    assert [message.body for message in again.history] == ["They greeted.", "And now?", "Now what?"]


def test_nobody_hands_back_the_chat_of_somebody_else(ada, ben):
    with pytest.raises(ValidationError, match="can't be taken up"):
        handed_back(talk(ada, "Hello", "Good day"), user=ben)


@pytest.mark.parametrize("said", [["nonsense"], [signing.dumps({"role": "assistant"})]])
def test_nothing_is_handed_back_that_was_not_given_out(ada, said):
    with pytest.raises(ValidationError, match="can't be taken up"):
        unpacked(ada, said)


def test_a_summary_does_not_come_back_without_what_it_covers(ada):
    chat = talk(ada, "Hello", "Good day", "And now?", "Now what?")
    chat.put_summary(chat.messages[:2], "They greeted.")
    with pytest.raises(ValidationError, match="can't be taken up"):
        unpacked(ada, [packed(chat, message) for message in chat.messages[1:]])


def test_too_much_is_not_even_read(ada):
    with pytest.raises(ValidationError, match="too long"):
        unpacked(ada, ["x"] * 801)
    with pytest.raises(ValidationError, match="too long"):
        unpacked(ada, ["x" * 2_000_001])


@pytest.fixture
def short_history(settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 4, 2


async def test_a_long_one_is_condensed_here(ada, short_history):
    chat, model = talk(ada, "a", "b", "c", "d", "e", "f"), says("What they said.")
    with llm.override({"summarizer": model}):
        summary = await temporary.condense(chat)
    assert [message.body for message in chat.history] == ["What they said.", "e", "f"]
    assert chat.covered_by(summary) == chat.messages[:4]
    assert chat.num_condensed == 4
    reply = await written(chat, chat.ask("g"), model := says("h"))
    assert "What they said." in texts(model.requests[-1])[0][1]
    assert reply.receipt["summary_message_id"] == str(summary.pk)
    assert await Message.objects.acount() == 0


async def test_each_fourth_summary_is_written_from_what_was_said(ada, short_history):
    chat = TemporaryChat(ada)
    for number in range(12):
        chat.finish(chat.ask(f"question {number}").reply, End("complete"))
        chat.messages[-1].body = f"answer {number}"
        with llm.override({"summarizer": (model := says(f"summary {number}"))}):
            if await temporary.condense(chat):
                rounds = model.sent
                if "question 0" in rounds and "question 3" in rounds:
                    break
    else:
        pytest.fail("no summary was written from the messages of earlier ones")


async def test_a_summarizer_that_fails_disturbs_nobody_and_tells_no_log(ada, short_history, caplog):
    chat = talk(ada, "a", "b", "c", "d", "my secret", "f")
    model = Script([ModelHTTPError(500, "test", body="my secret")])
    with llm.override({"summarizer": model}):
        assert await temporary.condense(chat) is None
    assert len(chat.history) == 6
    assert "not condensed yet" in caplog.text
    assert "my secret" not in caplog.text


def test_what_is_kept_is_an_ordinary_chat(ada):
    chat = talk(ada, "Hello", "Good day", "And now?", "Now what?")
    chat.put_summary(chat.messages[:2], "They greeted.")
    kept = temporary.keep(handed_back(chat))
    kept = Chat.objects.select_related("user").get(pk=kept.pk)
    assert kept.remembers
    assert kept.last_message_at == chat.messages[-1].created_at
    assert sorted(shown(kept.messages.all())) == sorted(shown(chat.messages))
    spoken = list(kept.archive.spoken())
    assert [message.parent_id for message in spoken] == [None, *(m.pk for m in spoken[:-1])]
    assert [message.body for message in kept.history] == ["They greeted.", "And now?", "Now what?"]
    kept.add_message("user", "Go on")
    assert kept.history.last().parent_id == spoken[-1].pk


def test_what_is_kept_has_its_first_name_in_its_owners_language(ada):
    ada.language = "de"
    assert temporary.keep(handed_back(talk(ada, "Hallo", "Guten Tag"))).title == "Neuer Chat"


def test_keeping_is_one_event_for_the_background(ada):
    kept = temporary.keep(talk(ada, "I live in Rome.", "Nice.", "And now?", "Now what?"))
    asked = [task.func() for task in OrmQ.objects.all()]
    assert len(asked) == len(set(asked))
    with llm.override(
        {
            "title": says("A greeting"),
            "extractor": learns(operation("city", "Rome", "I live in Rome.")),
        }
    ):
        tasks.title(str(kept.pk))
        tasks.extract(str(kept.pk))
    kept.refresh_from_db()
    assert kept.title == "A greeting"
    assert Fact.objects.for_user(ada).get().source_message.body == "I live in Rome."


def test_what_is_kept_teaches_nothing_while_memory_is_off(ada):
    ada.memory_on = False
    ada.save()
    kept = temporary.keep(talk(ada, "I live in Rome.", "Nice."))
    with llm.override({"extractor": learns(operation("city", "Rome", "I live in Rome."))}):
        tasks.extract(str(kept.pk))
    assert Fact.objects.count() == 0


def test_what_was_asked_not_to_be_remembered_stays_so(ada):
    kept = temporary.keep(handed_back(talk(ada, "Don't remember this: I live in Rome.", "Fine.")))
    assert {message.is_on_record for message in kept.messages.all()} == {False}


def test_kept_twice_it_is_one_chat(ada):
    chat = talk(ada, "Hello", "Good day")
    first, again = temporary.keep(handed_back(chat)), temporary.keep(handed_back(chat))
    assert first == again
    assert (Chat.objects.count(), Message.objects.count()) == (1, 2)


def test_a_question_without_its_reply_is_kept_with_an_interrupted_one(ada):
    chat = talk(ada, "Hello", "Good day")
    chat.ask("And now?")
    chat.messages.pop()
    kept = temporary.keep(chat)
    last = kept.archive.last()
    assert (last.role, last.status, last.parent.body) == ("assistant", "interrupted", "And now?")


def test_nothing_is_not_kept(ada):
    with pytest.raises(ValidationError, match="nothing to keep"):
        temporary.keep(TemporaryChat(ada))
    assert Chat.objects.count() == 0
