from itertools import count
from types import SimpleNamespace

import pytest
from django.db.models import QuerySet

from memoryapp.memory import embeddings, indexing, resources
from memoryapp.memory.embeddings import EmbeddingUnavailable
from memoryapp.memory.indexing import index_facts, index_messages, index_missing, stretches
from memoryapp.memory.recall import recall, search
from memoryapp.models import Fact, Message, MessagePart, Passage
from tests.factories import make_chat, make_fact

WEATHER = "The weather was mild and nothing else happened on that day. " * 40
SECRET = "The heron nests behind the old paper mill."
LONG = f"{WEATHER}\n\n{SECRET}\n\n{WEATHER}"


@pytest.fixture
def long_reply(ada):
    chat = make_chat(ada, "Tell me about the valley.", LONG)
    index_messages(chat.messages.all())
    return chat.messages.get(role=Message.Role.ASSISTANT)


def test_a_long_message_gets_parts_that_are_it_and_a_short_one_none(long_reply):
    parts = long_reply.parts.order_by("position")
    texts = [LONG[part.start : part.end] for part in parts]
    assert "".join("".join(texts).split()) == "".join(LONG.split())
    assert all(part.embedding_model == "minilm" for part in parts)
    assert set(MessagePart.objects.values_list("message", flat=True)) == {long_reply.pk}


def test_what_a_long_message_says_in_its_middle_is_found_and_shown(ada, long_reply):
    (best, *_) = search(ada, "Where does the heron nest?", kind="turn")
    assert best.id == str(long_reply.pk)
    assert SECRET in best.text
    assert len(best.text) < 900


def test_a_long_message_is_found_once(ada, long_reply):
    found = search(ada, "How was the weather on that day?", kind="turn")
    assert len({memory.id for memory in found}) == len(found)


def test_parts_are_left_out_with_their_message(ada, chat, long_reply):
    question = "Where does the heron nest?"
    assert any(SECRET in turn.text for turn in recall(ada, chat, question).turns)
    Message.objects.filter(pk=long_reply.pk).update(is_recallable=False)
    assert not any(SECRET in turn.text for turn in recall(ada, chat, question).turns)


def test_parts_of_others_are_not_found(ben, long_reply):
    assert search(ben, "Where does the heron nest?", kind="turn") == []


def test_indexing_twice_changes_nothing(long_reply):
    before = list(MessagePart.objects.values_list("pk", flat=True))
    assert index_messages(long_reply.chat.messages.all()) == 0
    assert list(MessagePart.objects.values_list("pk", flat=True)) == before


def test_a_message_of_many_parts_takes_several_turns(ada, monkeypatch):
    chat = make_chat(ada, "Tell me about the valley.", LONG * 3)
    clock = count()
    monkeypatch.setattr(indexing, "BATCH", 4)
    monkeypatch.setattr(indexing, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    rows = MessagePart.objects.filter(message__chat=chat)
    done, num_done = [], 0
    while not num_done:
        num_done = index_messages(chat.messages.all(), seconds=2)
        done.append(rows.exclude(embeddings.lacking()).count())
    assert done[:2] == [8, 16]
    assert done[-1] == rows.count() > 16
    assert num_done == 2


def test_what_could_not_be_embedded_is_found_by_words_and_filled_later(ada, settings):
    chat = make_chat(ada, "Tell me about the valley.", LONG)
    fact = make_fact(ada, "bird", "a heron")
    settings.EMBEDDING_MODEL = "nowhere:model"
    for index, rows in ((index_messages, chat.messages.all()), (index_facts, Fact.objects.all())):
        with pytest.raises(EmbeddingUnavailable):
            index(rows)
    assert search(ada, "heron")[0].id == str(fact.pk)
    assert SECRET in search(ada, "heron", kind="turn")[0].text
    settings.EMBEDDING_MODEL = "minilm"
    index_messages(chat.messages.all())
    assert index_facts(Fact.objects.all()) == 1
    lacking = embeddings.lacking()
    assert not MessagePart.objects.filter(lacking).exists()
    assert not Message.objects.filter(lacking).exists()


def test_the_whole_of_a_body_stands_in_its_stretches():
    body = "First.\n\n" + "word " * 2000 + "\n\n# Heading\n\nLast."
    found = list(stretches(body))
    assert all(body[each.start : each.end] == each.text for each in found)
    assert "".join("".join(each.text for each in found).split()) == "".join(body.split())


def test_whatever_lacks_a_vector_gets_one(ada, settings):
    settings.EMBEDDING_MODEL = "nowhere:model"
    resource = resources.add(user=ada, name="Guide", body="The mill closes at noon.")
    with pytest.raises(EmbeddingUnavailable):
        resources.read(resource)
    settings.EMBEDDING_MODEL = "minilm"
    make_chat(ada, "Tell me about the valley.", LONG, " \n ")
    make_fact(ada, "bird", "a heron")
    assert index_missing(seconds=60) is True
    for table in (Fact, MessagePart, Passage, Message.objects.exclude(body=" \n ")):
        rows = table if isinstance(table, QuerySet) else table.objects.all()
        assert rows.exists()
        assert not rows.filter(embeddings.lacking()).exists()
    resource.refresh_from_db()
    assert (resource.status, resource.error) == ("ready", "")


def test_out_of_time_something_is_left(ada):
    make_fact(ada, "bird", "a heron")
    assert index_missing(seconds=-1) is False


def test_a_changed_text_loses_its_vector_and_its_parts(ada, long_reply):
    fact = make_fact(ada, "bird", "a heron")
    index_facts(Fact.objects.all())
    Fact.objects.filter(pk=fact.pk).update(is_pinned=True)
    assert not Fact.objects.filter(embeddings.lacking()).exists()
    Fact.objects.filter(pk=fact.pk).update(value="a stork")
    Message.objects.filter(pk=long_reply.pk).update(body="Never mind.")
    assert Fact.objects.get(pk=fact.pk).embedding_model == ""
    assert Message.objects.get(pk=long_reply.pk).embedding_model == ""
    assert not MessagePart.objects.exists()
    index_missing(seconds=60)
    assert not Fact.objects.filter(embeddings.lacking()).exists()


def test_what_may_not_be_recalled_any_more_keeps_neither_vector_nor_parts(long_reply):
    Message.objects.filter(pk=long_reply.pk).update(is_recallable=False)
    assert Message.objects.get(pk=long_reply.pk).embedding is None
    assert not MessagePart.objects.exists()
