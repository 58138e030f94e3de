"""What becomes of a proposal beside what is known already, through the ledger."""

import pytest

from memoryapp.memory import forgetting, known, ledger
from memoryapp.memory.forgotten import GONE
from memoryapp.models import Fact, MemoryEvent
from tests.factories import make_chat, make_fact, proposal, remember


def learn(user, body, *operations, reply="Noted."):
    chat = make_chat(user, body, reply)
    return ledger.apply(
        user=user, operations=operations, messages=list(chat.archive), model="scripted"
    )


def current(user):
    rows = Fact.objects.for_user(user).in_use().order_by("recorded_at")
    return [(row.key, row.value) for row in rows]


def graz(key, value="Graz"):
    return proposal(key, value, "I live in Graz")


def test_another_name_that_begins_alike_takes_the_place_of_the_first(ada):
    learn(ada, "I'm Hannah.", proposal("name", "Hannah", "I'm Hannah"))
    learn(ada, "It's Hanna.", proposal("name", "Hanna", "It's Hanna"))
    assert current(ada) == [("name", "Hanna")]


def test_the_same_in_other_words_is_stored_once(ada):
    operations = [graz("city"), graz("home", "The user's home is Graz"), graz("note", "GRAZ!")]
    learn(ada, "I live in Graz.", *operations)
    assert current(ada) == [("city", "Graz")]


def test_each_thing_of_a_list_is_a_fact_of_its_own(ada):
    quote = "I like apples, pears and plums"
    fruits = ("apples", "pears", "plums")
    learn(ada, f"{quote}.", *(proposal(f"likes_{fruit}", fruit, quote) for fruit in fruits))
    assert current(ada) == [(f"likes_{fruit}", fruit) for fruit in fruits]


def test_what_the_message_taught_already_is_refused_with_that_reason(ada):
    quote = "I live in Graz and play the accordion"
    [*_, refusal] = learn(
        ada,
        f"{quote}.",
        proposal("city", "Graz", quote),
        proposal("instrument", "accordion", quote),
        proposal("note", "Graz and the accordion", quote),
    )
    assert (refusal.action, refusal.reason) == (MemoryEvent.Action.REFUSED, known.TAUGHT)


def test_the_same_value_is_another_fact_when_something_else_is_said_of_it(ada):
    learn(ada, "I live in Graz.", graz("city"))
    learn(ada, "I was born in Graz.", proposal("birthplace", "Graz", "I was born in Graz"))
    assert current(ada) == [("city", "Graz"), ("birthplace", "Graz")]


def test_a_key_of_the_same_meaning_holds_the_same_one_value(ada):
    learn(ada, "I live in Graz.", graz("city"))
    learn(ada, "I moved to Linz.", proposal("residence", "Linz", "I moved to Linz"))
    assert current(ada) == [("city", "Linz")]


def test_an_update_of_a_row_that_was_not_spoken_of_is_a_fact_of_its_own(ada):
    tea = make_fact(ada, "likes_tea", "tea", kind="preference")
    operation = proposal(
        "likes_coffee", "coffee", "I like coffee", action="update", replaces=str(tea.pk)
    )
    learn(ada, "I like coffee, too.", operation)
    assert current(ada) == [("likes_tea", "tea"), ("likes_coffee", "coffee")]


def test_what_a_message_replaced_does_not_come_back_from_it(ada):
    make_fact(ada, "city", "Berlin")
    quote = "I moved from Berlin to Vienna"
    events = learn(
        ada,
        f"{quote}.",
        proposal("city", "Vienna", quote),
        proposal("city", "Berlin", quote),
        proposal("former_home", "lives in Berlin", quote),
    )
    assert current(ada) == [("city", "Vienna")]
    assert [event.reason for event in events[1:]] == [known.GOES_BACK] * 2


def test_what_was_said_before_leaves_what_was_said_later_alone(ada):
    chat = make_chat(ada, "I drive a Volvo.", "Nice.", "I drive a Saab.", "Nice.")
    operations = [
        proposal("car", "Saab", "I drive a Saab"),
        proposal("car", "Volvo", "I drive a Volvo"),
    ]
    *_, refusal = ledger.apply(
        user=ada, operations=operations, messages=list(chat.archive), model="scripted"
    )
    assert (current(ada), refusal.reason) == ([("car", "Saab")], known.OLDER)


def test_what_was_written_by_hand_since_leaves_what_was_said_alone(ada):
    chat = make_chat(ada, "I live in Graz.", "Noted.")
    remember(ada, "city", "Linz")
    ledger.apply(user=ada, operations=[graz("city")], messages=list(chat.archive), model="scripted")
    assert current(ada) == [("city", "Linz")]


def test_what_a_message_taught_and_was_undone_is_not_taught_by_it_again(ada):
    chat = make_chat(ada, "I live in Graz.", "Noted.")
    messages = list(chat.archive)
    [event] = ledger.apply(user=ada, operations=[graz("city")], messages=messages, model="scripted")
    ledger.undo(event=event, actor="ada")
    ledger.apply(user=ada, operations=[graz("hometown")], messages=messages, model="scripted")
    assert current(ada) == []


