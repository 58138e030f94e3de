import re
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from memoryapp.memory.recall import floors
from memoryapp.models import MemoryMark, RecallFloor


@pytest.fixture(autouse=True)
def _no_memory_of_floors():
    floors.calibrated.cache_clear()
    yield
    floors.calibrated.cache_clear()


def mark(chat, number, score, is_useful, embedding_model="minilm"):
    MemoryMark.objects.bulk_create(
        MemoryMark(
            user=chat.user,
            message=chat.messages.get(role="assistant"),
            memory_id=uuid4(),
            is_turn=False,
            is_useful=is_useful,
            score=score,
            embedding_model=embedding_model,
        )
        for _ in range(number)
    )


def printed(*options):
    call_command("calibrate", *options, stdout=(out := StringIO()))
    return out.getvalue()


def test_calibrate_suggests_a_floor_and_changes_nothing(chat):
    mark(chat, 20, 0.62, is_useful=True)
    mark(chat, 20, 0.41, is_useful=False)
    text = printed()
    assert re.search(r"\| 0.60 +\| 0.0% +\| 0.0% +\| suggested", text)
    assert re.search(r"\| 0.40 +\| 0.0% +\| 100.0% +\| +\|", text)
    assert "Suggested: 0.60" in text
    assert not RecallFloor.objects.exists()


def test_calibrate_applies_the_floor_it_suggests(chat):
    mark(chat, 20, 0.62, is_useful=True)
    mark(chat, 20, 0.41, is_useful=False)
    assert "The floor is 0.60 from now on." in printed("--apply")
    stored = RecallFloor.objects.get()
    assert (stored.embedding_model, stored.floor, stored.num_marks) == ("minilm", 0.6, 40)
    assert floors.floor() == 0.6


@pytest.mark.parametrize(("useful", "useless"), [(10, 19), (40, 0), (0, 40)])
def test_too_few_marks_of_one_kind_change_nothing(chat, useful, useless):
    mark(chat, useful, 0.62, is_useful=True)
    mark(chat, useless, 0.41, is_useful=False)
    assert "too little to go by" in printed("--apply")
    assert not RecallFloor.objects.exists()


def test_marks_of_another_embedding_model_do_not_count(chat):
    mark(chat, 40, 0.62, is_useful=True, embedding_model="another")
    mark(chat, 40, 0.41, is_useful=False, embedding_model="another")
    assert "0 marks" in printed("--apply")
