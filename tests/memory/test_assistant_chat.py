from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from django.utils import timezone

from memoryapp.memory.indexing import index_messages
from memoryapp.memory.recall import search
from memoryapp.models import Message
from tests.factories import make_chat

CASES = yaml.safe_load((Path(__file__).parent / "assistant_chat.yaml").read_text())


@pytest.fixture
def messages(ada):
    """The messages of each chat; the chats are days apart."""
    kept = []
    for number, turns in enumerate(CASES["chats"]):
        chat = make_chat(ada, *(next(iter(turn.values())) for turn in turns))
        kept.append(list(chat.archive))
        for message in kept[-1]:
            moment = (
                timezone.now()
                - timedelta(days=30 - number)
                + (message.created_at - kept[-1][0].created_at)
            )
            Message.objects.filter(pk=message.pk).update(created_at=moment)
    index_messages(Message.objects.for_user(ada))
    return kept


def test_what_was_said_to_an_assistant_with_long_answers_is_found(ada, messages):
    ranks = {}
    for question, chat, position in CASES["questions"]:
        found = [memory.id for memory in search(ada, question, kind="turn", limit=10)]
        ranks[question] = found.index(str(messages[chat][position].pk)) + 1
    assert {question: rank for question, rank in ranks.items() if rank > 3} == {}
    assert sum(rank == 1 for rank in ranks.values()) >= 12, ranks


def test_of_a_long_answer_the_part_that_answers_is_shown(ada, messages):
    shown = search(ada, "When should winter rye be sown?", kind="turn", limit=1)[0].text
    assert "late September" in shown
    assert "mortar" not in shown
