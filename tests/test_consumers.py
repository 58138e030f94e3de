import asyncio
import json
import uuid

import pytest
from asgiref.sync import sync_to_async

from memoryapp import branches, followers, replies, tasks, turns
from memoryapp.agents import llm
from memoryapp.consumers.page import GONE
from memoryapp.memory import ledger
from memoryapp.models import Message
from memoryapp.patience import in_database
from tests.factories import make_chat, proposal
from tests.fakes import learns, operation, says
from tests.tabs import FINISHED, Tab, tell, tell_of_title
from tests.test_channel_layer import cut_connections

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def talk():
    with llm.override({"talker": says("One ", "& <two>\n", "\nThree ", "four")}):
        yield


async def test_a_send_brings_the_turn_the_text_and_the_finished_message(tabs, talk, chat, ada):
    tab = await tabs(ada, chat)
    await tab.send(action="send", id=str(uuid.uuid4()), body="And <now>?")
    turn = await tab.until("And &lt;now&gt;?")
    assert "Stop answering" in turn
    finished = await tab.until(FINISHED)
    assert "<p>One &amp; &lt;two&gt;</p>" in finished
    assert 'aria-busy="true"' not in finished
    assert tab.rest == "Three four"


async def test_a_final_block_is_rendered_once_and_the_rest_stays_text(tabs, talk, chat, ada):
    tab = await tabs(ada, chat)
    await tab.send(action="send", body="And now?")
    await tab.until(FINISHED)
    blocks = [frame for frame in tab.frames[:-1] if "<p>One &amp; &lt;two&gt;</p>" in frame]
    assert len(blocks) == 1


async def test_the_same_id_twice_is_one_turn(tabs, talk, chat, ada):
    tab, id = await tabs(ada, chat), str(uuid.uuid4())
    await tab.send(action="send", id=id, body="And now?")
    await tab.until(FINISHED)
    await tab.send(action="send", id=id, body="And now?")
    await tab.send(action="nonsense")
    assert "be read" in await tab.until("composer-error")
    assert await chat.messages.acount() == 4


@pytest.mark.parametrize("frame", ["", "{", "null", '{"action": ["send"]}', "[" * 5000, b"\xff"])
async def test_what_no_page_sends_is_answered_in_a_sentence(tabs, chat, ada, frame):
    tab = await tabs(ada, chat)
    kind = "bytes" if isinstance(frame, bytes) else "text"
    await tab.app.send_input({"type": "websocket.receive", kind: frame})
    assert "be read" in await tab.until("composer-error")


async def test_any_tab_stops_a_reply_and_its_text_stays(tabs, chat, ada):
    with llm.override({"talker": says(*["word "] * 200, pause=0.02)}):
        first, second = await tabs(ada, chat), await tabs(ada, chat)
        await first.send(action="send", body="And now?")
        await second.until("word ")
        await second.send(action="stop")
        assert "You stopped this reply." in await first.until(FINISHED)
    reply = await chat.messages.aget(status="stopped")
    assert reply.body.startswith("word")


async def test_answering_again_makes_other_tabs_load_the_thread_anew(tabs, talk, chat, ada):
    tab = await tabs(ada, chat)
    old = await chat.messages.select_related("chat__user", "parent").aget(role="assistant")
    turn = await sync_to_async(branches.reopen)(message=old)
    await replies.start(turn)
    assert "<article" not in await tab.until("freshness")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"action": "send", "body": "  "}, "Write something first."),
        ({"action": "send", "body": "hi", "id": "no-uuid"}, "be read"),
        ({"action": "send", "body": None, "id": "x"}, "be read"),
        ({"action": "send", "body": None}, "Write something first."),
        ({"action": "send", "body": ["hi"]}, "Write something first."),
        ({"action": "fly"}, "be read"),
        ({}, "be read"),
        ([], "be read"),
        ("words", "be read"),
    ],
)
async def test_what_cannot_be_understood_is_answered_in_a_sentence(
    tabs, chat, ada, asked, sentence
):
    tab = await tabs(ada, chat)
    await tab.app.send_input({"type": "websocket.receive", "text": json.dumps(asked)})
    assert sentence in await tab.until("composer-error")
    assert await chat.messages.acount() == 2


async def test_a_send_while_a_reply_streams_is_refused(tabs, chat, ada):
    await sync_to_async(turns.open_turn)(chat=chat, body="first")
    tab = await tabs(ada, chat)
    await tab.send(action="send", body="second")
    assert "still answering" in await tab.until("composer-error")


async def test_a_new_title_arrives_in_the_head_and_in_the_list(tabs, chat, ada):
    other = await sync_to_async(make_chat)(ada, "And dill?", "Chop it.")
    tab, tab_of_other = await tabs(ada, chat), await tabs(ada, other)
    with llm.override({"title": says("Leeks & co")}):
        await in_database(tasks.title, str(chat.pk))
    frame = await tab.until("chat-title")
    assert frame.count("Leeks &amp; co</") == 2
    assert f'id="item-{chat.pk}"' in frame
    frame = await tab_of_other.until(f'id="item-{chat.pk}"')
    assert frame.count("Leeks &amp; co</") == 1
    assert "chat-title" not in frame


