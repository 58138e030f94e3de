import asyncio
import json
import uuid
from contextlib import aclosing

import pytest
from asgiref.sync import sync_to_async
from django.db.models.signals import post_save
from pydantic_ai import ModelHTTPError

from memoryapp import followers, replies
from memoryapp.agents import llm
from memoryapp.api import messages, streams
from memoryapp.models import Chat, Message
from tests.api.callers import told
from tests.factories import make_chat, make_fact
from tests.fakes import Script, says

pytestmark = pytest.mark.django_db(transaction=True)
SSE = {"Accept": "text/event-stream"}
WORDS = [f"wörd{n}😀 " for n in range(40)]


def path_of(chat):
    return f"/chats/{chat.pk}/messages"


async def parsed(response):
    """The events of a stream as (name, data), comments left out."""
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/event-stream"
    text = "".join([part.decode() async for part in response.streaming_content])
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
    return [(field["event"], json.loads(field["data"])) for field in fields]


def text_of(events):
    return "".join(data["text"] for name, data in events if name == "delta")


async def streaming_reply(caller, chat):
    """The id of a reply that has begun to stream, and that nobody listens to any more."""
    body = {"body": "Tell me"}
    response = await caller("POST", f"/chats/{chat.pk}/messages", body, headers=SSE)
    async with aclosing(aiter(response.streaming_content)) as parts:
        async for part in parts:
            if part.startswith(b"event: delta"):
                break
    return (await Message.objects.aget(status="streaming")).pk


async def end_of(reply_id):
    if live := replies.LIVE.get(str(reply_id)):
        await asyncio.wait_for(live.task, 10)
    return await Message.objects.aget(pk=reply_id)


class TestWaiting:
    async def test_a_turn_waits_and_answers_with_the_reply(self, chat, talker, ada_now):
        path = path_of(chat)
        reply = told(await ada_now("POST", path, {"body": "I live in Graz."}), 201)
        assert (reply["role"], reply["body"], reply["status"]) == (
            "assistant",
            "Good to know.",
            "complete",
        )
        assert reply["receipt"]["window"] == 2
        question = await Message.objects.aget(pk=reply["parent"])
        assert question.body == "I live in Graz."

    async def test_the_same_id_again_is_the_same_turn(self, chat, talker, ada_now):
        path, body = path_of(chat), {"id": str(uuid.uuid4()), "body": "Once"}
        first = told(await ada_now("POST", path, body), 201)
        again = told(await ada_now("POST", path, body), 200)
        assert again == first
        assert first["parent"] == body["id"]
        assert await chat.messages.acount() == 4

    async def test_the_same_id_at_the_same_time_is_the_same_turn(self, chat, ada_now):
        path, body = path_of(chat), {"id": str(uuid.uuid4()), "body": "Once"}
        with llm.override({"talker": says(*WORDS, pause=0.01)}):
            both = await asyncio.gather(*(ada_now("POST", path, body) for _ in "ab"))
        assert sorted(response.status_code for response in both) == [200, 201]
        assert both[0].json() == both[1].json()
        assert await chat.messages.acount() == 4

    async def test_an_id_that_somebody_else_used_is_taken(self, ben, chat, talker, ben_now):
        theirs = await chat.messages.afirst()
        own = await Chat.objects.acreate(user=ben)
        path, body = path_of(own), {"id": str(theirs.pk), "body": "Mine"}
        assert told(await ben_now("POST", path, body), 409)["code"] == "id_taken"
        assert not await own.messages.aexists()

    async def test_a_turn_while_the_chat_answers_is_refused(self, chat, ada_now):
        with llm.override({"talker": says(*WORDS, pause=0.02)}):
            await streaming_reply(ada_now, chat)
            error = told(await ada_now("POST", path_of(chat), {"body": "And?"}), 409)
        assert error["code"] == "reply_streaming"
        assert await chat.messages.acount() == 4

    @pytest.mark.parametrize(
        "body",
        [
            {"body": ""},
            {"body": " \n"},
            {"body": "a\0b"},
            {"body": "x" * 100_001},
            {"body": None},
            {"body": 1},
            {},
            {"body": "a", "id": "seven"},
            {"body": "a", "id": 7},
            {"body": "a", "role": "assistant"},
        ],
    )
    async def test_a_bad_message_is_refused(self, chat, talker, ada_now, body):
        told(await ada_now("POST", path_of(chat), body), 422)
        assert await chat.messages.acount() == 2

    async def test_a_message_with_the_parent_of_another_is_its_new_version(
        self, chat, talker, ada_now
    ):
        first = await chat.messages.aget(body="Hello there")
        body = {"body": "Hi", "parent": None}
        reply = told(await ada_now("POST", path_of(chat), body), 201)
        history = told(await ada_now("GET", path_of(chat)), 200)["items"]
        assert [message["body"] for message in history] == ["Hi", "Good to know."]
        assert history[0]["siblings"] == [str(first.pk), reply["parent"]]

    async def test_a_message_follows_the_parent_it_names(self, chat, talker, ada_now):
        answer = await chat.messages.aget(body="Good morning.")
        await ada_now("POST", path_of(chat), {"body": "On"})
        reply = told(
            await ada_now("POST", path_of(chat), {"body": "Off", "parent": str(answer.pk)}),
            201,
        )
        question = await Message.objects.aget(pk=reply["parent"])
        assert question.parent_id == answer.pk

    async def test_a_parent_of_another_chat_is_not_found(self, ada, chat, talker, ada_now):
        other = await sync_to_async(make_chat)(ada, "Elsewhere")
        parent = str((await other.messages.aget()).pk)
        told(await ada_now("POST", path_of(chat), {"body": "a", "parent": parent}), 404)
        assert await chat.messages.acount() == 2

    async def test_a_reply_that_fails_is_a_503_that_says_why(self, chat, ada_now):
        broken = Script(["Good ", ModelHTTPError(429, "test", "slow down")])
        with llm.override({"talker": broken}):
            error = told(await ada_now("POST", path_of(chat), {"body": "Hi"}), 503)
        assert error["code"] == "reply_failed"
        reply = await chat.messages.aget(status="failed")
        assert error["detail"] == reply.failure
        assert reply.failure


