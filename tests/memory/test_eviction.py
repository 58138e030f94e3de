import pytest

from memoryapp.memory import eviction
from memoryapp.models import Message
from tests.factories import make_chat


@pytest.fixture
def five_and_two(settings):
    settings.SUMMARY_TRIGGER_MESSAGES = 5
    settings.SUMMARY_KEEP_MESSAGES = 2


def bodies(chat):
    return list(chat.history.values_list("body", flat=True))


def test_nothing_is_due_at_the_trigger(ada, five_and_two):
    assert eviction.due(make_chat(ada, *"abcde")) == []


def test_above_the_trigger_all_but_the_newest_are_condensed(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    covered = eviction.due(chat)
    summary = eviction.evict(chat, covered, "a to d")
    assert bodies(chat) == ["a to d", "e", "f"]
    assert summary.created_at == covered[-1].created_at
    assert [message.body for message in summary.evicted.order_by("created_at")] == list("abcd")


def test_a_summary_counts_and_is_folded_in_later(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    first = eviction.evict(chat, eviction.due(chat), "a to d")
    chat.add_message(Message.Role.USER, "g")
    assert eviction.due(chat) == []
    for body in "hi":
        chat.add_message(Message.Role.ASSISTANT if body == "h" else Message.Role.USER, body)
    second = eviction.evict(chat, eviction.due(chat), "a to g")
    first.refresh_from_db()
    assert first.evicted_by == second
    assert bodies(chat) == ["a to g", "h", "i"]


def test_evicted_messages_stay_in_the_archive(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    eviction.evict(chat, eviction.due(chat), "a to d")
    assert set(chat.archive.values_list("body", flat=True)) == {*"abcdef", "a to d"}


def test_evicting_the_same_messages_twice_makes_one_summary(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    covered = eviction.due(chat)
    eviction.evict(chat, covered, "a to d")
    assert eviction.evict(chat, covered, "again") is None
    assert chat.archive.filter(role="summary").count() == 1


def test_many_tokens_are_a_reason_too(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS = 100
    settings.SUMMARY_KEEP_MESSAGES = 2
    assert len(eviction.due(make_chat(ada, "word " * 40, "word " * 40, "c", "d"))) == 2


def test_one_long_message_among_the_kept_causes_no_rounds(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS = 100
    settings.SUMMARY_KEEP_MESSAGES = 2
    assert eviction.due(make_chat(ada, "a", "b", "c", "word " * 400)) == []


def test_a_fork_before_a_summary_brings_back_what_it_covered(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    eviction.evict(chat, eviction.due(chat), "a to d")
    chat.fork_at(chat.archive.get(body="b"))
    assert bodies(chat) == ["a", "b"]
