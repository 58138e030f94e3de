from datetime import UTC, datetime

import pytest

from memoryapp.importing import formats
from memoryapp.importing.formats import Unknown
from memoryapp.importing.records import moment
from tests.importing import exports


def spoken(chat):
    return [(each.role, each.body) for each in chat.messages]


@pytest.mark.parametrize(
    ("data", "source"),
    [
        ([exports.CLAUDE], "Claude"),
        ([exports.OPEN_WEBUI], "Open WebUI"),
        ([exports.LIBRECHAT], "LibreChat"),
        ([exports.KHOJ], "Khoj"),
    ],
)
def test_each_program_is_known_by_how_it_writes(data, source):
    chat = formats.read(data[0])
    (question, answer) = chat.messages
    assert (chat.source, chat.title) == (source, "Cities")
    assert question.body.startswith("Where is Graz?")
    assert (question.role, answer.role, answer.body) == ("user", "assistant", "Austria.")
    assert question.said_at.replace(second=0) == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert answer.said_at > question.said_at
    assert chat.branch == [answer.id, question.id]


def test_chatgpt_keeps_both_versions_and_which_one_was_shown():
    chat = formats.read(exports.chatgpt())
    assert spoken(chat) == [
        ("user", "Where is Graz?"),
        ("assistant", "In Austria."),
        ("user", "And Linz?"),
        ("assistant", "Let me look.\n\nThere, too."),
        ("user", "And Bonn?"),
        ("assistant", "In Germany."),
    ]
    shown = {each.id: each.body for each in chat.messages}
    assert [shown[id] for id in chat.branch[::-1]] == [body for _, body in spoken(chat)[:4]]


@pytest.mark.parametrize("end", [None, "nowhere", "found"])
def test_where_the_shown_branch_ends_may_be_unsaid_or_a_message_that_stays_outside(end):
    assert formats.read(exports.chatgpt(end=end)).branch


def test_what_is_hidden_or_no_text_stays_outside():
    nodes = [
        exports.node("q", "root", "user", "Hello"),
        exports.node("i", "q", "user", {"content_type": "image_asset_pointer"}),
        exports.node("v", "i", "assistant", {"content_type": "audio_transcription", "text": "Hi"}),
        exports.node(
            "h", "v", "user", "Secret", metadata={"is_visually_hidden_from_conversation": True}
        ),
    ]
    nodes[2]["message"]["content"]["content_type"] = "multimodal_text"
    assert spoken(formats.read(exports.chatgpt(*nodes))) == [("user", "Hello"), ("assistant", "Hi")]


def test_messages_may_lack_whatever_they_lacked_in_some_export():
    nodes = [
        {"id": "q", "parent": "root", "message": {"author": {"role": "user"}, "content": None}},
        {"id": "r", "message": None},
        {"id": "s", "parent": "gone", "message": {"author": {"role": "user"},
         "content": {"content_type": "text", "parts": ["Hello", None]}}},
    ]  # fmt: skip
    (hello,) = formats.read(exports.chatgpt(*nodes, title=None, create_time=None)).messages
    assert (hello.body, hello.parent, hello.said_at) == ("Hello", None, None)


def test_messages_that_follow_each_other_in_a_circle_are_left_out():
    nodes = [
        exports.node("a", "b", "user", "Round"),
        exports.node("b", "a", "assistant", "and round"),
        exports.node("q", "root", "user", "Hello"),
    ]
    assert spoken(formats.read(exports.chatgpt(*nodes))) == [("user", "Hello")]


@pytest.mark.parametrize(
    "record",
    [None, 7, "chat", [], {}, {"mapping": []}, {"mapping": {"a": 3}}, {"messages": [{}]},
     {"chat": "x"}, {"chat_messages": [1]}, {"id": 1, "email": "ada@example.org"},
     {"conversationId": "x", "messages": [{"messageId": "a", "text": "x", "children": 3}]}],
)  # fmt: skip
def test_what_nobody_wrote_is_unknown(record):
    with pytest.raises(Unknown):
        formats.read(record)


@pytest.mark.parametrize(
    ("value", "year"),
    [
        ("2024-05-01T10:00:00Z", 2024),
        ("2024-05-01 10:00:00", 2024),
        (1714557600, 2024),
        (1714557600123, 2024),
        (1714557600123456789, 2024),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("yesterday", None),
        (float("inf"), None),
        (-5e12, None),
        (None, None),
        ({}, None),
    ],
)
def test_times_are_read_as_programs_write_them(value, year):
    at = moment(value)
    assert (at and at.year) == year