class TestStreaming:
    async def test_a_turn_streams_its_events_in_order(self, chat, ada_now):
        with llm.override({"talker": says(*WORDS, pause=0.005)}):
            response = await ada_now("POST", path_of(chat), {"body": "Hi"}, headers=SSE)
            events = await parsed(response)
        names = list(dict.fromkeys(name for name, _ in events))
        assert names == ["message", "recall", "delta", "done"]
        assert response.headers["X-Accel-Buffering"] == "no"
        assert response.headers["Cache-Control"] == "no-store"
        head, done = events[0][1], events[-1][1]["message"]
        assert head == {"id": done["id"], "chat_id": str(chat.pk), "parent": done["parent"]}
        assert done["body"] == text_of(events) == "".join(WORDS)
        assert done["receipt"]["milliseconds"]["total"] >= 0

    async def test_each_delta_says_where_its_text_starts(self, chat, ada_now):
        with llm.override({"talker": says(*WORDS, pause=0.005)}):
            response = await ada_now("POST", path_of(chat), {"body": "Hi"}, headers=SSE)
            events = await parsed(response)
        deltas = [data for name, data in events if name == "delta"]
        assert len(deltas) > 1
        for delta in deltas:
            assert "".join(WORDS)[delta["offset"] :].startswith(delta["text"])

    async def test_the_same_id_again_streams_the_same_reply(self, chat, talker, ada_now):
        path, body = path_of(chat), {"id": str(uuid.uuid4()), "body": "Once"}
        reply = told(await ada_now("POST", path, body), 201)
        events = await parsed(await ada_now("POST", path, body, headers=SSE))
        assert text_of(events) == "Good to know."
        assert events[-1][1]["message"] == reply
        assert await chat.messages.acount() == 4

    async def test_a_reply_that_fails_ends_the_stream_with_its_reason(self, chat, ada_now):
        broken = Script(["Good ", ModelHTTPError(429, "test", "slow down")])
        with llm.override({"talker": broken}):
            response = await ada_now("POST", path_of(chat), {"body": "Hi"}, headers=SSE)
            events = await parsed(response)
        reply = await chat.messages.aget(status="failed")
        assert events[-1] == ("error", {"code": "reply_failed", "detail": reply.failure})

    async def test_a_client_that_leaves_does_not_stop_the_reply(self, chat, ada_now):
        with llm.override({"talker": says(*WORDS, pause=0.01)}):
            reply = await end_of(await streaming_reply(ada_now, chat))
        assert (reply.status, reply.body) == ("complete", "".join(WORDS))

    async def test_a_client_that_hangs_up_before_the_reply_begins_gets_one_all_the_same(
        self, chat, talker, ada_now
    ):
        asking = asyncio.ensure_future(ada_now("POST", path_of(chat), {"body": "Hi"}))
        loop = asyncio.get_running_loop()

        def hang_up(instance, **_):
            if instance.status == "streaming":
                loop.call_soon_threadsafe(asking.cancel)

        post_save.connect(hang_up, sender=Message)
        try:
            await asyncio.wait({asking})
        finally:
            post_save.disconnect(hang_up, sender=Message)
        assert asking.cancelled()
        reply = await end_of((await chat.messages.alatest("created_at")).pk)
        assert (reply.status, reply.body) == ("complete", "Good to know.")

    async def test_a_silent_stream_shows_that_it_is_alive(self, chat, ada_now, monkeypatch):
        monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
        with llm.override({"talker": says("Well.", pause=0.5)}):
            response = await ada_now("POST", path_of(chat), {"body": "Hi"}, headers=SSE)
            text = b"".join([part async for part in response.streaming_content]).decode()
        assert ": still here\n\n" in text
        assert text.index(": still here") < text.index("event: delta")

    async def test_a_resumed_stream_gives_the_rest_as_it_comes(self, chat, ada_now):
        with llm.override({"talker": says(*WORDS, pause=0.01)}):
            reply_id = await streaming_reply(ada_now, chat)
            events = await parsed(await ada_now("GET", f"/messages/{reply_id}/stream?after=3"))
        assert text_of(events) == "".join(WORDS)[3:]
        assert events[-1][0] == "done"

    async def test_a_finished_reply_streams_its_rest_and_ends(self, chat, ada_now):
        reply = await chat.messages.aget(role="assistant")
        events = await parsed(await ada_now("GET", f"/messages/{reply.pk}/stream?after=5"))
        assert [name for name, _ in events] == ["message", "delta", "done"]
        assert text_of(events) == "morning."

    async def test_a_browser_that_reconnects_goes_on_where_it_was(self, chat, ada_now):
        question = await chat.messages.aget(role="user")
        path = f"/messages/{question.pk}/stream"
        events = await parsed(await ada_now("GET", path, headers={"Last-Event-ID": "5"}))
        assert text_of(events) == "morning."

    @pytest.mark.parametrize("last_seen", ["", "-3", "abc", "5.5", "9" * 5_000])
    async def test_what_cannot_be_where_it_was_is_passed_over(self, chat, ada_now, last_seen):
        question = await chat.messages.aget(role="user")
        path, headers = f"/messages/{question.pk}/stream?after=5", {"Last-Event-ID": last_seen}
        assert text_of(await parsed(await ada_now("GET", path, headers=headers))) == "morning."

    async def test_a_stream_of_a_chat_that_is_deleted_ends(self, chat, ada_now, monkeypatch):
        monkeypatch.setattr(followers, "LOOK_SECONDS", 0.1)
        with llm.override({"talker": says(*WORDS, pause=0.02)}):
            reply_id = await streaming_reply(ada_now, chat)
            response = await ada_now("GET", f"/messages/{reply_id}/stream")
            told(await ada_now("DELETE", f"/chats/{chat.pk}"), 200)
            events = await parsed(response)
        assert events[-1][0] == "error"
        assert events[-1][1]["code"] == "not_found"

    async def test_a_message_without_a_reply_has_no_stream(self, ada, ada_now):
        chat = await sync_to_async(make_chat)(ada, "Hello")
        message = await chat.messages.aget()
        error = told(await ada_now("GET", f"/messages/{message.pk}/stream"), 422)
        assert error["code"] == "not_a_reply"


