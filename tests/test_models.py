import threading

import pytest
from django.db import IntegrityError, connection, transaction

from memoryapp.models import ApiKey, Chat, Fact, Message, MessagePart, Passage
from memoryapp.models.memory import said_in_one_line
from tests.factories import make_chat, make_fact
from tests.processes import wait_until


def test_messages_of_a_chat_have_increasing_times(ada):
    times = list(make_chat(ada, *"abcdefgh").archive.values_list("created_at", flat=True))
    assert times == sorted(set(times))


def test_each_message_follows_the_one_before(ada):
    first, second = make_chat(ada, "a", "b").archive
    assert (first.parent, second.parent) == (None, first)


def test_a_fork_makes_siblings_and_keeps_both(ada):
    chat = make_chat(ada, "a", "b", "c", "d")
    chat.fork_at(chat.archive.get(body="b"))
    other = chat.add_message(Message.Role.USER, "c2")
    assert [message.body for message in chat.history] == ["a", "b", "c2"]
    assert [message.body for message in other.siblings] == ["c", "c2"]
    assert chat.archive.count() == 5


def test_a_chat_can_begin_anew(ada):
    chat = make_chat(ada, "a", "b")
    chat.fork_at(None)
    chat.add_message(Message.Role.USER, "a2")
    assert [message.body for message in chat.history] == ["a2"]


def test_the_database_allows_one_streaming_reply_per_chat(ada):
    chat = make_chat(ada, "a")
    chat.add_message(Message.Role.ASSISTANT, "", status="streaming")
    with pytest.raises(IntegrityError, match="one_reply_at_a_time"), transaction.atomic():
        chat.add_message(Message.Role.ASSISTANT, "", status="streaming")


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"role": "system"}, "message_role_known"),
        ({"role": "user", "body": ""}, "message_body_not_empty"),
        ({"role": "user", "status": "streaming"}, "message_only_replies_stream"),
        ({"role": "assistant", "status": "gone"}, "message_status_known"),
    ],
)
def test_the_database_refuses_an_impossible_message(ada, chat, fields, rule):
    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        Message.objects.create(user=ada, chat=chat, **{"body": "x", **fields})


def test_a_key_has_one_current_value(ada):
    make_fact(ada, "city", "Berlin")
    with pytest.raises(IntegrityError, match="fact_one_current_value"), transaction.atomic():
        make_fact(ada, "city", "Vienna")


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("likes_tea", "tea", "likes: tea"),
        ("likes_green_tea", "Green  tea", "likes: Green  tea"),
        ("speaks_german", "Deutsch", "speaks german: Deutsch"),
        ("tea", "tea", "tea: tea"),
        ("overtea", "tea", "overtea: tea"),
        ("city", "", "city: "),
    ],
)
def test_a_memory_doesnt_say_its_value_twice(key, value, line):
    assert said_in_one_line("", key, value) == line


def test_words_are_indexed_in_the_language_of_their_writer(ada):
    make_fact(ada, "pet", "zwei Katzen", config="german")
    assert (
        Fact.objects.filter(tsv="katze").exists()
        or Fact.objects.filter(tsv__icontains="katz").exists()
    )


def test_vectors_are_not_read_with_the_row(ada, django_assert_num_queries):
    make_fact(ada, "city", "Berlin")
    with django_assert_num_queries(1) as queries:
        Fact.objects.get()
    assert 'embedding"' not in queries[0]["sql"]


def test_what_recall_reads_of_a_row_stands_in_the_row(db):
    """Of a long reply PostgreSQL would keep it elsewhere, which doubles the time of a pass."""
    tables = [model._meta.db_table for model in (Fact, Message, MessagePart, Passage)]
    with connection.cursor() as cursor:
        cursor.execute(
            "select attrelid::regclass::text, attname, attstorage from pg_attribute"
            " where attrelid = any(%s::regclass[]) and attname in ('embedding', 'tsv')",
            [tables],
        )
        found = cursor.fetchall()
    assert sorted(found) == sorted((t, name, "m") for t in tables for name in ("embedding", "tsv"))


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("Where is it?", True),
        ("在哪里？", True),
        ("أين هو؟ أخبرني", True),
        ("It is here.", False),
        ("What is a bus? " + "It carries messages. " * 20, False),
        ("It carries messages. " * 20 + "Shall I go on?", True),
    ],
)
def test_a_message_asks_if_it_does_near_its_end(chat, body, asks):
    assert Message.objects.get(pk=chat.add_message("user", body).pk).asks is asks


def test_a_key_is_found_by_its_secret_only(ada):
    key, secret = ApiKey.make(user=ada, name="laptop")
    assert ApiKey.objects.holding(secret).get() == key
    assert not ApiKey.objects.holding(secret[:-1]).exists()
    assert secret not in str(ApiKey.objects.values())


@pytest.mark.parametrize("held", [0, 1])
@pytest.mark.django_db(transaction=True)
def test_a_chat_is_deleted_though_a_task_holds_some_of_its_messages(chat, held):
    """The task has one message and then wants the other, which the deletion may have by then."""
    wanted, had = chat.archive if held else reversed(chat.archive)

    def write():
        with transaction.atomic():
            Message.objects.filter(pk=had.pk).update(is_extracted=True)
            is_written.set()
            wait_until(waiting_for_a_lock, seconds=10)
            Message.objects.filter(pk=wanted.pk).update(is_extracted=True)
        connection.close()

    is_written = threading.Event()
    task = threading.Thread(target=write)
    task.start()
    is_written.wait(10)
    chat.delete()
    task.join(10)
    assert not Chat.objects.exists()
    assert not Message.objects.exists()


def waiting_for_a_lock():
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from pg_stat_activity where wait_event_type = 'Lock'")
        return cursor.fetchone()[0]
