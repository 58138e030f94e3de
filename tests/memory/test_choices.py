"""What a person chose for a memory holds for its next value, wherever that comes from."""

from datetime import timedelta

import pytest

from memoryapp.memory import ledger, review
from memoryapp.models import Fact, MemoryEvent
from tests.factories import make_chat, proposal, remember

CHOSEN = {"local_only": True, "is_pinned": True}


@pytest.fixture
def berlin(ada):
    return remember(ada, "city", "Berlin", **CHOSEN)


def learn(user, body, **fields):
    message = make_chat(user, body).archive.get()
    operation = proposal("city", body.rstrip(".").split()[-1], body.rstrip("."), **fields)
    return ledger.apply(user=user, operations=[operation], messages=[message], model="scripted")


def choices(fact):
    return {name: getattr(fact, name) for name in CHOSEN}


def test_what_is_learned_stays_with_local_models_and_pinned(ada, berlin):
    learn(ada, "I moved to Vienna.")
    vienna = Fact.objects.for_user(ada).current().get()
    assert (vienna.value, choices(vienna)) == ("Vienna", CHOSEN)


def test_so_does_what_a_program_states(ada, berlin):
    assert choices(remember(ada, "city", "Vienna")) == CHOSEN
    assert not remember(ada, "city", "Graz", local_only=False).local_only


def test_so_does_what_was_approved(ada, berlin):
    ada.review = ada.Review.ALWAYS
    learn(ada, "I moved to Vienna.")
    assert choices(ledger.approve(row=Fact.objects.waiting().get(), actor="ada")) == CHOSEN


def test_what_is_restored_stays_with_local_models(ada):
    berlin = remember(ada, "city", "Berlin")
    ledger.edit(row=remember(ada, "city", "Vienna"), actor="ada", local_only=True)
    assert ledger.restore(row=berlin, actor="ada").local_only


def test_its_owner_may_choose_otherwise(ada, berlin):
    edited = ledger.edit(row=berlin, actor="ada", value="Vienna", local_only=False)
    assert not edited.local_only


@pytest.mark.parametrize("body", ["I do live in Berlin.", "I moved to Vienna."])
def test_nothing_that_is_said_ends_a_pause(ada, berlin, body):
    ledger.edit(row=berlin, actor="ada", status="paused")
    learn(ada, body)
    assert not Fact.objects.for_user(ada).in_use().exists()
    assert Fact.objects.for_user(ada).current().get().status == "paused"


def test_what_will_be_so_waits_until_then(ada, berlin):
    later = berlin.valid_from + timedelta(days=60)
    [event] = learn(ada, "I move to Vienna.", valid_from=later)
    assert (event.action, event.reason) == (MemoryEvent.Action.PARKED, review.NOT_YET)
    assert Fact.objects.for_user(ada).in_use().get() == berlin