class TestReplies:
    async def test_a_stopped_reply_keeps_its_text_so_far(self, chat, ada_now):
        with llm.override({"talker": says(*WORDS, pause=0.02)}):
            reply_id = await streaming_reply(ada_now, chat)
            stopped = told(await ada_now("POST", f"/messages/{reply_id}/stop"), 200)
        assert stopped["status"] == "stopped"
        assert 0 < len(stopped["body"]) < len("".join(WORDS))
        assert "".join(WORDS).startswith(stopped["body"])

    async def test_stopping_a_finished_reply_changes_nothing(self, chat, ada_now):
        reply = await chat.messages.aget(role="assistant")
        stopped = told(await ada_now("POST", f"/messages/{reply.pk}/stop"), 200)
        assert (stopped["status"], stopped["body"]) == ("complete", "Good morning.")

    async def test_a_failed_reply_that_is_stopped_is_shown_as_it_is(self, chat, ada_now):
        reply = await chat.messages.aget(role="assistant")
        await sync_to_async(reply.finish)("failed", "The model is away.")
        stopped = told(await ada_now("POST", f"/messages/{reply.pk}/stop"), 200)
        assert (stopped["status"], stopped["failure"]) == ("failed", "The model is away.")

    async def test_a_reply_whose_process_died_cannot_be_stopped(self, chat, ada_now, monkeypatch):
        monkeypatch.setattr(messages, "STOP_SECONDS", 0.1)
        reply = await sync_to_async(chat.add_message)("assistant", "Half a", status="streaming")
        stopped = told(await ada_now("POST", f"/messages/{reply.pk}/stop"), 200)
        assert (stopped["status"], stopped["body"]) == ("streaming", "Half a")

    async def test_another_reply_stands_beside_the_first(self, chat, talker, ada_now):
        first = await chat.messages.aget(role="assistant")
        reply = told(await ada_now("POST", f"/messages/{first.pk}/regenerate"), 201)
        assert reply["siblings"] == [str(first.pk), reply["id"]]
        history = told(await ada_now("GET", path_of(chat)), 200)["items"]
        assert [message["body"] for message in history] == ["Hello there", "Good to know."]

    async def test_another_reply_does_without_the_facts_that_are_named(
        self, ada, chat, talker, ada_now
    ):
        fact = await sync_to_async(make_fact)(ada, "name", "Ada", kind="identity")
        reply_id = (await chat.messages.aget(role="assistant")).pk
        path = f"/messages/{reply_id}/regenerate"
        with_it = told(await ada_now("POST", path, {}), 201)
        without = told(await ada_now("POST", path, {"without": [str(fact.pk)]}), 201)
        assert [memory["id"] for memory in with_it["receipt"]["memories"]] == [str(fact.pk)]
        assert without["receipt"]["memories"] == []
        assert without["receipt"]["without"] == [str(fact.pk)]

    async def test_another_reply_may_be_streamed(self, chat, talker, ada_now):
        first = await chat.messages.aget(role="assistant")
        path = f"/messages/{first.pk}/regenerate"
        events = await parsed(await ada_now("POST", path, headers=SSE))
        assert text_of(events) == "Good to know."

    @pytest.mark.parametrize(
        "body", [{"without": "x"}, {"without": ["x"]}, {"without": None}, {"facts": []}]
    )
    async def test_another_reply_is_not_begun_for_bad_input(self, chat, talker, ada_now, body):
        reply = await chat.messages.aget(role="assistant")
        told(await ada_now("POST", f"/messages/{reply.pk}/regenerate", body), 422)
        assert await chat.messages.acount() == 2

    async def test_a_fact_that_is_not_the_callers_cannot_be_left_out(
        self, ben, chat, talker, ada_now
    ):
        fact = await sync_to_async(make_fact)(ben, "name", "Ben")
        reply = await chat.messages.aget(role="assistant")
        body = {"without": [str(fact.pk)]}
        told(await ada_now("POST", f"/messages/{reply.pk}/regenerate", body), 404)
        assert await chat.messages.acount() == 2

    async def test_the_receipt_of_a_reply_is_shown(self, chat, talker, ada_now):
        reply = told(await ada_now("POST", path_of(chat), {"body": "Hi"}), 201)
        receipt = told(await ada_now("GET", f"/messages/{reply['id']}/receipt"), 200)
        assert receipt == reply["receipt"]
        assert receipt["model"] == "test:talker"
