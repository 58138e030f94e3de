from datetime import datetime

import pytest

from memoryapp.memory import embeddings, ledger
from memoryapp.models import Fact
from tests.api.callers import told
from tests.factories import make_chat, make_fact

pytestmark = pytest.mark.django_db


@pytest.fixture
def known(ada):
    tools = make_fact(ada, "deployment", "We deploy with Terraform", kind="project")
    make_fact(ada, "pet", "A cat called Minka")
    embeddings.fill(Fact.objects.all(), lambda fact: fact.text)
    return tools


def test_recall_gives_the_best_first_with_its_scores(known, as_ada):
    found = told(as_ada("GET", "/recall?q=How do we deploy with Terraform?"), 200)
    best = found[0]
    assert best == {
        "id": str(known.pk),
        "kind": "project",
        "text": "deployment: We deploy with Terraform",
        "score": best["score"],
        "cosine": best["cosine"],
        "words": best["words"],
        "source_message_id": None,
        "chat_id": None,
        "said_at": None,
        "said_by": "",
        "since": "",
        "ended": "",
    }
    assert 0 < best["cosine"] <= 1
    scores = [memory["score"] for memory in found]
    assert scores == sorted(scores, reverse=True)


def test_recall_keeps_to_its_limit_kind_and_score(known, as_ada):
    path = "/recall?q=Terraform"
    assert len(told(as_ada("GET", f"{path}&limit=1"), 200)) == 1
    kinds = {memory["kind"] for memory in told(as_ada("GET", f"{path}&kind=project"), 200)}
    assert kinds == {"project"}
    assert told(as_ada("GET", f"{path}&min_score=99"), 200) == []


def test_recall_searches_what_was_said(ada, as_ada):
    message = make_chat(ada, "My cat is called Minka").messages.get()
    (found,) = told(as_ada("GET", "/recall?q=cat Minka&kind=turn"), 200)
    assert (found["id"], found["kind"]) == (str(message.pk), "turn")
    assert (found["chat_id"], found["said_by"]) == (str(message.chat_id), "user")
    assert datetime.fromisoformat(found["said_at"]) == message.created_at.replace(microsecond=0)


def test_recall_says_what_has_changed_since_something_was_said(ada, as_ada):
    said = make_chat(ada, "I live in Berlin").messages.get()
    make_fact(ada, "city", "Berlin", source_message=said)
    ledger.remember(user=ada, table="fact", key="city", value="Vienna", actor="ada", origin="user")
    (found,) = told(as_ada("GET", "/recall?q=Where do I live?&kind=turn"), 200)
    assert (found["since"], found["ended"]) == ("city: Vienna", "")


def test_recall_finds_nothing_of_somebody_else(known, as_ben):
    assert told(as_ben("GET", "/recall?q=Terraform"), 200) == []


@pytest.mark.parametrize(
    "query",
    [
        "",
        "q=",
        "q=%20",
        "q=%00",
        "q=" + "x" * 2001,
        "q=a&limit=0",
        "q=a&limit=201",
        "q=a&kind=rumour",
        "q=a&min_score=nan",
        "q=a&min_score=inf",
        "q=a&min_score=-1",
        "q=a&user=ada",
    ],
)
def test_recall_refuses_bad_input(as_ada, query):
    told(as_ada("GET", f"/recall?{query}"), 422)