async def test_a_title_is_told_to_nobody_else(tabs, chat, ada, ben):
    own = await sync_to_async(make_chat)(ben, "And dill?", "Chop it.")
    tab = await tabs(ben, own)
    for user, named in ((ada, chat), (ben, chat), (ben, own)):
        await tell_of_title(user, named)
    await tab.until(f'id="item-{own.pk}"')
    assert not any(f"item-{chat.pk}" in frame for frame in tab.frames)


@pytest.fixture
def taught(chat, ada):
    """What Ada's second message taught: learned in the background."""
    said = chat.add_message(Message.Role.USER, "I live in Graz.")
    chat.add_message(Message.Role.ASSISTANT, "A good place.")
    operation = proposal("city", "Graz", "I live in Graz")
    ledger.apply(user=ada, operations=[operation], messages=[said], model="test")
    return said


async def test_what_was_learned_arrives_under_the_reply_and_as_a_notice(tabs, taught, chat, ada):
    tab = await tabs(ada, chat)
    await tell(chat, "learned", taught.pk)
    frame = await tab.until("receipt__learned")
    assert 'class="notice"' in frame
    assert '<span class="now">Graz</span>' in frame


async def test_a_person_who_wants_no_notice_gets_only_the_line(tabs, taught, chat, ada):
    ada.notify_learned = False
    await ada.asave()
    tab = await tabs(ada, chat)
    await tell(chat, "learned", taught.pk)
    assert 'class="notice"' not in await tab.until("receipt__learned")


@sync_to_async
def learn_of(chat, *turns_, operations=()):
    """The replies of these turns, which the extractor has read together."""
    replies_ = []
    for body in turns_:
        chat.add_message(Message.Role.USER, body)
        replies_.append(chat.add_message(Message.Role.ASSISTANT, "I see."))
    with llm.override({"extractor": learns(*operations)}):
        tasks.extract(str(chat.pk))
    return replies_


async def test_of_turns_read_together_each_shows_what_it_taught(tabs, chat, ada):
    tab = await tabs(ada, chat)
    operations = operation("city", "Graz", "I live in Graz"), operation("pet", "a cat", "a cat")
    said = "I live in Graz.", "I have a cat.", "Hm."
    first, second, _ = await learn_of(chat, *said, operations=operations)
    for reply, value in (first, "Graz"), (second, "a cat"):
        frame = await tab.until(f'id="receipt-{reply.pk}"')
        assert f'<span class="now">{value}</span>' in frame
        assert 'class="notice"' in frame


async def test_what_is_taken_back_is_taken_off_the_page(tabs, taught, chat, ada):
    tab = await tabs(ada, chat)
    await learn_of(chat, "That was just an example.")
    assert "receipt__learned" not in await tab.until("Taken back what was learned")


async def test_a_summary_that_was_written_again_takes_its_place(tabs, chat, ada):
    summary = await chat.messages.acreate(user=ada, role="summary", body="They *greeted*.")
    tab = await tabs(ada, chat)
    await tell(chat, "rewritten", summary.pk)
    frame = await tab.until("<em>greeted</em>")
    assert f'id="message-{summary.pk}" hx-swap-oob="patch"' in frame.replace("\n", " ")


async def test_a_condensed_history_makes_the_page_load_its_thread_again(tabs, chat, ada):
    tab = await tabs(ada, chat)
    await chat.messages.acreate(user=ada, role="summary", body="They greeted.")
    await tell(chat, "condensed")
    assert "freshness" in await tab.until("freshness")


async def test_times_are_told_in_the_persons_zone(tabs, talk, chat, ada):
    ada.timezone = "Asia/Kolkata"
    await ada.asave()
    tab = await tabs(ada, chat)
    await tab.send(action="send", body="And now?")
    await tab.until(FINISHED)
    assert "+05:30" in tab.frames[-1]


async def test_a_page_begins_anew_when_the_bus_was_away(tabs, chat, ada):
    tab = await tabs(ada, chat)
    await cut_connections()
    assert "freshness" in await tab.until("freshness")


async def test_an_end_that_was_never_told_is_seen_all_the_same(tabs, chat, ada, monkeypatch):
    monkeypatch.setattr(followers, "LOOK_SECONDS", 0.2)
    turn = await sync_to_async(turns.open_turn)(chat=chat, body="And now?")
    tab = await tabs(ada, chat)
    await asyncio.sleep(0.1)
    turn.reply.body = "All of it"
    await sync_to_async(turn.reply.finish)("complete")
    assert "All of it" in await tab.until(FINISHED)


async def test_a_tab_is_told_when_its_chat_is_deleted_and_let_go(tabs, chat, ada):
    tab = await tabs(ada, chat)
    await chat.adelete()
    frame = await tab.until("This chat was deleted")
    assert FINISHED in frame
    assert await tab.closed() == GONE


async def test_what_is_sent_to_a_chat_that_is_gone_is_answered_so(tabs, chat, ada):
    tab = Tab(ada, chat.pk)
    await tab.connect()
    await chat.adelete()
    await tab.send(action="send", body="Still there?")
    assert "This chat was deleted" in await tab.until("gone")
    assert await tab.closed() == GONE
