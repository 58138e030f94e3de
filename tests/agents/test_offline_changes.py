"""What the offline responder makes of statements about what is known already."""

from datetime import datetime

import pytest

from tests.agents.learning import VIENNA, known, learn, learned


async def test_what_is_known_teaches_nothing():
    assert await learn("I live in Graz.", known=[known("city", "Graz")]) == []


async def test_the_same_thing_twice_in_one_batch_is_learned_once():
    assert await learned("I live in Graz.", "As I said, I live in Graz.") == [("city", "Graz")]


async def test_a_known_task_gets_its_new_date():
    task = known("call_bob", "call Bob", kind="task")
    [operation] = await learn("Remind me to call Bob on Monday", known=[task])
    assert (operation.action, operation.replaces) == ("update", "id-1")
    assert operation.due_at == datetime(2026, 8, 24, 9, tzinfo=VIENNA)


async def test_a_new_value_updates_the_row_with_its_key():
    [operation] = await learn("I moved from Berlin to Vienna", known=[known("city", "Berlin")])
    assert (operation.action, operation.key, operation.value, operation.replaces) == (
        "update",
        "city",
        "Vienna",
        "id-1",
    )


async def test_a_value_that_is_named_as_the_old_one_is_replaced_whatever_its_key():
    [operation] = await learn("I moved from Berlin to Vienna", known=[known("home", "Berlin")])
    assert (operation.action, operation.key, operation.replaces) == ("update", "home", "id-1")


@pytest.mark.parametrize(
    "body",
    ["I started at Bosch on Monday.", "I just joined Bosch.", "I've got a job at Bosch.",
     "Ich habe bei Bosch angefangen."],
)  # fmt: skip
async def test_a_new_job_takes_the_place_of_the_old_one(body):
    [operation] = await learn(body, known=[known("employer", "Siemens")])
    assert (operation.action, operation.value, operation.replaces) == ("update", "Bosch", "id-1")


@pytest.mark.parametrize(
    "body",
    ["I quit my job.", "I've just lost my job at the plant.", "I was laid off.",
     "Ich habe gekündigt.", "Ich habe meinen Job verloren."],
)  # fmt: skip
async def test_a_job_that_is_left_is_taken_back_without_its_name(body):
    rows = [known("city", "Graz"), known("employer", "Siemens", number=2)]
    [operation] = await learn(body, known=rows)
    assert (operation.action, operation.key, operation.replaces) == ("retract", "employer", "id-2")


async def test_a_name_is_corrected():
    [operation] = await learn("My name is actually Katja.", known=[known("name", "Katarina")])
    assert (operation.action, operation.value) == ("update", "Katja")


async def test_somebody_elses_fact_is_not_updated_by_mine():
    hers = known("city", "Berlin", subject="my sister")
    [operation] = await learn("I live in Vienna", known=[hers])
    assert (operation.action, operation.replaces) == ("add", "")


async def test_a_dislike_takes_the_place_of_a_like():
    retracted, added = await learn(
        "I hate olives", known=[known("likes_olives", "olives", kind="preference")]
    )
    assert (retracted.action, retracted.key, retracted.replaces) == (
        "retract",
        "likes_olives",
        "id-1",
    )
    assert (added.action, added.key) == ("add", "dislikes_olives")


@pytest.mark.parametrize(
    ("body", "row"),
    [
        ("I no longer work at Siemens", known("employer", "Siemens")),
        ("I don't like olives anymore", known("likes_olives", "olives", kind="preference")),
        ("Ich wohne nicht mehr in Graz.", known("city", "Graz")),
        ("Ich mag Oliven nicht mehr", known("likes_oliven", "Oliven", kind="preference")),
        ("I'm no longer vegetarian", known("diet", "vegetarian")),
        ("We no longer use Jenkins", known("ci", "Jenkins", kind="project")),
        ("Please forget that I live in Graz", known("city", "Graz")),
        ("Forget my favourite colour", known("favourite_colour", "green")),
        ("Bitte vergiss meinen Hund", known("dog", "Rex")),
        ("My Vespa was stolen last night.", known("scooter", "Vespa")),
        ("Rex died in spring.", known("dog_name", "Rex")),
        ("Die Katze ist entlaufen.", known("pet", "Katze")),
        ("I've renewed my passport.", known("passport", "renew passport", kind="task")),
        ("They laid off half of us, and I got laid off too.", known("employer", "Siemens")),
    ],
)
async def test_what_no_longer_holds_is_retracted(body, row):
    [operation] = await learn(body, known=[row])
    assert (operation.action, operation.key, operation.value, operation.replaces) == (
        "retract",
        row.key,
        "",
        "id-1",
    )


@pytest.mark.parametrize(
    "body",
    [
        "My brother's Vespa was stolen.",
        "Was my Vespa stolen?",
        "I washed my Vespa.",
        "If my Vespa was stolen, I'd cry.",
        "I sold the tyres of my Vespa.",
    ],
)
async def test_what_only_sounds_like_an_ending_retracts_nothing(body):
    learnt = await learn(body, known=[known("scooter", "Vespa")])
    assert "retract" not in [operation.action for operation in learnt]


async def test_a_retraction_leaves_another_value_alone():
    assert await learn("I no longer work at Siemens", known=[known("employer", "SAP")]) == []


@pytest.mark.parametrize(
    ("body", "row", "value"),
    [
        ("I no longer live in Berlin, I live in Vienna now.", known("city", "Berlin"), "Vienna"),
        (
            "I'm not a nurse any more, I'm a midwife now.",
            known("occupation", "nurse"),
            "midwife",
        ),
    ],
)
async def test_a_retraction_with_its_successor_is_one_update(body, row, value):
    [operation] = await learn(body, known=[row])
    assert (operation.action, operation.value, operation.replaces) == ("update", value, "id-1")
