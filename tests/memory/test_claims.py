"""What is stored, asked about and refused by whether words say what a key is about."""

import time

import pytest

from memoryapp.memory import ledger
from memoryapp.memory.language.asserting import says_so, says_so_plainly
from memoryapp.memory.language.claims import is_read
from memoryapp.memory.language.whose import is_about_somebody_else
from memoryapp.models import Fact, MemoryEvent, User
from memoryapp.models.memory import Status
from tests.factories import make_chat, proposal

PLAIN = [
    ("I live in Graz", "city", "Graz"),
    ("moved to Graz for uni and stayed", "city", "Graz"),
    ("hier in Graz regnet es", "city", "Graz"),
    ("Graz", "city", "Graz"),
    ("software tester, Graz, single", "job", "software tester"),
    ("Ich bin seit zwölf Jahren Erzieherin", "job", "Erzieherin"),
    ("I'm in sales, so I talk all day", "job", "sales"),
    ("Landscape gardener here, so winters are quiet", "job", "Landscape gardener"),
    ("I turned 40 yesterday", "age", "40"),
    ("at 63 I don't need another hobby", "age", "63"),
    ("My sister swears by keto but I can't stand it", "dislikes", "keto"),
    ("Nothing beats a rainy sunday", "likes", "rainy sunday"),
    ("hab n hund, bruno", "pet", "hund bruno"),
    ("Lou is fine", "name", "Lou"),
    ("Vivo en Valencia desde 2015", "city", "Valencia"),
]
UNCLEAR = [
    ("The Thai place sounds good", "likes", "Thai place"),
    ("Too much garlic gives me migraines", "likes", "garlic"),
    ("We married in Lübeck", "city", "Lübeck"),
    ("Everyone eats fish on Fridays", "pet", "fish"),
]
NOT_SAID = [
    ("My rabbi recommended this app", "job", "rabbi"),
    ("Gym's done, the plumber doesn't pick up", "job", "plumber"),
    ("My phone is at 3%", "age", "3"),
    ("I started piano at 50", "age", "50"),
    ("We got married on the 5th of May", "birthday", "5th of May"),
    ("I'd say my Italian is about B1", "nationality", "Italian"),
    ("That's perfect", "trait", "perfect"),
]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: " ".join(case[:3]))
def test_who_says_it_in_known_words_or_alone_is_not_asked(case):
    said, key, value = case
    assert says_so_plainly(proposal(key, value, said), said)


@pytest.mark.parametrize("case", UNCLEAR, ids=lambda case: " ".join(case[:3]))
def test_what_may_be_said_in_many_ways_waits_if_its_words_are_unknown(ada, case):
    said, key, value = case
    [event] = learn(ada, said, proposal(key, value, said))
    assert event.action == MemoryEvent.Action.PARKED
    assert Fact.objects.for_user(ada).get().status == Status.PENDING


def test_who_is_never_asked_has_the_unclear_refused(ada):
    ada.review = User.Review.NEVER
    said, key, value = UNCLEAR[0]
    [event] = learn(ada, said, proposal(key, value, said))
    assert event.action == MemoryEvent.Action.REFUSED


@pytest.mark.parametrize("case", NOT_SAID, ids=lambda case: " ".join(case[:3]))
def test_what_is_said_in_few_ways_must_be_said_in_one_of_them(case):
    said, key, value = case
    assert not says_so(proposal(key, value, said), said)


def test_irony_waits_for_its_owner(ada):
    said = "Oh great, another Monday. I just love meetings"
    [event] = learn(ada, said, proposal("likes", "meetings", "I just love meetings"))
    assert event.action == MemoryEvent.Action.PARKED
    assert event.reason == "It may not be meant as it reads."


@pytest.mark.parametrize(
    ("sentence", "is_known"),
    [
        ("I live in Graz with two cats", True),
        ("Ich wohne in Graz", True),
        ("Soy de Rosario pero vivo en Valencia", False),
        ("我住在深圳", False),
        ("أعيش في عمّان", False),
        ("José Muñoz here", True),
    ],
)
def test_claims_are_looked_for_only_in_english_and_german(sentence, is_known):
    assert is_read(sentence) is is_known


@pytest.mark.parametrize(
    "stretch",
    ["i'm in a ", "I like tea, ", "wenn ich bin in haus ", "a"],
)
def test_a_message_of_100_000_characters_is_judged_in_seconds(stretch):
    body = stretch * (100_000 // len(stretch)) + " I live in Graz"
    began = time.monotonic()
    for key in ("city", "age"):
        operation = proposal(key, "Graz", body)
        says_so(operation, body)
        says_so_plainly(operation, body)
        is_about_somebody_else(operation, body)
    assert time.monotonic() - began < 60


def learn(user, said, operation):
    messages = list(make_chat(user, said).archive)
    return ledger.apply(user=user, operations=[operation], messages=messages, model="scripted")
