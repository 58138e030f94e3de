from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from memoryapp.memory import ledger
from memoryapp.models import Fact, MemoryEvent, Prompt
from tests.factories import make_chat, make_fact, proposal, remember


def learn(user, body, *operations):
    """What the ledger logs when these operations are proposed after the user said `body`."""
    chat = make_chat(user, body, "Noted.")
    return ledger.apply(
        user=user, operations=operations, messages=list(chat.archive), model="scripted"
    )


def values(user, **about):
    return list(
        Fact.objects.for_user(user).in_use().filter(**about).values_list("value", flat=True)
    )


def test_apply_stores_a_fact_with_where_it_came_from(ada):
    [event] = learn(ada, "I live in Graz.", proposal("city", "Graz", "I live in Graz"))
    fact = Fact.objects.get(pk=event.row_id)
    assert (fact.value, fact.quote, fact.origin) == ("Graz", "I live in Graz", "typed")
    assert (fact.actor, fact.model) == ("extractor", "scripted")
    assert fact.source_message.body == "I live in Graz."
    assert fact.valid_from == fact.source_message.created_at


@pytest.mark.parametrize(
    ("body", "operation", "reason"),
    [
        ("I live in Graz.", proposal("city", "Linz", "I live in Linz"), "isn't in what you wrote"),
        ("Do I live in Graz?", proposal("city", "Graz", "I live in Graz"), "question"),
        ("I live in Graz.", proposal("name", "John Doe", "I live in Graz"), "doesn't speak of it"),
        (
            "My password is hunter2.",
            proposal("password", "hunter2", "My password is hunter2"),
            "never stored",
        ),
        ("Home: " + "x" * 3000 + " Graz", proposal("city", "Graz" * 600, "Graz"), "at most 2000"),
    ],
)
def test_apply_refuses_what_nobody_said_and_says_why(ada, body, operation, reason):
    [event] = learn(ada, body, operation)
    assert event.action == MemoryEvent.Action.REFUSED
    assert reason in event.reason
    assert values(ada) == []


def test_a_quote_of_the_assistant_is_no_source(ada):
    chat = make_chat(ada, "Where do I live?", "You live in Graz.")
    operation = proposal("city", "Graz", "You live in Graz")
    ledger.apply(user=ada, operations=[operation], messages=list(chat.archive), model="scripted")
    assert values(ada) == []


def test_a_refused_secret_is_not_kept_in_the_log(ada):
    learn(ada, "My pin is 4711.", proposal("pin", "4711", "My pin is 4711"))
    assert not MemoryEvent.objects.filter(after__contains="4711").exists()
    assert not MemoryEvent.objects.filter(quote__contains="4711").exists()


@pytest.mark.parametrize("table", ["fact", "prompt"])
def test_nobody_can_have_a_secret_kept(ada, table):
    with pytest.raises(ValidationError, match="password manager"):
        remember(ada, "wifi_password", "hunter22", table)
    row = remember(ada, "wifi", "in the attic", table)
    with pytest.raises(ValidationError, match="password manager"):
        ledger.edit(row=row, actor="ada", value="password: hunter22")
    assert [known.value for known in type(row).objects.all()] == ["in the attic"]


def test_the_same_thing_twice_changes_nothing(ada):
    learn(ada, "I live in Graz.", proposal("city", "Graz", "I live in Graz"))
    assert learn(ada, "I live in Graz!", proposal("city", "graz", "I live in Graz")) == []
    assert Fact.objects.count() == 1


def test_the_same_value_under_another_key_changes_nothing(ada):
    learn(ada, "I like dark mode.", proposal("theme", "dark mode", "I like dark mode"))
    learn(ada, "I like dark mode.", proposal("ui_colour", "Dark mode", "I like dark mode"))
    assert values(ada) == ["dark mode"]


def test_a_new_value_closes_the_old_one_and_names_it(ada):
    learn(ada, "I live in Berlin.", proposal("city", "Berlin", "I live in Berlin"))
    old = Fact.objects.get()
    learn(ada, "I moved to Vienna.", proposal("city", "Vienna", "I moved to Vienna"))
    new = Fact.objects.get(valid_to=None)
    old.refresh_from_db()
    assert (new.value, new.replaces, old.valid_to) == ("Vienna", old, new.valid_from)


