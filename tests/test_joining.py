"""A page that has read its thread follows what happens from then on, without a gap."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from memoryapp import fragments, replies, turns
from memoryapp.agents import llm
from memoryapp.bus import chat_group
from tests.fakes import says
from tests.tabs import FINISHED, join, tell, tell_of_title

pytestmark = pytest.mark.django_db(transaction=True)


async def test_tabs_that_join_in_the_middle_get_the_exact_text(tabs, chat, ada):
    words = [f"w{n} " for n in range(40)]
    with llm.override({"talker": says(*words, pause=0.02)}):
        first = await tabs(ada, chat)
        await first.send(action="send", body="And now?")
        await first.until("w5 ")
        late = []
        for _ in range(4):
            late.append(await tabs(ada, chat))
            await asyncio.sleep(0.1)
        for tab in [first, *late]:
            await tab.until(FINISHED)
            assert tab.rest == "".join(words)


async def test_what_is_said_while_a_page_joins_reaches_it(tabs, chat, ada, monkeypatch):
    told = fragments.stamp

    def told_in_time(chat):
        stamp = told(chat)
        monkeypatch.setattr(fragments, "stamp", told)
        said.append(turns.open_turn(chat=chat, body="And now?"))
        return stamp

    tab, said = await tabs(ada, chat), []
    stamp = await sync_to_async(fragments.stamp)(chat)
    monkeypatch.setattr(fragments, "stamp", told_in_time)
    await tab.send(action="join", stamp=stamp)
    await tab.send(action="nonsense")
    await tab.until("be read")
    await replies.start(said[0])
    assert "And now?" in await tab.until("<article")
    await tab.until(FINISHED)


async def test_a_page_that_missed_something_is_told_to_load_its_thread_again(tabs, chat, ada):
    tab = await tabs(ada, chat)
    await tab.send(action="join", stamp="an old one")
    assert "<article" not in await tab.until("freshness")


async def test_nothing_is_pushed_to_a_page_that_has_to_load_its_thread_again(tabs, chat, ada):
    with llm.override({"talker": says(*["word "] * 20, pause=0.02)}):
        writer, stale = await tabs(ada, chat), await tabs(ada, chat)
        await writer.send(action="send", body="And now?")
        await stale.until("And now?")
        await stale.send(action="join", stamp="an old one")
        await stale.until("freshness")
        await writer.until(FINISHED)
    await tell_of_title(ada, chat)
    assert await stale.app.receive_nothing(timeout=0.5)
    await join(stale, chat)
    await tell_of_title(ada, chat)
    assert "chat-title" in await stale.until("chat-title")


async def test_nothing_is_pushed_to_a_page_that_has_left_to_load_its_thread(tabs, chat, ada):
    writer, reading = await tabs(ada, chat), await tabs(ada, chat)
    await reading.send(action="leave")
    await writer.send(action="send", body="And now?")
    await writer.until(FINISHED)
    assert await reading.app.receive_nothing(timeout=0.5)


async def test_news_of_what_the_page_shows_already_have_nothing_read_again(tabs, chat, ada):
    turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
    tab = await tabs(ada, chat)
    layer, reply = get_channel_layer(), {"reply": str(turn.reply.pk)}
    started = {"type": "reply.started", "user_message": str(turn.user_message.pk), **reply}
    await layer.group_send(chat_group(chat.pk), started)
    ended = await chat.messages.aget(role="assistant", status="complete")
    await layer.group_send(chat_group(chat.pk), {"type": "reply.finished", "reply": str(ended.pk)})
    await tell(chat, "branch")
    await tell_of_title(ada, chat)
    await tab.until("chat-title")
    assert len(tab.frames) == 2  # with what shows that it has joined
