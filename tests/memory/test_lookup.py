from datetime import timedelta

import pytest
from django.utils import timezone

from memoryapp.memory import embeddings
from memoryapp.memory.recall.lookup import facts_of, turns_of, understood
from memoryapp.memory.recall.scan import scan
from memoryapp.models import Fact, MessagePart
from tests.factories import make_fact
from tests.memory.findable import earlier_chat


@pytest.fixture
def ids_of(ada):
    embeddings.prepare()

    def ids_of(source):
        return set(scan(source, question=understood(ada, "What?")).found["id"].tolist())

    return ids_of


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"status": "paused"},
        {"status": "pending"},
        {"expires_at": timezone.now() - timedelta(days=1)},
        {"expires_at": timezone.now() + timedelta(days=1)},
        {"valid_to": timezone.now() + timedelta(days=1)},
    ],
)
def test_a_pass_looks_at_the_facts_that_are_in_use(ada, ids_of, fields):
    fact = make_fact(ada, "city", "Graz")
    Fact.objects.filter(pk=fact.pk).update(**fields)
    in_use = Fact.objects.for_user(ada).in_use()
    assert ids_of(facts_of(ada)) == {each.pk.bytes for each in in_use}


def test_a_pass_looks_at_nothing_of_somebody_else(ada, ben, ids_of):
    make_fact(ben, "city", "Wien")
    earlier_chat(ben, "I live in Wien.", "Where do I live? " * 500)
    own = make_fact(ada, "city", "Graz")
    chat = earlier_chat(ada, "I live in Graz.", "Where do I live? " * 500)
    assert MessagePart.objects.for_user(ada).exists()
    assert ids_of(facts_of(ada)) == {own.pk.bytes}
    assert ids_of(turns_of(ada)) == {message.pk.bytes for message in chat.archive}


def test_of_a_long_question_the_beginning_counts(ada):
    asked = understood(ada, f"What did I say on 2024-05-17? {'I like tea. ' * 1000} And in 2021?")
    assert len(asked.text) == embeddings.MAX_CHARS
    assert len(asked.spans) == 1
