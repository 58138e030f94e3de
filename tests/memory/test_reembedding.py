from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryapp.memory import embeddings, reembedding, resources
from memoryapp.memory.indexing import index_facts, index_messages, take_off_record
from memoryapp.memory.recall import search
from memoryapp.models import Fact, FactSpare, Message, MessagePart, MessageSpare, Passage
from tests.factories import make_chat, make_fact
from tests.memory.conftest import HOSTED

pytestmark = pytest.mark.django_db
TABLES = (Fact, Message, MessagePart, Passage)


@pytest.fixture
def stored(ada, provider, settings):
    """One row of each kind with its vector, by MiniLM."""
    settings.EMBEDDING_MODEL = "minilm"
    make_fact(ada, "bird", "a heron")
    make_chat(ada, "Tell me about the valley.", "The mill closes at noon. " * 100)
    resources.read(resources.add(user=ada, name="Guide", body="Herons nest in reeds."))
    index_facts(Fact.objects.all())
    index_messages(Message.objects.all())
    return provider


def reembed(*arguments):
    told = StringIO()
    call_command("reembed", *arguments, stdout=told)
    return told.getvalue()


def stamps():
    return {table.__name__: set(table.objects.values_list("embedding_model", flat=True))
            for table in TABLES}  # fmt: skip


def all_by(model):
    return {table.__name__: {model} for table in TABLES}


def test_reembed_gives_everything_the_new_vectors_and_tells_how_far_it_is(stored, ada):
    told = reembed(HOSTED)
    assert stamps() == all_by(HOSTED)
    assert embeddings.model_name() == HOSTED
    assert len(Fact.objects.get().embedding) == 3
    num_rows = sum(table.objects.count() for table in TABLES)
    assert f"{num_rows} of {num_rows} embedded" in told
    assert search(ada, "heron")[0].cosine is not None


def test_rollback_brings_the_old_vectors_back_without_asking_any_model(stored, ada):
    before = Fact.objects.get().embedding
    reembed(HOSTED)
    asked = len(stored.requests)
    reembed("--rollback")
    assert (stamps(), embeddings.model_name()) == (all_by("minilm"), "minilm")
    assert Fact.objects.get().embedding == before
    assert len(stored.requests) == asked
    assert search(ada, "Which animal do I like?")[0].cosine is not None


def test_forth_and_back_and_forth_again_keeps_both(stored):
    reembed(HOSTED)
    reembed("--rollback")
    asked = len(stored.requests)
    reembed(HOSTED)
    assert stamps() == all_by(HOSTED)
    assert len(stored.requests) == asked + 1  # whether the model answers at all


def test_the_old_vectors_stay_in_use_until_all_new_ones_are_there(stored, ada):
    reembedding.prepare(HOSTED, lambda done, total: None)
    assert stamps() == all_by("minilm")
    assert search(ada, "heron")[0].cosine is not None


def test_an_interrupted_run_is_taken_up_where_it_was(stored):
    class Interrupted(Exception):
        pass

    def stop(done, total):
        raise Interrupted

    with pytest.raises(Interrupted):
        reembedding.prepare(HOSTED, stop)
    embedded = FactSpare.objects.count()
    seen = len(stored.requests)
    reembed(HOSTED)
    texts = [text for _, _, body in stored.requests[seen:] for text in body["input"]]
    assert embedded == 1
    assert "bird: a heron" not in texts
    assert stamps() == all_by(HOSTED)


def test_a_model_that_gives_up_leaves_everything_as_it_was(stored):
    stored.status = 401
    with pytest.raises(CommandError, match="minilm stays in use"):
        reembed(HOSTED)
    assert (stamps(), embeddings.model_name()) == (all_by("minilm"), "minilm")


def test_what_is_written_after_the_switch_has_the_new_vectors(stored, ada):
    reembed(HOSTED)
    make_fact(ada, "fish", "a trout")
    index_facts(Fact.objects.all())
    assert stamps()["Fact"] == {HOSTED}


def test_what_was_changed_meanwhile_is_not_given_the_vector_of_its_old_text(stored):
    reembedding.prepare(HOSTED, lambda done, total: None)
    Fact.objects.update(value="a stork")
    reembedding.switch(HOSTED)
    assert Fact.objects.get().embedding is None
    index_facts(Fact.objects.all())
    assert stamps()["Fact"] == {HOSTED}


def test_a_forgotten_row_takes_its_spare_vector_along(stored):
    reembed(HOSTED)
    assert FactSpare.objects.exists()
    Fact.objects.all().delete()
    assert not FactSpare.objects.exists()


def test_what_is_taken_off_the_record_takes_its_spare_vector_along(stored):
    reembed(HOSTED)
    question = Message.objects.get(role="user")
    take_off_record(question)
    assert not MessageSpare.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "Name a model"),
        (["minilm", "--rollback"], "Name a model"),
        (["--rollback"], "no other model"),
        (["minilm"], "in use already"),
        (["nowhere:model"], "nowhere:model"),
    ],
)
def test_reembed_says_what_is_wrong(arguments, reason):
    with pytest.raises(CommandError, match=reason):
        reembed(*arguments)