def test_an_update_keeps_the_key_of_what_it_updates(ada):
    old = make_fact(ada, "city", "Berlin")
    operation = proposal(
        "residence", "Vienna", "I moved to Vienna", action="update", replaces=str(old.pk)
    )
    learn(ada, "I moved to Vienna.", operation)
    assert list(Fact.objects.filter(valid_to=None).values_list("key", "value")) == [
        ("city", "Vienna")
    ]


def test_an_update_cannot_name_another_users_row(ada, ben):
    theirs = make_fact(ben, "city", "Berlin")
    operation = proposal(
        "city", "Vienna", "I moved to Vienna", action="update", replaces=str(theirs.pk)
    )
    learn(ada, "I moved to Vienna.", operation)
    assert (values(ada), values(ben)) == (["Vienna"], ["Berlin"])


def test_a_fact_about_somebody_else_leaves_the_users_own_alone(ada):
    make_fact(ada, "city", "Berlin")
    operation = proposal("city", "Graz", "my sister lives in Graz", subject="my sister")
    learn(ada, "By the way, my sister lives in Graz.", operation)
    assert values(ada, subject="") == ["Berlin"]
    assert values(ada, subject="my sister") == ["Graz"]


def test_what_waits_is_not_closed_but_decided(ada):
    waiting = make_fact(ada, "city", "Graz", status="pending")
    ledger.retract(row=waiting, actor="ada")
    assert list(Fact.objects.waiting()) == [waiting]
    assert not MemoryEvent.objects.exists()


def test_a_retraction_closes_the_row(ada):
    make_fact(ada, "diet", "vegan")
    [event] = learn(
        ada, "I'm no longer vegan.", proposal("diet", "", "no longer vegan", action="retract")
    )
    assert (event.action, event.before) == (MemoryEvent.Action.CLOSED, "vegan")
    assert values(ada) == []


def test_a_wish_for_replies_becomes_a_prompt(ada):
    operation = proposal("style", "short bullet points", "in short bullet points", table="prompt")
    learn(ada, "Please answer in short bullet points from now on", operation)
    assert Prompt.objects.persona_of(ada).get().value == "short bullet points"


def test_remember_writes_what_a_person_states(ada):
    fact = ledger.remember(
        user=ada,
        table="fact",
        key="name",
        value=" Ada ",
        actor="ada",
        origin="user",
        is_pinned=True,
    )
    assert (fact.value, fact.is_pinned) == ("Ada", True)
    assert MemoryEvent.objects.get().action == MemoryEvent.Action.ADDED


def test_remember_the_same_value_again_makes_no_version(ada):
    for _ in range(2):
        ledger.remember(user=ada, table="fact", key="name", value="Ada", actor="ada", origin="api")
    assert Fact.objects.count() == MemoryEvent.objects.count() == 1


@pytest.mark.parametrize(
    ("key", "value"), [("", "x"), ("name", ""), ("n" * 101, "x"), ("name", "a\0b")]
)
def test_remember_refuses_what_cannot_be_stored(ada, key, value):
    with pytest.raises(ValidationError):
        ledger.remember(user=ada, table="fact", key=key, value=value, actor="ada", origin="user")
    assert not Fact.objects.exists()


def test_editing_a_value_makes_a_version_and_keeps_the_flags(ada):
    old = make_fact(ada, "city", "Berlin", is_pinned=True, kind="identity")
    new = ledger.edit(row=old, actor="ada", value="Vienna")
    assert (new.value, new.is_pinned, new.kind, new.replaces) == ("Vienna", True, "identity", old)


def test_editing_a_flag_changes_the_row_in_place(ada):
    fact = make_fact(ada, "city", "Berlin")
    assert ledger.edit(row=fact, actor="ada", status="paused").pk == fact.pk
    assert values(ada) == []


def test_editing_a_superseded_row_is_refused(ada):
    old = make_fact(ada, "city", "Berlin")
    ledger.edit(row=old, actor="ada", value="Vienna")
    with pytest.raises(ValidationError, match="changed meanwhile"):
        ledger.edit(row=old, actor="ada", value="Linz")