@pytest.mark.parametrize(
    ("body", "quote", "reason"),
    [
        ("I like tea.", "I like tea", known.NO_END),
        ("I live in Graz!", "I live in Graz", known.NO_END),
        ("I no longer eat meat.", "I no longer eat meat", known.NOT_OF_IT),
    ],
)
def test_a_retraction_needs_words_that_end_it(ada, body, quote, reason):
    city = make_fact(ada, "city", "Graz", quote="I live in Graz")
    operation = proposal("city", "", quote, action="retract", replaces=str(city.pk))
    [event] = learn(ada, body, operation)
    assert (current(ada), event.reason) == ([("city", "Graz")], reason)


def test_a_retraction_in_other_words_is_of_what_is_nearest(ada):
    make_fact(ada, "city", "Graz")
    job = make_fact(ada, "employer", "Siemens")
    operation = proposal("employer", "", "I quit my job", action="retract", replaces=str(job.pk))
    learn(ada, "I quit my job.", operation)
    assert current(ada) == [("city", "Graz")]


def test_a_message_does_not_take_back_what_it_taught(ada):
    quote = "I no longer live in Linz but in Graz"
    city = make_fact(ada, "city", "Linz", quote="I live in Linz")
    [_, refusal] = learn(
        ada,
        f"{quote}.",
        proposal("city", "Graz", quote),
        proposal("city", "", quote, action="retract"),
    )
    city.refresh_from_db()
    assert (current(ada), refusal.reason) == ([("city", "Graz")], known.GOES_BACK)
    assert city.valid_to is not None


def test_a_value_that_cannot_be_stored_closes_nothing(ada):
    make_fact(ada, "city", "Graz")
    learn(ada, "Linz " * 500, proposal("city", "Linz " * 500, "Linz " * 500))
    assert current(ada) == [("city", "Graz")]


def test_characters_that_cannot_be_stored_are_refused_and_cleaned_from_the_log(ada):
    [event] = learn(ada, "I live in Graz.", graz("city", "Graz\0\ud800"))
    assert (event.action, event.after) == (MemoryEvent.Action.REFUSED, "Graz?")


def test_what_the_assistant_said_is_no_fact_about_the_person(ada):
    operation = proposal("told", "Graz is lovely in spring", "I live in Graz, it's lovely there")
    body = "I live in Graz, it's lovely there in spring."
    [event] = learn(ada, body, operation, reply="Graz is lovely in spring.")
    assert event.action == MemoryEvent.Action.REFUSED


def test_of_what_was_forgotten_the_log_keeps_nothing(ada):
    make_fact(ada, "boat", "houseboat called Moonquake")
    forgetting.forget(rows=Fact.objects.for_user(ada), actor="ada")
    [event] = learn(ada, "Hello there.", proposal("x", "Moonquake houseboat called", "Moonquake"))
    assert (event.key, event.after, event.quote) == (GONE, "", "")


def test_a_forgotten_value_waits_in_other_words_too(ada):
    make_fact(ada, "drink", "coffee with oat milk")
    forgetting.forget(rows=Fact.objects.for_user(ada), actor="ada")
    quote = "I still take oat milk with my coffee"
    [event] = learn(ada, f"{quote}.", proposal("habit", "coffee, with oat milk", quote))
    assert event.action == MemoryEvent.Action.PARKED


def test_the_reply_that_repeats_a_forgotten_value_in_other_words_is_not_recalled(ada):
    chat = make_chat(ada, "I live on a houseboat in Graz.", "A Graz houseboat, how nice!")
    operation = proposal("home", "a houseboat in Graz", "I live on a houseboat in Graz")
    ledger.apply(user=ada, operations=[operation], messages=list(chat.archive), model="scripted")
    forgetting.forget(rows=Fact.objects.for_user(ada), actor="ada")
    assert list(chat.archive.values_list("is_recallable", flat=True)) == [False, False]


def test_a_reply_that_has_a_word_of_what_it_answers_is_not_recalled_either(ada):
    chat = make_chat(ada, "I play the theremin.", "A theremin, how rare!", "Yes.", "Indeed.")
    operation = proposal("instrument", "plays the theremin", "I play the theremin")
    ledger.apply(user=ada, operations=[operation], messages=list(chat.archive), model="scripted")
    forgetting.forget(rows=Fact.objects.for_user(ada), actor="ada")
    flags = chat.archive.values_list("is_recallable", flat=True)
    assert list(flags) == [False, False, True, True]


def test_a_refusal_is_logged_once_with_the_message_that_it_came_after(ada):
    chat = make_chat(ada, "Hello there.", "Good morning.")
    operation = proposal("city", "Linz", "I live in Linz")
    for _ in range(2):
        ledger.apply(
            user=ada, operations=[operation], messages=list(chat.archive), model="scripted"
        )
    assert MemoryEvent.objects.get().message == chat.archive.first()


def test_of_refused_proposals_the_log_forgets_those_with_a_word_of_what_was_forgotten(ada):
    learn(
        ada,
        "I play the theremin.",
        proposal("instrument", "plays the theremin", "I play the theremin"),
        proposal("told", "theremins are rare", "A theremin is rare"),
    )
    forgetting.forget(rows=Fact.objects.for_user(ada), actor="ada")
    assert not MemoryEvent.objects.filter(after__contains="theremin").exists()
