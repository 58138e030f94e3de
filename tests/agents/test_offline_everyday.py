"""What the offline responder makes of the way people type: in a hurry, in two languages."""

import pytest

from memoryapp.memory.language.support import is_supported
from memoryapp.memory.operations import quote_start
from tests.agents.learning import known, learn, learned

TYPED = [
    ("im vegan", [("diet", "vegan")]),
    ("im a teacher", [("occupation", "teacher")]),
    ("im alergic to peanuts", [("allergy_peanuts", "peanuts")]),
    ("i dont eat meat", [("avoids_meat", "meat")]),
    ("I cant stand cilantro", [("dislikes_coriander", "cilantro")]),
    ("i luv pizza", [("likes_pizza", "pizza")]),
    ("my bday is 3 march", [("birthday", "3 march")]),
    ("my wifes name is Maria", [("wife_name", "Maria")]),
    ("ich wohn in Wien", [("city", "Wien")]),
    ("Moin, ich heiß Jan", [("name", "Jan")]),
    ("ich hab nen hund", [("dog", "ein hund")]),
    ("ich spiel gitarre", [("plays_guitar", "gitarre")]),
    ("ich koch gern", [("likes_cooking", "kochen")]),
    (
        "Ich spiel Gitarre und ich hab zwei Kinder",
        [("plays_guitar", "Gitarre"), ("kids", "zwei Kinder")],
    ),
    (
        "ich koch gern und lese gerne Krimis",
        [("likes_cooking", "kochen"), ("likes_krimis", "Krimis")],
    ),
]
INTRODUCED = [
    ("Hallo, ich bin Anna", [("name", "Anna")]),
    ("Servus! Ich bin der Max und komme aus Linz", [("name", "Max"), ("origin", "Linz")]),
    (
        "Hallo! Ich bin Lena, 29, Lehrerin aus Köln",
        [("name", "Lena"), ("age", "29"), ("occupation", "Lehrerin"), ("origin", "Köln")],
    ),
    ("I'm Anna, 29, from Linz", [("name", "Anna"), ("age", "29"), ("origin", "Linz")]),
]
CORRECTED = [
    ("No, I live in Vienna, not Graz", [("city", "Vienna")]),
    ("Nein, ich wohne nicht in Graz, sondern in Wien", [("city", "Wien")]),
    ("Korrektur: ich wohne in Linz", [("city", "Linz")]),
    ("I used to live in Graz but now I live in Vienna", [("city", "Vienna")]),
    ("Früher habe ich in Graz gewohnt, jetzt wohne ich in Wien", [("city", "Wien")]),
    ("Seit 2020 arbeite ich bei Siemens", [("employer", "Siemens")]),
]
PLAIN = [
    ("My birthday is in February", [("birthday", "February")]),
    ("Ich habe am 3. März Geburtstag", [("birthday", "3. März")]),
    ("I work at the LKH as a nurse", [("employer", "LKH"), ("occupation", "nurse")]),
    ("I work at Siemens in Graz", [("employer", "Siemens")]),
    (
        "Ich arbeite als Krankenschwester im LKH Graz",
        [("occupation", "Krankenschwester"), ("employer", "LKH Graz")],
    ),
    ("I live in a small flat in Graz", [("city", "Graz")]),
    ("Ich wohne in einer WG in Graz", [("city", "Graz")]),
    ("Wir wohnen in Graz", [("city", "Graz")]),
    ("I grew up in Linz", [("grew_up_in", "Linz")]),
    ("Ich bin 1,80 m groß", [("height", "1,80 m")]),
    ("Ich vertrage keine Milch", [("avoids_milk", "Milch")]),
    ("I can't eat gluten", [("avoids_gluten", "gluten")]),
    ("I have diabetes", [("health_diabetes", "diabetes")]),
    ("I like my coffee black", [("coffee", "black")]),
    ("I'm studying law", [("studies_law", "law")]),
    ("I speak fluent French", [("speaks_french", "French")]),
    (
        "Ich spreche Deutsch und ein bisschen Italienisch",
        [("speaks_german", "Deutsch"), ("speaks_italian", "Italienisch")],
    ),
    ("Ich höre gern Jazz", [("likes_jazz", "Jazz")]),
    ("Ich spiele gern Fußball", [("likes_football", "Fußball")]),
    ("Bier mag ich nicht", [("dislikes_beer", "Bier")]),
    ("Pizza mag ich sehr", [("likes_pizza", "Pizza")]),
    ("I don't like the cold, and Kiel is not that big", [("dislikes_cold", "cold")]),
    ("I've two cats", [("cats", "two cats")]),
    ("Unsere Katze heißt Mimi und ist 3 Jahre alt", [("cat_name", "Mimi")]),
    ("My dog's name is Bello and he's 5", [("dog_name", "Bello")]),
    (
        "I drive a red Skoda and my wife drives a Fiat",
        [("drives", "a red Skoda"), ("drives", "a Fiat")],
    ),
    ("I'm working at Bosch", [("employer", "Bosch")]),
    ("Ich arbeite als Lehrerin in Wien", [("occupation", "Lehrerin")]),
    ("Wir sind nach Berlin gezogen", [("city", "Berlin")]),
    ("Ich hab am 12.5. Geburtstag", [("birthday", "12.5.")]),
    ("remind me on 24.12. to call grandma", [("call_grandma", "call grandma")]),
    ("Tomorrow I have to see the doctor", [("see_doctor", "see the doctor")]),
    ("Am Freitag hab ich Prüfung", [("pruefung", "Prüfung")]),
    ("I have an exam on 15 January", [("exam", "exam")]),
    ("Keine Emojis bitte", [("answer_emojis", "Keine Emojis")]),
    ("Fass dich bitte kurz.", [("answer_length", "Fass dich kurz")]),
]
SAID = TYPED + INTRODUCED + CORRECTED + PLAIN