def test_a_key_cannot_be_renamed_onto_another(ada):
    make_fact(ada, "city", "Berlin")
    other = make_fact(ada, "town", "Bonn")
    with pytest.raises(ValidationError, match="already something"):
        ledger.edit(row=other, actor="ada", key="city")


def test_restore_makes_a_closed_version_current_again(ada):
    old = make_fact(ada, "city", "Berlin", quote="in Berlin")
    ledger.edit(row=old, actor="ada", value="Vienna")
    restored = ledger.restore(row=old, actor="ada")
    assert (restored.value, restored.quote, values(ada)) == ("Berlin", "in Berlin", ["Berlin"])
    assert Fact.objects.count() == 3


def test_undo_takes_a_learned_fact_back(ada):
    [event] = learn(ada, "I live in Graz.", proposal("city", "Graz", "I live in Graz"))
    ledger.undo(event=event, actor="ada")
    assert values(ada) == []


def test_undo_of_a_change_brings_the_old_value_back(ada):
    make_fact(ada, "city", "Berlin")
    [event] = learn(ada, "I moved to Vienna.", proposal("city", "Vienna", "I moved to Vienna"))
    ledger.undo(event=event, actor="ada")
    assert values(ada) == ["Berlin"]


def test_undo_of_a_retraction_brings_the_value_back(ada):
    make_fact(ada, "diet", "vegan")
    [event] = learn(
        ada, "I'm no longer vegan.", proposal("diet", "", "no longer vegan", action="retract")
    )
    ledger.undo(event=event, actor="ada")
    assert values(ada) == ["vegan"]


def test_undo_after_another_change_is_refused(ada):
    [event] = learn(ada, "I live in Graz.", proposal("city", "Graz", "I live in Graz"))
    ledger.edit(row=Fact.objects.get(), actor="ada", value="Linz")
    with pytest.raises(ValidationError, match="changed again"):
        ledger.undo(event=event, actor="ada")


def test_as_of_tells_what_was_true_then(ada):
    before = timezone.now() - timedelta(days=2)
    old = make_fact(ada, "city", "Berlin", valid_from=timezone.now() - timedelta(days=9))
    Fact.objects.filter(pk=old.pk).update(valid_to=timezone.now() - timedelta(days=1))
    make_fact(ada, "city", "Vienna", valid_from=timezone.now() - timedelta(days=1))
    assert [fact.value for fact in Fact.objects.as_of(before)] == ["Berlin"]


def test_as_of_leaves_out_what_had_expired_then(ada):
    now = timezone.now()
    week = {"valid_from": now - timedelta(days=9), "expires_at": now - timedelta(days=2)}
    make_fact(ada, "holiday", "in Crete", **week)
    assert Fact.objects.as_of(now - timedelta(days=3)).exists()
    assert not Fact.objects.as_of(now - timedelta(days=1)).exists()


def test_an_expired_fact_is_not_in_use(ada):
    make_fact(ada, "visitor", "Ben", expires_at=timezone.now() - timedelta(minutes=1))
    assert values(ada) == []


def test_a_stale_edit_is_told_the_current_value(ada):
    old = make_fact(ada, "city", "Berlin")
    ledger.edit(row=old, actor="ada", value="Vienna")
    with pytest.raises(ValidationError, match="Vienna"):
        ledger.edit(row=old, actor="ada", is_pinned=True)


def test_the_same_operations_of_a_message_act_once(ada):
    chat = make_chat(ada, "I live in Berlin. No: I live in Vienna.", "Noted.")
    operations = [
        proposal("city", "Berlin", "I live in Berlin"),
        proposal("city", "Vienna", "I live in Vienna"),
    ]
    for _ in range(2):
        ledger.apply(user=ada, operations=operations, messages=list(chat.archive), model="scripted")
    assert values(ada) == ["Vienna"]
    assert MemoryEvent.objects.count() == 2


def test_take_back_undoes_all_that_a_message_taught(ada):
    make_fact(ada, "city", "Berlin")
    events = learn(
        ada,
        "I moved to Vienna and got a cat.",
        proposal("city", "Vienna", "I moved to Vienna"),
        proposal("pet", "cat", "got a cat"),
    )
    ledger.take_back(message=events[0].message, actor="ada")
    assert values(ada) == ["Berlin"]
