import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection

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


def test_many_tokens_leave_the_newest_part_of_them_from_a_question_on(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS = 100
    chat = make_chat(ada, *["word " * 8] * 12)  # ten tokens each
    covered = eviction.due(chat)
    kept = list(chat.history)[len(covered) :]
    assert kept[0].role == Message.Role.USER
    assert eviction.tokens(kept) == 40


def test_the_last_turn_is_kept_whatever_its_length(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS = 100
    chat = make_chat(ada, *["word " * 16] * 4, "paste " * 400, "word " * 400)
    assert len(eviction.due(chat)) == 4


def test_a_round_leaves_nothing_that_is_due(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS = 100
    chat = make_chat(ada, *["word " * 16] * 9)
    eviction.evict(chat, eviction.due(chat), "earlier")
    assert eviction.due(chat) == []


def test_a_fork_before_a_summary_brings_back_what_it_covered(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    eviction.evict(chat, eviction.due(chat), "a to d")
    chat.fork_at(chat.archive.get(body="b"))
    assert bodies(chat) == ["a", "b"]


def fold(chat, body):
    """One round, after enough was said, with what its summary was written from."""
    said = chat.messages.spoken().count()
    for number in range(said, said + 6):
        chat.add_message(Message.Role.ASSISTANT if number % 2 else Message.Role.USER, str(number))
    covered = eviction.due(chat)
    sources = [message.body for message in eviction.sources(covered)]
    return eviction.evict(chat, covered, body), sources


def test_a_summary_is_written_from_the_one_before_and_every_fourth_from_the_messages(
    ada, five_and_two
):
    chat = make_chat(ada)
    written_from = [fold(chat, f"summary {number}")[1] for number in range(1, 9)]
    heads = [sources[0] for sources in written_from]
    assert heads == [
        *("0", "summary 1", "summary 2", "0"),
        *("summary 4", "summary 5", "summary 6", "summary 4"),
    ]
    assert written_from[3] == [str(number) for number in range(22)]
    assert written_from[7][1:] == [str(number) for number in range(22, 46)]


def test_what_a_summary_is_written_from_does_not_grow_with_the_chat(ada, five_and_two):
    chat = make_chat(ada)
    sizes = [len(fold(chat, "summary")[1]) for _ in range(12)]
    assert max(sizes[4:]) == sizes[7] == sizes[11]


def test_what_a_summary_covers_can_be_told(ada, five_and_two):
    chat = make_chat(ada)
    first, _ = fold(chat, "first")
    second, _ = fold(chat, "second")
    assert [message.body for message in eviction.covered_by(first)] == list("0123")
    assert [message.body for message in eviction.covered_by(second)] == ["first", *"456789"]


def test_a_summary_can_be_written_again(ada, five_and_two):
    chat = make_chat(ada)
    summary, _ = fold(chat, "first")
    assert eviction.rewrite(summary, eviction.covered_by(summary), "better")
    assert bodies(chat) == ["better", "4", "5"]


def test_a_summary_that_covers_something_else_by_now_is_not_written_again(ada, five_and_two):
    chat = make_chat(ada)
    summary, _ = fold(chat, "first")
    covered = eviction.covered_by(summary)
    Message.objects.filter(pk=covered[0].pk).update(evicted_by=None)
    assert not eviction.rewrite(summary, covered, "better")
    Message.objects.filter(pk=summary.pk).delete()
    assert not eviction.rewrite(summary, [], "better")
    assert not chat.messages.filter(body="better").exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_rounds_at_once_one_makes_the_summary(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    covered = eviction.due(chat)
    start = threading.Barrier(2)

    def run(body):
        start.wait()
        try:
            return eviction.evict(chat, covered, body)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(run, ["one", "two"]))
    (summary,) = [each for each in made if each is not None]
    assert chat.archive.get(role="summary") == summary
    assert summary.evicted.count() == 4


def test_a_crash_between_the_summary_and_the_eviction_leaves_neither(ada, five_and_two):
    chat = make_chat(ada, *"abcdef")
    covered = eviction.due(chat)

    def crash(execute, sql, *arguments):
        if sql.startswith("UPDATE") and "evicted_by_id" in sql:
            raise OperationalError("the server is gone")
        return execute(sql, *arguments)

    with connection.execute_wrapper(crash), pytest.raises(OperationalError):
        eviction.evict(chat, covered, "a to d")
    assert bodies(chat) == list("abcdef")
    assert not chat.archive.filter(role="summary").exists()
    assert eviction.evict(chat, covered, "a to d")


def test_a_reply_is_told_all_of_a_history_as_a_rule(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS, settings.SUMMARY_KEEP_MESSAGES = 100, 2
    chat = make_chat(ada, "word " * 60, "word " * 60, "paste " * 4000, "ok")
    assert eviction.tellable(list(chat.history)) == list(chat.history)


def test_of_a_history_that_nobody_condensed_it_is_told_the_newest_and_the_summary(ada, settings):
    settings.SUMMARY_TRIGGER_TOKENS, settings.SUMMARY_KEEP_MESSAGES = 100, 2
    chat = make_chat(ada, *[f"{number} {'word ' * 80}" for number in range(8)])
    first, *others = chat.history
    Message.objects.filter(pk=first.pk).update(role=Message.Role.SUMMARY)
    told = eviction.tellable(list(chat.history))
    assert told[0] == first
    assert told[1:] == others[-len(told) + 1 :]
    assert sum(message.num_tokens for message in told[1:-2]) in range(100, 201)