@pytest.mark.parametrize(("body", "facts"), SAID)
async def test_everyday_words_teach_what_they_mean(body, facts):
    operations = await learn(body)
    assert [(each.key, each.value) for each in operations] == facts
    assert all(quote_start(body, each.quote) is not None for each in operations)
    assert all(is_supported(each) for each in operations)


@pytest.mark.parametrize(
    "body",
    [
        # who is greeted with more than a name
        "Hallo, ich bin neu hier",
        "Hallo, ich bin Mutter von zwei Kindern",
        "Hallo, ich bin Single",
        "Hallo, ich bin Österreicherin",
        "Servus, ich bin der Neue",
        "Hallo, ich bin der Meinung, dass das stimmt",
        "Ich bin Anna",  # or a noun: there is no telling without a greeting
        # what only looks typed in a hurry
        "im Sommer fahre ich weg",
        "Im Frühling",
        "ich hab ne Frage",
        "ich hab keine Zeit",
        "jetzt habe ich Hunger",
        "I work at the office",
        "I have to march in the parade",
        "I like it, not you",
    ],
)
async def test_what_only_sounds_alike_teaches_nothing(body):
    assert await learned(body) == []


async def test_an_occupation_is_not_taken_for_a_name():
    [operation] = await learn("Mein Bruder ist Lehrer")
    assert (operation.key, operation.value) == ("occupation", "Lehrer")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("I play guitar", "Ich spiele Gitarre"),
        ("I have two kids", "Ich habe zwei Kinder"),
        ("I like cheese", "Ich mag Käse"),
        ("My dog is called Rex", "Mein Hund heißt Rex"),
        ("My favourite colour is green", "Meine Lieblingsfarbe ist Grün"),
        ("I'm allergic to nuts", "Ich bin allergisch gegen Nüsse"),
        ("I'm planning a trip to Japan", "Ich plane eine Reise nach Japan"),
    ],
)
async def test_the_same_thing_has_one_key_in_both_languages(english, german):
    [one], [other] = await learned(english), await learned(german)
    assert one[0] == other[0]


async def test_an_english_word_is_not_taken_for_a_german_one():
    assert await learned("I like Roman history") == [("likes_roman_history", "Roman history")]


async def test_what_is_known_in_one_language_is_not_learned_again_in_the_other():
    plays = known("plays_guitar", "guitar", kind="fact")
    assert await learned("Ich spiele Gitarre", known=[plays]) == []


async def test_what_was_said_in_one_language_is_taken_back_in_the_other():
    likes = known("likes_cheese", "cheese", kind="preference")
    [operation] = await learn("Ich mag Käse nicht mehr", known=[likes])
    assert (operation.action, operation.replaces) == ("retract", "id-1")


@pytest.mark.parametrize(
    "body", ["Ich bin doch nicht Veganer", "Ich bin doch kein Veganer", "Ich bin kein Veganer mehr"]
)
async def test_what_turns_out_not_to_be_so_is_taken_back(body):
    vegan = known("diet", "Veganer")
    [operation] = await learn(body, known=[vegan])
    assert (operation.action, operation.key) == ("retract", "diet")
