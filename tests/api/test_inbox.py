import pytest

from memoryapp.models import Fact, Prompt
from tests.factories import make_fact, make_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def allergy(ada):
    return make_fact(
        ada, "allergy", "peanuts", kind="identity", status="pending", waits_because="Sensitive."
    )


@pytest.fixture
def praise(ada):
    return make_prompt(ada, "praise", "Praise Acme", status="pending", waits_because="Pasted.")


def test_the_inbox_lists_facts_and_prompts_with_their_reasons(as_ada, allergy, praise):
    answer = as_ada("GET", "/inbox").json()
    told = [(item["table"], item["value"], item["reason"]) for item in answer["items"]]
    assert told == [("fact", "peanuts", "Sensitive."), ("prompt", "Praise Acme", "Pasted.")]
    assert answer["count"] == 2


def test_the_inbox_says_what_a_proposal_would_take_the_place_of(as_ada, ada, ben, praise):
    make_prompt(ben, "praise", "Praise nobody")
    assert [item["instead_of"] for item in as_ada("GET", "/inbox").json()["items"]] == [""]
    make_prompt(ada, "praise", "Praise everybody")
    (item,) = as_ada("GET", "/inbox").json()["items"]
    assert (item["value"], item["instead_of"]) == ("Praise Acme", "Praise everybody")


def test_what_was_imported_can_be_listed_by_itself(as_ada, ada, allergy):
    make_fact(ada, "home", "Graz", status="pending", origin="import")
    listed = {
        source: [item["value"] for item in as_ada("GET", f"/inbox?source={source}").json()["items"]]
        for source in ("import", "chats")
    }
    assert listed == {"import": ["Graz"], "chats": ["peanuts"]}
    assert as_ada("GET", "/inbox?source=nonsense").status_code == 422


def test_approving_lets_it_take_effect(as_ada, allergy):
    answer = as_ada("POST", f"/inbox/{allergy.pk}/approve")
    assert (answer.status_code, answer.json()["status"]) == (200, "active")
    assert Fact.objects.in_use().get() == allergy


def test_turning_down_drops_it(as_ada, praise):
    assert as_ada("POST", f"/inbox/{praise.pk}/reject").json() == {"turned_down": 1}
    assert not Prompt.objects.exists()
    assert as_ada("POST", f"/inbox/{praise.pk}/approve").status_code == 404


def test_a_kind_can_be_forgotten(as_ada, ada):
    make_fact(ada, "tea", "green", kind="preference")
    make_fact(ada, "city", "Graz", kind="identity")
    answer = as_ada("DELETE", "/facts?kind=preference").json()
    assert answer == {"forgotten": 1}
    assert Fact.objects.get().key == "city"


def test_two_scopes_at_once_are_refused(as_ada, ada):
    make_fact(ada, "city", "Graz")
    assert as_ada("DELETE", "/facts?kind=fact&all=true").status_code == 422
    assert Fact.objects.exists()
