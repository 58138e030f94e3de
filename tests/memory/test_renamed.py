"""A memory that was given another key, or another subject, is one memory still."""

import pytest
from django.core.exceptions import ValidationError

from memoryapp.memory import ledger
from memoryapp.memory.forgetting import forget
from memoryapp.models import Fact, MemoryEvent
from tests.factories import remember


@pytest.fixture(params=[{"key": "town"}, {"subject": "my sister", "value": "Rotterdam West"}])
def renamed(request, ada):
    """What was first known as city: Rotterdam, under its new name."""
    return ledger.edit(row=remember(ada, "city", "Rotterdam"), actor="ada", **request.param)


def test_forgetting_it_forgets_what_it_said_under_its_former_name(ada, renamed):
    forget(rows=Fact.objects.filter(pk=renamed.pk), actor="ada")
    assert not Fact.objects.exists()
    told = MemoryEvent.objects.values_list("key", "before", "after", "quote")
    assert "Rotterdam" not in str(list(told))


def test_forgetting_a_former_version_forgets_it_too(ada, renamed):
    forget(rows=Fact.objects.exclude(valid_to=None), actor="ada")
    assert not Fact.objects.exists()


def test_what_has_taken_its_former_name_since_is_another_memory(ada, renamed):
    delft = remember(ada, "city", "Delft")
    forget(rows=Fact.objects.filter(pk=renamed.pk), actor="ada")
    assert list(Fact.objects.all()) == [delft]


def test_undoing_the_change_of_name_leaves_one_memory(ada, renamed):
    ledger.undo(event=MemoryEvent.objects.get(action="changed"), actor="ada")
    current = Fact.objects.for_user(ada).current()
    assert [(fact.place, fact.value) for fact in current] == [(("", "city"), "Rotterdam")]


def test_it_is_not_undone_over_what_has_taken_the_former_name_since(ada, renamed):
    delft = remember(ada, "city", "Delft")
    with pytest.raises(ValidationError, match="changed again"):
        ledger.undo(event=MemoryEvent.objects.get(action="changed"), actor="ada")
    assert set(Fact.objects.for_user(ada).current()) == {renamed, delft}
