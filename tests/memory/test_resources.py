from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.memory import resources
from memoryapp.memory.embeddings import EmbeddingUnavailable, fill
from memoryapp.memory.passages import split
from memoryapp.memory.recall import floors
from memoryapp.models import Passage, Resource

HANDBOOK = """# Handbook

## Holidays

Everyone has 28 days of holiday a year. Ask your lead two weeks ahead.

## Expenses

Receipts go to the office by the fifth of the month, and the money comes with the salary.
"""
LONG = "\n\n".join(f"## Part {n}\n\n" + "The pump is checked each spring. " * 25 for n in range(40))


@pytest.fixture
def make_resource(monkeypatch):
    """A resource that was read."""

    def make(user, name="Handbook", body=HANDBOOK, **fields):
        resource = resources.add(user=user, name=name, body=body, **fields)
        resources.read(resource)
        resource.refresh_from_db()
        return resource

    return make


def test_add_saves_a_resource_that_is_still_to_be_read(ada):
    resource = resources.add(user=ada, name="  Handbook ", body=HANDBOOK)
    resource.refresh_from_db()
    assert (resource.user, resource.name, resource.body) == (ada, "Handbook", HANDBOOK)


def test_add_takes_a_files_bytes_and_drops_the_byte_order_mark(ada):
    resource = resources.add(user=ada, name="Notes", body="\ufeffGrüße".encode())
    assert resource.body == "Grüße"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "x" * 201}, "name is too long"),
        ({"body": " \n"}, "no text in it"),
        ({"body": "a\0b"}, "can't be read"),
        ({"body": b"\x89PNG\xff"}, "can't be read"),
        ({"body": "\ud800"}, "can't be read"),
        ({"body": "ü" * 60}, "100 bytes are the most"),
        ({"is_shared": True}, "Only an administrator"),
    ],
)
def test_add_refuses_what_cannot_be_read_and_saves_nothing(ada, settings, fields, sentence):
    settings.RESOURCE_MAX_BYTES = 100
    with pytest.raises(ValidationError, match=sentence):
        resources.add(**{"user": ada, "name": "Notes", "body": "Some text", **fields})
    assert not Resource.objects.exists()


def test_read_makes_passages_that_can_be_found(ada, make_resource):
    resource = make_resource(ada, body=LONG)
    bodies = list(resource.passages.order_by("position").values_list("body", flat=True))
    assert (resource.status, resource.progress, resource.error) == ("ready", 100, "")
    assert "".join("".join(bodies).split()) == "".join(LONG.split())
    assert not resource.passages.filter(embedding=None).exists()


def test_reading_again_keeps_the_passages_and_embeds_only_what_lacks_a_vector(ada, make_resource):
    resource = make_resource(ada, body=LONG)
    before = list(resource.passages.values_list("pk", flat=True))
    resource.passages.filter(position=3).update(embedding_model="other")
    with CaptureQueriesContext(connection) as queries:
        resources.read(resource)
    assert list(resource.passages.values_list("pk", flat=True)) == before
    assert not resource.passages.exclude(embedding_model="minilm").exists()
    assert sum('UPDATE "memoryapp_passage"' in query["sql"] for query in queries) == 1


def test_what_is_too_long_for_one_turn_is_read_on_in_the_next(ada):
    resource = resources.add(user=ada, name="Pump", body=LONG)
    assert resources.read(resource, seconds=-1) is False
    resource.refresh_from_db()
    assert (resource.status, resource.progress) == ("reading", 0)
    half = resource.passages.count() // 2
    begun = resource.passages.filter(position__lt=half)
    fill(begun, lambda passage: passage.body)
    assert resources.read(resource, seconds=-1) is False
    resource.refresh_from_db()
    assert 0 < resource.progress < 100
    assert resources.read(resource, seconds=60) is True
    resource.refresh_from_db()
    assert (resource.status, resource.progress) == ("ready", 100)


