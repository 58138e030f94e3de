from pathlib import Path

import pytest
import yaml

from memoryapp.memory.indexing import index_facts
from memoryapp.memory.recall import search
from memoryapp.models import Fact

CASES = yaml.safe_load((Path(__file__).parent / "preferences.yaml").read_text())


@pytest.fixture
def preferences(ada):
    facts = Fact.objects.bulk_create(
        Fact(
            user=ada,
            key=f"preference_{number}",
            value=preference,
            kind=Fact.Kind.PREFERENCE,
            origin="user",
            actor="ada",
        )
        for number, (preference, _) in enumerate(CASES, 1)
    )
    index_facts(Fact.objects.for_user(ada))
    return facts


def test_of_a_hundred_preferences_most_are_found_by_questions_that_never_name_them(
    ada, preferences
):
    ranks = []
    for fact, (_, question) in zip(preferences, CASES, strict=True):
        found = [memory.id for memory in search(ada, question, kind="preference", limit=10)]
        ranks.append(found.index(str(fact.pk)) if str(fact.pk) in found else 10)
    among_five, among_ten = (sum(rank < depth for rank in ranks) for depth in (5, 10))
    assert (among_five >= 58, among_ten >= 72) == (True, True), (among_five, among_ten)
