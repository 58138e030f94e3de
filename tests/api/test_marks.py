import uuid

import pytest

from memoryapp.models import MemoryMark
from tests.api.callers import told

FACT, NAME, TURN, BEST = (str(uuid.uuid4()) for _ in range(4))


@pytest.fixture
def reply(chat):
    """A reply for which a fact, a name and an old turn were recalled."""
    reply = chat.messages.get(role="assistant")
    reply.receipt = {
        "embedding_model": "minilm",
        "clear": 0.25,
        "memories": [
            {"id": FACT, "kind": "fact", "reason": "meaning", "score": 0.61},
            {"id": NAME, "kind": "identity", "reason": "always", "score": 0.02},
        ],
        "near_misses": [],
        "turns": [
            {"id": BEST, "kind": "turn", "reason": "words", "score": 0.9},
            {"id": TURN, "kind": "turn", "reason": "words", "score": 0.7},
        ],
    }
    reply.save()
    return reply


def path(message):
    return f"/messages/{message.pk}/marks"


def test_a_mark_is_kept_with_the_score_it_judges(reply, as_ada):
    body = {"memory_id": FACT, "is_useful": False}
    assert told(as_ada("POST", path(reply), body), 200) == {"message_id": str(reply.pk), **body}
    mark = MemoryMark.objects.get()
    assert (mark.user, mark.score, mark.embedding_model) == (reply.user, 0.61, "minilm")
    assert not mark.is_turn


def test_a_second_mark_of_a_memory_takes_the_place_of_the_first(reply, as_ada):
    for is_useful in (False, True):
        told(as_ada("POST", path(reply), {"memory_id": TURN, "is_useful": is_useful}), 200)
    mark = MemoryMark.objects.get()
    assert (mark.is_useful, mark.is_turn) == (True, True)


def test_turns_stand_and_fall_with_the_best_of_them(reply, as_ada):
    for turn in (BEST, TURN):
        told(as_ada("POST", path(reply), {"memory_id": turn, "is_useful": True}), 200)
    scores = MemoryMark.objects.values_list("score", flat=True)
    assert list(scores) == pytest.approx([0.65] * 2)


def test_what_is_in_whatever_the_question_tells_nothing_of_scores(reply, as_ada):
    told(as_ada("POST", path(reply), {"memory_id": NAME, "is_useful": False}), 200)
    assert not MemoryMark.objects.telling("minilm").exists()


def test_the_question_stands_for_its_reply(reply, as_ada):
    told(as_ada("POST", path(reply.parent), {"memory_id": FACT, "is_useful": True}), 200)
    assert MemoryMark.objects.get().message == reply


def test_marking_needs_a_key(reply, stranger):
    told(stranger("POST", path(reply), {"memory_id": FACT, "is_useful": True}), 401)


def test_a_reply_of_another_person_cannot_be_marked(reply, as_ben):
    told(as_ben("POST", path(reply), {"memory_id": FACT, "is_useful": True}), 404)
    assert not MemoryMark.objects.exists()


def test_what_is_not_on_the_receipt_cannot_be_marked(reply, as_ada):
    told(as_ada("POST", path(reply), {"memory_id": str(uuid.uuid4()), "is_useful": True}), 404)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"memory_id": FACT},
        {"memory_id": FACT, "is_useful": "yes"},
        {"memory_id": 7, "is_useful": True},
        {"memory_id": FACT, "is_useful": True, "score": 1},
    ],
)
def test_a_bad_mark_is_refused(reply, as_ada, body):
    told(as_ada("POST", path(reply), body), 422)
    assert not MemoryMark.objects.exists()
