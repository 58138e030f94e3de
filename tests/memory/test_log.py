import pytest
from django.core.exceptions import ValidationError

from memoryapp.memory import ledger, log
from memoryapp.models import Fact, MemoryEvent
from tests.factories import make_fact


@pytest.fixture
def home(ada):
    return ledger.remember(
        user=ada, table="fact", key="city", value="Berlin", actor="ada", origin="user"
    )


def values(user):
    return list(Fact.objects.for_user(user).in_use().values_list("value", flat=True))


def newest():
    return MemoryEvent.objects.first()


def undone(event=None):
    ledger.undo(event=event or newest(), actor="ada")
    return newest()


def shown_as_undoable(user):
    """The actions of the entries that can be undone, newest first."""
    events = list(MemoryEvent.objects.for_user(user))
    ids = log.undoable(user, events)
    return [event.action for event in events if event.pk in ids]


def test_an_undo_is_an_entry_that_can_be_undone_itself(ada, home):
    ledger.edit(row=home, actor="ada", value="Vienna")
    for city in ("Berlin", "Vienna", "Berlin"):
        assert undone().action == "restored"
        assert values(ada) == [city]
        assert shown_as_undoable(ada) == ["restored"]


def test_the_undo_of_an_addition_can_be_undone(ada, home):
    event = undone()
    assert (event.action, event.reason, values(ada)) == ("closed", "Undone.", [])
    assert shown_as_undoable(ada) == ["closed"]
    assert undone().action == "restored"
    assert values(ada) == ["Berlin"]


def test_what_a_person_edits_and_ends_can_be_undone(ada, home):
    now = ledger.edit(row=home, actor="ada", value="Vienna")
    assert shown_as_undoable(ada) == ["changed"]
    ledger.retract(row=now, actor="ada")
    assert shown_as_undoable(ada) == ["closed"]
    undone()
    assert values(ada) == ["Vienna"]


def test_the_end_of_a_value_cannot_be_undone_over_what_came_after(ada, home):
    ledger.retract(row=home, actor="ada")
    ending = newest()
    ledger.remember(user=ada, table="fact", key="city", value="Graz", actor="ada", origin="user")
    assert shown_as_undoable(ada) == ["added"]
    with pytest.raises(ValidationError, match="changed again"):
        ledger.undo(event=ending, actor="ada")
    assert values(ada) == ["Graz"]


def test_a_change_of_name_cannot_be_undone_over_what_has_the_name_now(ada, home):
    ledger.edit(row=home, actor="ada", key="town")
    assert shown_as_undoable(ada) == ["changed"]
    ledger.remember(user=ada, table="fact", key="city", value="Graz", actor="ada", origin="user")
    assert shown_as_undoable(ada) == ["added"]


def test_changes_of_others_are_not_undoable_here(ada, ben, home):
    assert log.undoable(ben, MemoryEvent.objects.all()) == set()


def test_a_failure_is_logged_once_however_often_it_is_tried(ada, chat):
    message = chat.archive.first()
    for reason in ("The model is busy.", "The model is gone."):
        log.note_failure(message=message, actor="extractor", reason=reason)
    assert newest().reason == "The model is gone."
    assert MemoryEvent.objects.count() == 1


def test_what_was_forgotten_leaves_no_entry_to_undo(ada, home):
    make_fact(ada, "name", "Ada")
    event = newest()
    home.delete()
    assert shown_as_undoable(ada) == []
    with pytest.raises(ValidationError, match="forgotten"):
        ledger.undo(event=event, actor="ada")
