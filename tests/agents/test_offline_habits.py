"""What the offline responder learns of people's everyday lives, and what only sounds like it."""

import pytest

from memoryapp.memory.language.support import is_supported
from memoryapp.memory.operations import quote_start
from tests.agents.learning import learn, learned

HABITS = [
    ("Hi, I'm Anna", [("name", "Anna")]),
    (
        "Hello! I am Marta, a nurse from Utrecht.",
        [("name", "Marta"), ("occupation", "nurse"), ("origin", "Utrecht")],
    ),
    ("I'm from Vienna", [("origin", "Vienna")]),
    ("I come from Ghana", [("origin", "Ghana")]),
    ("I was born in 1990", [("birth_year", "1990")]),
    ("I was born on 3 May 1990", [("birthday", "3 May 1990")]),
    ("I'm married", [("relationship", "married")]),
    ("I have two kids", [("kids", "two kids")]),
    ("I have a dog", [("dog", "a dog")]),
    ("I have two cats, Minka and Lola", [("cats", "two cats, Minka and Lola")]),
    ("I speak German and French", [("speaks_german", "German"), ("speaks_french", "French")]),
    ("I'm learning Spanish", [("learns_spanish", "Spanish")]),
    ("I play the guitar", [("plays_guitar", "guitar")]),
    ("I play chess", [("plays_chess", "chess")]),
    ("I collect stamps", [("collects_stamps", "stamps")]),
    ("I drive a Saab", [("drives", "a Saab")]),
    ("I ride a Vespa", [("rides", "a Vespa")]),
    ("I brew my own cider", [("brews_cider", "cider")]),
    ("I keep bees", [("keeps_bees", "bees")]),
    ("I teach physics in Lund", [("teaches_physics", "physics")]),
    ("I study computer science", [("studies_computer_science", "computer science")]),
    ("I sing in a choir", [("sings_choir", "in a choir")]),
    ("I drink oat milk", [("drinks_oat_milk", "oat milk")]),
    ("I grow tomatoes", [("grows_tomatoes", "tomatoes")]),
    ("I'm a big fan of Arsenal", [("likes_arsenal", "Arsenal")]),
    ("I'm into photography", [("likes_photography", "photography")]),
    ("I'm interested in astronomy", [("likes_astronomy", "astronomy")]),
    ("My hobby is woodworking", [("hobby_woodworking", "woodworking")]),
    (
        "My hobbies are climbing and chess",
        [("hobby_climbing", "climbing"), ("hobby_chess", "chess")],
    ),
    ("I'm lactose intolerant", [("intolerance_lactose", "lactose")]),
    ("I work in marketing", [("works_in", "marketing")]),
    ("I'm retired", [("occupation", "retired")]),
    ("I own a house in Graz", [("owns_house", "a house")]),
    ("I have a garden", [("garden", "a garden")]),
    ("I'm planning a trip to Japan", [("trip", "a trip to Japan")]),
    ("I'm writing a novel about bees", [("novel", "a novel about bees")]),
    ("I'm working on a compiler", [("compiler", "a compiler")]),
    ("Ich komme aus Wien", [("origin", "Wien")]),
    ("Ich bin in Graz geboren", [("birthplace", "Graz")]),
    ("Ich habe zwei Kinder", [("kids", "zwei Kinder")]),
    ("Ich habe einen Hund", [("dog", "ein Hund")]),
    ("Ich spiele Gitarre", [("plays_guitar", "Gitarre")]),
    (
        "Ich spreche Englisch und Französisch",
        [("speaks_english", "Englisch"), ("speaks_french", "Französisch")],
    ),
    ("Ich lerne Spanisch", [("learns_spanish", "Spanisch")]),
    ("Ich sammle Briefmarken", [("collects_briefmarken", "Briefmarken")]),
    ("Ich fahre einen Saab", [("drives", "ein Saab")]),
    ("Ich studiere Informatik", [("studies_informatik", "Informatik")]),
    ("Ich unterrichte Mathematik", [("teaches_maths", "Mathematik")]),
    ("Ich bin verheiratet", [("relationship", "verheiratet")]),
    ("Ich singe im Chor", [("sings_chor", "im Chor")]),
    ("Ich trinke meinen Kaffee schwarz", [("coffee", "schwarz")]),
    ("Ich interessiere mich für Astronomie", [("likes_astronomie", "Astronomie")]),
    ("Ich gehe gern wandern", [("likes_hiking", "wandern")]),
    ("Ich wandere gern", [("likes_hiking", "wandern")]),
    ("Ich koche gerne", [("likes_cooking", "kochen")]),
    ("Ich plane eine Reise nach Japan", [("trip", "eine Reise nach Japan")]),
    ("Ich komme aus Łódź", [("origin", "Łódź")]),
    ("Ich habe einen Hund und zwei Katzen", [("dog", "ein Hund"), ("cats", "zwei Katzen")]),
    ("We have a dog and two cats", [("dog", "a dog"), ("cats", "two cats")]),
    ("I live in Graz and play chess", [("city", "Graz"), ("plays_chess", "chess")]),
    ("I was diagnosed with diabetes last year", [("health_diabetes", "diabetes")]),
    ("Ich nehme Medikamente gegen Asthma", [("health_asthma", "Asthma")]),
    ("I drink my coffee black", [("coffee", "black")]),
    ("I've got a daughter called Mia", [("daughter", "a daughter called Mia")]),
    ("Ich bin am 3. Mai 1990 geboren", [("birthday", "3. Mai 1990")]),
    ("I bake rye bread on Saturdays", [("bakes_rye_bread", "rye bread")]),
    ("I live in Ghent, is it going to rain tomorrow?", [("city", "Ghent")]),
]
OF_OTHERS = [
    ("My wife plays the piano.", ("my wife", "plays_piano", "piano")),
    ("Meine Schwester spielt Klavier", ("meine Schwester", "plays_piano", "Klavier")),
    ("My son collects coins.", ("my son", "collects_coins", "coins")),
    ("My brother moved to Gdańsk.", ("my brother", "city", "Gdańsk")),
]
NOTHING = [
    "I play with the idea of moving",
    "I keep getting an error",
    "I keep forgetting it",
    "I run the tests now",
    "I run into an error",
    "I drive to work now",
    "I study tomorrow",
    "I have a question",
    "I have an idea",
    "I have a problem with my code",
    "I have two options",
    "I have to go",
    "I'm from accounting",
    "I'm OK",
    "I'm Sorry",
    "I'm American",
    "I'm happy",
    "I'm tired",
    "I'm using it",
    "I'm working on it",
    "I'm into it",
    "I'm interested in your opinion",
    "I'm planning to call you",
    "I'm writing you because of the bill",
    "I'm learning a lot from you",
    "I drink too much",
    "I own it",
    "I wear it",
    "Ich habe eine Frage",
    "Ich habe zwei Fragen",
    "Ich habe keine Zeit",
    "Ich habe Hunger",
    "Ich bin Müde",
    "Ich bin der Meinung",
    "Ich lerne gerade viel",
    "Ich spiele mit dem Gedanken",
    "Ich fahre morgen nach Wien",
    "Ich gehe gern früh",
    "I play a role in this",
    "I speak for all of us",
    "I study the docs",
    "I sing your praise",
    "I grow tired of this",
    "I support this idea",
    "I collect the data",
    "I teach you",
    "I have a lot of work",
    "I have a feeling",
    "I have no idea",
    "I have a friend who likes chess",
    "I have one more question",
    "I have a dog in this fight",
    "I'm a bit lost",
    "I'm a fan of this idea",
    "I drive myself crazy",
    "I ride this out",
    "I smoke it",
    "I'm from Monday on vacation",
    "I drive two hours to work",
    "I drive an hour every day",
    "I ride a lot",
    "Ich fahre eine Stunde",
    "Ich fahre zwei Stunden zur Arbeit",
    "I speak slowly",
    "I have a boat, but it leaks and I hate that",
    "I own one of those",
    "I'm learning a new thing",
    "I'm interested in the offer",
    "I'm interested in buying a car",
    "I'm interested in how this works",
    "I work in the dark",
    "I work in progress",
    "I have two branches",
    "I have a cat command failing",
    "I have a dog question",
    "I'm Confused about this",
    "I'm Lost",
    "I'm writing an email to my landlord",
    "I'm working on a bug",
    "I'm building a docker image",
    "I have one child process",
    "I keep losing my keys",
    "I keep an eye on it",
    "I play devil's advocate",
    "I grow up",
    "Ich lerne gerade viel",
    "Ich spreche leise",
    "Ich spiele gerade nicht",
    "Ich trinke zu viel",
    "Ich habe ein Problem",
    "Ich habe eine Idee",
    "Ich habe einen Fehler gefunden",
    "Ich weiß gerne mehr",
    "Ich bin in Eile",
    "Ich bin aus dem Haus",
    "Ich komme aus dem Staunen nicht heraus",
    "Ich komme aus der Dusche",
    "I come from work",
    "I'm from the team",
]


@pytest.mark.parametrize(("body", "facts"), HABITS)
async def test_what_somebody_does_and_has_is_learned(body, facts):
    assert await learned(body) == facts


@pytest.mark.parametrize("body", [body for body, _ in HABITS])
async def test_it_passes_the_checks_of_the_ledger(body):
    for operation in await learn(body):
        assert quote_start(body, operation.quote) is not None
        assert is_supported(operation)


@pytest.mark.parametrize(("body", "fact"), OF_OTHERS)
async def test_what_others_do_is_theirs(body, fact):
    [operation] = await learn(body)

    assert (operation.subject, operation.key, operation.value) == fact


@pytest.mark.parametrize("body", NOTHING)
async def test_what_passes_or_is_only_a_way_of_speaking_teaches_nothing(body):
    assert await learned(body) == []


async def test_of_what_is_driven_the_next_takes_the_place_of_the_last():
    volvo, saab = await learn("I drive a Volvo.", "I drive a Saab.")

    assert (volvo.action, saab.action) == ("add", "update")
    assert (saab.key, saab.value) == ("drives", "a Saab")
