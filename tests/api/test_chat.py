import pytest
from asgiref.sync import sync_to_async
from pydantic_ai import ModelHTTPError

from memoryapp.agents import llm
from memoryapp.models import Chat, Fact, Message
from tests.api.callers import told
from tests.factories import make_fact
from tests.fakes import Script, says

pytestmark = pytest.mark.django_db(transaction=True)
INTRODUCTION = {"message": "Hello", "user_name": "Sanket", "timezone": "Asia/Kolkata"}


async def facts():
    return {fact.key: fact.value async for fact in Fact.objects.filter(valid_to=None)}


async def test_a_turn_without_a_chat_makes_one(talker, ada_now):
    turn = told(await ada_now("POST", "/chat", {"message": "Hello"}), 200)
    chat = await Chat.objects.aget()
    reply = await Message.objects.aget(role="assistant")
    assert turn["reply"] == "Good to know."
    assert (turn["chat_id"], turn["message_id"]) == (str(chat.pk), str(reply.pk))
    assert (turn["used_memories"], turn["summary_used"]) == ([], False)
    assert turn["receipt"] == reply.receipt


async def test_the_chat_of_a_first_turn_is_named_in_the_language_of_its_owner(ada, talker, ada_now):
    ada.language = "de"
    await ada.asave()
    told(await ada_now("POST", "/chat", {"message": "Hallo"}), 200)
    assert (await Chat.objects.aget()).title == "Neuer Chat"


async def test_a_turn_goes_on_in_the_chat_it_names(chat, talker, ada_now):
    body = {"message": "And now?", "chat_id": str(chat.pk)}
    assert told(await ada_now("POST", "/chat", body), 200)["chat_id"] == str(chat.pk)
    assert await chat.messages.acount() == 4


async def test_name_and_time_zone_are_known_to_this_very_reply(ada, talker, ada_now):
    turn = told(await ada_now("POST", "/chat", INTRODUCTION), 200)
    assert await facts() == {"name": "Sanket", "timezone": "Asia/Kolkata"}
    fact = await Fact.objects.aget(key="name")
    assert (fact.kind, fact.origin, fact.actor) == ("identity", "api", "ada")
    assert sorted(turn["used_memories"]) == ["name: Sanket", "timezone: Asia/Kolkata"]
    await ada.arefresh_from_db()
    assert ada.timezone == "Asia/Kolkata"
    assert turn["receipt"]["now"].endswith("+05:30")


async def test_being_told_the_same_name_again_changes_nothing(talker, ada_now):
    for _ in range(3):
        told(await ada_now("POST", "/chat", INTRODUCTION), 200)
    assert await Fact.objects.acount() == 2


async def test_another_name_supersedes_the_first(talker, ada_now):
    await ada_now("POST", "/chat", INTRODUCTION)
    await ada_now("POST", "/chat", {"message": "Hello", "user_name": "Priya"})
    assert await facts() == {"name": "Priya", "timezone": "Asia/Kolkata"}


async def test_a_person_without_memory_is_not_remembered_by_name(ada, talker, ada_now):
    ada.memory_on = False
    await ada.asave()
    told(await ada_now("POST", "/chat", INTRODUCTION), 200)
    assert await facts() == {}
    await ada.arefresh_from_db()
    assert ada.timezone == "Asia/Kolkata"


async def test_used_memories_are_the_texts_on_the_receipt(ada, talker, ada_now):
    await sync_to_async(make_fact)(ada, "theme", "dark", kind="preference")
    turn = told(await ada_now("POST", "/chat", {"message": "Which theme do I like?"}), 200)
    assert turn["used_memories"] == ["theme: dark"]


async def test_a_summary_in_the_prompt_is_said(chat, talker, ada_now):
    await sync_to_async(chat.add_message)("summary", "They greeted each other.")
    body = {"message": "And now?", "chat_id": str(chat.pk)}
    assert told(await ada_now("POST", "/chat", body), 200)["summary_used"]


async def test_a_reply_that_fails_is_a_503_that_says_why(ada_now):
    with llm.override({"talker": Script([ModelHTTPError(500, "test", "oh")])}):
        error = told(await ada_now("POST", "/chat", {"message": "Hello"}), 503)
    reply = await Message.objects.aget(status="failed")
    assert error == {"code": "reply_failed", "detail": reply.failure}


async def test_a_turn_that_is_refused_leaves_nothing_behind(chat, ada_now):
    await sync_to_async(chat.add_message)("assistant", "", status="streaming")
    body = {**INTRODUCTION, "chat_id": str(chat.pk)}
    with llm.override({"talker": says("Hello")}):
        error = told(await ada_now("POST", "/chat", body), 409)
    assert error["code"] == "reply_streaming"
    assert await facts() == {}
    assert await chat.messages.acount() == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"message": ""},
        {"message": "\0"},
        {"message": "\u200b"},
        {"message": ["Hello"]},
        {"message": "x" * 100_001},
        {"chat_id": "seven"},
        {"user_name": ""},
        {"user_name": "x" * 201},
        {"user_name": 7},
        {"timezone": "Mars/Base"},
        {"timezone": "asia/kolkata"},
        {"memory": False},
    ],
)
async def test_a_bad_turn_is_refused(talker, ada_now, changes):
    told(await ada_now("POST", "/chat", {**INTRODUCTION, **changes}), 422)
    assert not await Chat.objects.aexists()
    assert await facts() == {}