def test_reading_a_changed_body_replaces_its_passages(ada, make_resource):
    resource = make_resource(ada)
    Resource.objects.filter(pk=resource.pk).update(body="Now about boats.")
    resources.read(resource)
    assert [passage.body for passage in resource.passages.all()] == ["Now about boats."]


@pytest.mark.django_db(transaction=True)
def test_reading_twice_at_once_ends_with_each_passage_once(ada):
    resource = resources.add(user=ada, name="Pump", body=LONG)

    def read(_):
        try:
            resources.read(Resource.objects.get(pk=resource.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(read, range(2)))
    resource.refresh_from_db()
    assert resource.status == "ready"
    assert [p.body for p in resource.passages.all()] == split(LONG)
    assert not resource.passages.filter(embedding=None).exists()


def test_reading_says_on_the_row_why_it_failed_and_heals_when_run_again(ada, settings):
    resource = resources.add(user=ada, name="Handbook", body=HANDBOOK)
    settings.EMBEDDING_MODEL = "nowhere:model"
    with pytest.raises(EmbeddingUnavailable):
        resources.read(resource)
    resource.refresh_from_db()
    assert resource.status == "failed"
    assert "Check EMBEDDING_MODEL" in resource.error
    assert resources.search(ada, "Everyone has 28 days of holiday")

    settings.EMBEDDING_MODEL = "minilm"
    resources.read(resource)
    resource.refresh_from_db()
    assert (resource.status, resource.error) == ("ready", "")


def test_a_resource_without_text_fails_with_a_sentence(ada):
    resource = Resource.objects.create(user=ada, name="Blank", body=" \n ")
    resources.read(resource)
    resource.refresh_from_db()
    assert (resource.status, resource.error) == ("failed", "There is no text in it.")


def test_search_finds_a_passage_by_meaning_with_where_it_stands(ada, make_resource):
    resource = make_resource(ada, body=f"{LONG}\n\n{HANDBOOK}")
    found = resources.search(ada, "How much vacation do I get per year?")[0]
    passage = Passage.objects.get(pk=found.passage_id)
    assert "28 days of holiday" in found.text == passage.body
    assert (found.resource_id, found.resource_name) == (str(resource.pk), "Handbook")
    assert found.position == passage.position
    assert found.score > 0.3


def test_search_gives_the_best_first_and_no_more_than_asked_for(ada, make_resource):
    make_resource(ada, body=LONG)
    found = resources.search(ada, "When is the pump checked?", limit=3)
    assert len(found) == 3
    assert [passage.score for passage in found] == sorted((p.score for p in found), reverse=True)


def test_search_finds_nothing_when_nothing_fits(ada, make_resource):
    make_resource(ada)
    assert resources.search(ada, "Who won the chess championship?") == []
    assert resources.search(ada, "  ") == []


def test_search_leaves_out_what_others_keep_for_themselves(ada, ben, make_resource):
    make_resource(ben, body="Holidays: 28 days a year")
    assert resources.search(ada, "Holidays: 28 days a year") == []


def test_search_finds_what_an_administrator_shares_in_the_language_it_was_read_in(
    ada, ben, make_resource
):
    ben.is_staff, ben.language = True, "de"
    ben.save()
    resource = make_resource(ben, body="Die Häuser am See", is_shared=True)
    resource.passages.update(embedding=None)
    assert [p.text for p in resources.search(ada, "Häuser, See")] == ["Die Häuser am See"]


def test_search_takes_four_queries(ada, make_resource):
    make_resource(ada)
    with CaptureQueriesContext(connection) as queries:
        assert resources.search(ada, "How many holidays?")[0].resource_name == "Handbook"
    # The model in use, one pass over everything, the passages themselves.
    assert len(queries) == 4


def test_search_goes_by_the_floor_that_was_calibrated(ada, make_resource):
    make_resource(ada)
    question = "How much vacation do I get per year?"
    floors.calibrated.cache_clear()
    assert resources.search(ada, question)
    floors.keep(1.7, num_marks=40)
    assert resources.search(ada, question) == []
    floors.calibrated.cache_clear()
