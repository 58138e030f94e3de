import pytest

from memoryapp.memory import recall
from memoryapp.memory.marks import Candidate, candidates, suggested
from memoryapp.memory.recall import floors
from memoryapp.models import Chat, MemoryMark, RecallFloor
from tests.factories import make_fact


@pytest.fixture(autouse=True)
def _no_memory_of_floors():
    floors.calibrated.cache_clear()
    yield
    floors.calibrated.cache_clear()


def marked(score, is_useful):
    return MemoryMark(score=score, is_useful=is_useful)


def test_without_marks_the_floor_is_the_setting(db, settings):
    settings.RECALL_FLOOR = 0.42
    assert floors.floor() == 0.42


def test_a_floor_is_that_of_the_embedding_model_in_use(db, settings):
    RecallFloor.objects.create(embedding_model="another", floor=0.9, num_marks=40)
    assert floors.floor() == settings.RECALL_FLOOR


def test_recall_goes_by_the_floor_that_was_kept(ada):
    make_fact(ada, "garden", "tomatoes in raised beds")
    chat, question = Chat.objects.create(user=ada), "What grows in my garden?"
    assert recall.recall(ada, chat, question).memories
    floors.keep(1.7, num_marks=40)
    assert not recall.recall(ada, chat, question).memories
    floors.keep(0.1, num_marks=50)
    assert recall.recall(ada, chat, question).memories
    assert RecallFloor.objects.get().num_marks == 50


def test_candidates_tell_what_each_floor_would_have_lost_and_let_through():
    marks = [marked(0.5, True), marked(0.32, True), marked(0.4, False), marked(0.22, False)]
    by_floor = {each.floor: each for each in candidates(marks)}
    assert by_floor[0.3] == Candidate(0.3, lost=0, false=0.5)
    assert by_floor[0.45] == Candidate(0.45, lost=0.5, false=0)


def test_the_suggested_floor_lets_the_least_through_of_those_that_lose_hardly_anything():
    of = [
        Candidate(0.1, lost=0, false=0.9),
        Candidate(0.2, lost=0.02, false=0.1),
        Candidate(0.3, lost=0.02, false=0.1),
        Candidate(0.4, lost=0.3, false=0),
    ]
    assert suggested(of).floor == 0.3
    assert suggested(of[3:]).floor == 0.4
