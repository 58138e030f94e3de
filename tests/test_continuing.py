"""Going on with a reply that was interrupted, was stopped or failed."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.core.exceptions import ValidationError
from pydantic_ai import ModelHTTPError

from memoryapp import branches, followers, replies, turns
from memoryapp.agents import llm
from memoryapp.agents.continuing import GO_ON
from memoryapp.models import Chat, Message, Usage
from memoryapp.receipts import sent_prompt
from tests.fakes import Script, says, texts

pytestmark = pytest.mark.django_db(transaction=True)
PARTLY = "First pack the books.\n\nThen call the mov"


@pytest.fixture(autouse=True)
async def bus():
    yield
    await replies.drain()
    await get_channel_layer().flush()


@pytest.fixture
def cut_off(ada):
    """A reply that was interrupted in the middle of a word."""
    chat = Chat.objects.create(user=ada)
    chat.add_message(Message.Role.USER, "How do I move house?")
    reply = chat.add_message(Message.Role.ASSISTANT, PARTLY, status="interrupted")
    return loaded().get(pk=reply.pk)


def loaded():
    return Message.objects.select_related("chat__user", "user", "parent")


async def resume(reply):
    turn = await sync_to_async(branches.resume)(message=reply)
    await replies.start(turn)
    return turn.reply


async def end(reply):
    if live := replies.LIVE.get(str(reply.pk)):
        await asyncio.wait_for(live.task, 10)
    return await loaded().aget(pk=reply.pk)


async def test_a_reply_goes_on_from_its_last_whole_word(cut_off):
    model = says("movers ", "and wait.")
    with llm.override({"talker": model}):
        reply = await end(await resume(cut_off))
    assert reply.body == "First pack the books.\n\nThen call the movers and wait."
    assert reply.status == "complete"
    *_, asked, begun, go_on = texts(model.requests[-1])
    assert asked[1].endswith("How do I move house?")
    assert begun == ("assistant", "First pack the books.\n\nThen call the ")
    assert go_on == ("user", GO_ON)


async def test_what_was_there_is_kept_as_a_version_of_its_own(cut_off):
    with llm.override({"talker": says("movers.")}):
        reply = await end(await resume(cut_off))
    await cut_off.arefresh_from_db()
    assert (cut_off.body, cut_off.status) == (PARTLY, "interrupted")
    assert (cut_off.is_active, reply.is_active) == (False, True)
    assert [pk async for pk in reply.siblings.values_list("pk", flat=True)] == [
        cut_off.pk,
        reply.pk,
    ]


async def test_its_receipt_says_what_it_goes_on_with_and_shows_the_exact_prompt(cut_off):
    model = says("movers.")
    with llm.override({"talker": model}):
        reply = await end(await resume(cut_off))
    assert reply.receipt["continues"] == str(cut_off.pk)
    sent = await sync_to_async(sent_prompt)(reply)
    told = [(said.role, said.body) for said in sent.history] + [("user", sent.question)]
    assert told == texts(model.requests[-1])


async def test_its_tokens_are_counted(cut_off):
    with llm.override({"talker": says("movers.")}):
        await end(await resume(cut_off))
    usage = await Usage.objects.aget(agent="talker")
    assert usage.chat_id == cut_off.chat_id
    assert usage.output_tokens > 0


async def test_followers_get_the_whole_text_once_from_wherever_they_are(cut_off):
    words = [f"ä{n}😀 " for n in range(40)]
    with llm.override({"talker": says(*words, pause=0.01)}):
        reply = await resume(cut_off)
        whole, rest = await asyncio.gather(text(reply), text(reply, after=len("First pack")))
    body = "First pack the books.\n\nThen call the " + "".join(words)
    assert whole == (await end(reply)).body == body
    assert rest == body.removeprefix("First pack")


async def text(reply, after=0):
    events = [event async for event in followers.follow(reply.chat_id, reply.pk, after)]
    return "".join(event["text"] for event in events if event["type"] == "reply.delta")


async def test_a_failure_takes_nothing_away(cut_off):
    with llm.override({"talker": Script([ModelHTTPError(500, "test")])}):
        reply = await end(await resume(cut_off))
    assert (reply.status, reply.body) == ("failed", PARTLY)
    assert await text(reply) == PARTLY


async def test_what_came_before_a_failure_is_kept_and_can_be_continued_again(cut_off):
    with llm.override({"talker": Script(["movers ", ModelHTTPError(500, "test")])}):
        failed = await end(await resume(cut_off))
    assert failed.body == "First pack the books.\n\nThen call the movers "
    with llm.override({"talker": says("movers.")}):
        reply = await end(await resume(failed))
    assert reply.body == "First pack the books.\n\nThen call the movers."


async def test_the_offline_responder_says_what_was_still_to_be_said(chat):
    turn = await sync_to_async(turns.open_turn)(chat=chat, body="What do you know about me?")
    await replies.start(turn)
    whole = (await end(turn.reply)).body
    partly = whole[: len(whole) // 2]
    await Message.objects.filter(pk=turn.reply.pk).aupdate(status="stopped", body=partly)
    reply = await end(await resume(await end(turn.reply)))
    assert reply.body == whole


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"status": "complete"}, "reply_complete"),
        ({"status": "failed", "body": ""}, "reply_empty"),
    ],
)
def test_there_must_be_something_to_go_on_with(cut_off, fields, code):
    Message.objects.filter(pk=cut_off.pk).update(**fields)
    with pytest.raises(ValidationError) as raised:
        branches.resume(message=cut_off)
    assert raised.value.code == code
    assert cut_off.siblings.count() == 1


def test_a_question_is_not_continued(cut_off):
    with pytest.raises(ValidationError, match="Only a reply"):
        branches.resume(message=cut_off.parent)


def test_nothing_is_continued_while_the_chat_answers(cut_off):
    branches.reopen(message=cut_off)
    with pytest.raises(turns.ReplyStreaming):
        branches.resume(message=cut_off)
