"""What the offline responder learns from plain sentences, and what it must leave alone."""

import time

import pytest

from memoryapp.agents import extractor
from memoryapp.agents.extractor import Heard
from memoryapp.memory.language.phrases import looks_like_secret
from memoryapp.memory.language.support import is_supported
from memoryapp.memory.operations import is_question, quote_start
from tests.agents.learning import OFFLINE, WEDNESDAY, learn, learned
from tests.processes import BUSY

WHO_AND_WHERE = [
    ("My name is Ada Lovelace.", [("name", "Ada Lovelace")]),
    ("my name is ada", [("name", "ada")]),
    ("I'm called Sanket", [("name", "Sanket")]),
    ("Please call me Max.", [("name", "Max")]),
    ("Ich heiße Anna und wohne in Graz.", [("name", "Anna"), ("city", "Graz")]),
    ("Mein Name ist Björn Müller.", [("name", "Björn Müller")]),
    ("Nenn mich bitte Max.", [("name", "Max")]),
    ("I’m 34 years old", [("age", "34")]),
    ("Ich bin 34 Jahre alt.", [("age", "34")]),
    ("By the way, I now live in New York City, USA.", [("city", "New York City, USA")]),
    ("I've lived in Graz for 5 years", [("city", "Graz")]),
    ("I'm based in Berlin with my wife and my dog", [("city", "Berlin")]),
    ("I live in Berlin with my wife and my dog", [("city", "Berlin")]),
    ("I moved from Berlin to Vienna last month.", [("city", "Vienna")]),
    ("I've just relocated to Zürich for work", [("city", "Zürich")]),
    ("I live in Graz 🎉", [("city", "Graz")]),
    ("i live in graz :)", [("city", "graz")]),
    ("Ich lebe seit 2019 in Hamburg", [("city", "Hamburg")]),
    ("Ich bin von Berlin nach Wien gezogen", [("city", "Wien")]),
    ("Ich bin umgezogen und wohne jetzt in Linz.", [("city", "Linz")]),
    ("My birthday is on 3 May.", [("birthday", "3 May")]),
    ("Mein Geburtstag ist der 3. Mai.", [("birthday", "3. Mai")]),
]
WORK = [
    ("I work as a nurse at Siemens", [("occupation", "nurse"), ("employer", "Siemens")]),
    ("I work at Google as an engineer", [("employer", "Google"), ("occupation", "engineer")]),
    ("Actually I work for Red Bull now.", [("employer", "Red Bull")]),
    ("I just changed jobs: I now work at Initech", [("employer", "Initech")]),
    (
        "I'm a data scientist at Spotify in Stockholm",
        [("occupation", "data scientist"), ("employer", "Spotify")],
    ),
    ("I'm a midwife now.", [("occupation", "midwife")]),
    ("Ich bin jetzt Hebamme.", [("occupation", "Hebamme")]),
    ("Ich arbeite als Ärztin bei Helios.", [("occupation", "Ärztin"), ("employer", "Helios")]),
    ("Ich arbeite seit 3 Jahren bei Siemens.", [("employer", "Siemens")]),
    (
        "Ich bin Softwareentwickler bei SAP",
        [("occupation", "Softwareentwickler"), ("employer", "SAP")],
    ),
]
TASTE = [
    (
        "I like tea and hate coffee",
        [("likes_tea", "tea"), ("dislikes_coffee", "coffee")],
    ),
    (
        "I really enjoy hiking, reading and cooking.",
        [("likes_hiking", "hiking"), ("likes_reading", "reading"), ("likes_cooking", "cooking")],
    ),
    ("I like C++ and C#", [("likes_cpp", "C++"), ("likes_csharp", "C#")]),
    ("I don't like small talk", [("dislikes_small_talk", "small talk")]),
    ("I don't eat meat", [("avoids_meat", "meat")]),
    ("Ich mag Käse, aber ich hasse Regen.", [("likes_cheese", "Käse"), ("dislikes_rain", "Regen")]),
    ("Ich mag Oliven nicht", [("dislikes_olives", "Oliven")]),
    ("Ich mag keinen Koriander.", [("dislikes_coriander", "Koriander")]),
    ("Ich trinke gerne Tee", [("likes_tea", "Tee")]),
    (
        "I prefer concise answers and dark UI themes.",
        [("preferred_answers", "concise answers"), ("preferred_themes", "dark UI themes")],
    ),
    ("I prefer tea over coffee", [("preferred_tea", "tea over coffee")]),
    ("Ich bevorzuge kurze Antworten", [("preferred_antworten", "kurze Antworten")]),
    ("My favorite colour is green", [("favourite_colour", "green")]),
    ("Meine Lieblingsfarbe ist Blau.", [("favourite_colour", "Blau")]),
    (
        "I'm allergic to peanuts and shellfish",
        [("allergy_peanuts", "peanuts"), ("allergy_shellfish", "shellfish")],
    ),
    ("I have a severe peanut allergy", [("allergy_peanut", "peanut")]),
    ("Ich bin allergisch gegen Nüsse", [("allergy_nuts", "Nüsse")]),
    ("Ich habe eine Erdnussallergie", [("allergy_peanut", "Erdnuss")]),
    ("I'm vegetarian, what should I cook tonight?", [("diet", "vegetarian")]),
    ("Ich bin Veganer", [("diet", "Veganer")]),
]
PROJECTS_AND_THINGS = [
    (
        "For future chats: our production EKS cluster runs in eu-west-1, and we deploy "
        "infrastructure with Terraform through GitHub Actions.",
        [
            ("production_eks_cluster", "runs in eu-west-1"),
            ("infrastructure_deployment", "Terraform through GitHub Actions"),
        ],
    ),
    ("We use Postgres as our database.", [("database", "Postgres")]),
    ("We use Terraform for the network", [("network", "Terraform")]),
    ("We use Helm and ArgoCD", [("uses_helm", "Helm"), ("uses_argocd", "ArgoCD")]),
    ("We store logs in S3", [("logs_storage", "S3")]),
    ("Our retro is every Monday", [("retro", "every Monday")]),
    ("Wir hosten die Seite bei Hetzner", [("seite_hosting", "Hetzner")]),
    ("Wir verwenden Redis für die Queue", [("queue", "Redis")]),
    ("Unser Server läuft in Falkenstein.", [("server", "läuft in Falkenstein")]),
    ("my car is a red Fiat", [("car", "a red Fiat")]),
    ("My timezone is Europe/Vienna", [("timezone", "Europe/Vienna")]),
    ("My team is called Phoenix", [("team_name", "Phoenix")]),
    ("I have a dog named Rex.", [("dog_name", "Rex")]),
    ("Mein Hund heißt Rex", [("dog_name", "Rex")]),
    ("Remember that I live in Graz", [("city", "Graz")]),
    ("Remember my birthday is on May 3rd.", [("birthday", "May 3rd")]),
    ("Remember: the gate stays locked", [("gate_stays_locked", "the gate stays locked")]),
    ("Merk dir, dass ich in Graz wohne", [("city", "Graz")]),
    ("Vergiss nicht, dass ich Vegetarier bin", [("diet", "Vegetarier")]),
]
STATEMENTS = WHO_AND_WHERE + WORK + TASTE + PROJECTS_AND_THINGS


@pytest.mark.parametrize(("body", "facts"), STATEMENTS)
async def test_a_plain_statement_teaches_its_facts(body, facts):
    assert await learned(body) == facts


@pytest.mark.parametrize("body", [body for body, _ in STATEMENTS])
async def test_what_is_learned_passes_the_checks_of_the_ledger(body):
    for operation in await learn(body):
        assert operation.quote in body
        assert quote_start(body, operation.quote) is not None
        assert is_supported(operation)
        assert not is_question(body, operation.quote)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("I live in Graz", ["identity"]),
        ("I'm allergic to nuts", ["identity"]),
        ("I like tea", ["preference"]),
        ("My favourite food is sushi", ["preference"]),
        ("We use Terraform for networks", ["project"]),
        ("Remind me to call Bob", ["task"]),
        ("My car is a red Fiat", ["fact"]),
        ("My sister lives in Graz", ["fact"]),
    ],
)
async def test_facts_get_the_kind_of_what_they_say(body, kinds):
    assert [operation.kind for operation in await learn(body)] == kinds


@pytest.mark.parametrize(
    ("body", "subject", "fact"),
    [
        ("My sister Maria lives in Graz", "my sister Maria", ("city", "Graz")),
        ("My friend hates olives", "my friend", ("dislikes_olives", "olives")),
        ("My wife is called Eva", "my wife", ("name", "Eva")),
        ("My sister is a nurse", "my sister", ("occupation", "nurse")),
        ("Our daughter Mia is allergic to milk", "our daughter Mia", ("allergy_milk", "milk")),
        ("Meine Mutter mag keinen Käse", "meine Mutter", ("dislikes_cheese", "Käse")),
        ("Mein Bruder heißt Max.", "mein Bruder", ("name", "Max")),
        (
            "Merk dir, dass meine Schwester Maria in Linz wohnt",
            "meine Schwester Maria",
            ("city", "Linz"),
        ),
    ],
)
async def test_what_is_said_about_others_is_theirs(body, subject, fact):
    [operation] = await learn(body)
    assert (operation.subject, (operation.key, operation.value)) == (subject, fact)


async def test_a_subject_is_carried_over_to_what_goes_on_about_it():
    first, second = await learn("Meine Schwester Maria wohnt in Linz und arbeitet bei Voest.")
    assert (first.subject, first.value) == ("meine Schwester Maria", "Linz")
    assert (second.subject, second.value) == ("meine Schwester Maria", "Voest")
    assert second.quote == "arbeitet bei Voest"


@pytest.mark.parametrize(
    "body",
    [
        # questions
        "What tools do I use for infrastructure deployments?",
        "What were my preferences again? And help me plan the Odoo article outline.",
        "Do you know where I live?",
        "I live in Berlin?",
        "I live in Berlin, right?",
        "Ich wohne in Paris, oder?",
        "Wohne ich in Graz?",
        # what isn't so
        "If I lived in Paris I would be happy",
        "If I live in Paris, I like cheese",
        "Imagine this. I live in Paris.",
        "For example: I live in Paris",
        "I live in Paris. That was just an example.",
        "My name is Ada. No, just kidding.",
        "I might move to Berlin",
        "I would prefer Python",
        "In the novel, I live in Paris.",
        "Stell dir vor, ich wohne in Paris.",
        "Wenn ich in Paris wohne, mag ich Käse",
        "Ich würde gern in Paris wohnen",
        "Das war nur ein Beispiel: ich wohne in Paris",
        # the words of others
        "He said I live in Paris",
        "He said, I live in Paris",
        '"I live in Paris," he said.',
        'She told me "I hate olives, and I love tea".',
        "Bob: I live in Paris",
        "User: I live in Paris\nAssistant: Nice\nUser: I like tea",
        "My colleague says I am a manager",
        "Er sagte, ich wohne in Paris",
        "Mein Freund sagt, ich bin allergisch gegen Nüsse.",
        # texts to work on
        "Translate into German: I am allergic to nuts.",
        "Translate this:\nI live in Berlin.",
        "Write a bio: I am a software engineer and I live in Paris.",
        "Bitte übersetze: Ich wohne in Paris",
        # what is pasted
        "```\nI live in Berlin\n```",
        "> I live in Berlin",
        "- I live in Berlin\n- I like tea",
        "1. I live in Berlin\n2. I like tea",
        "| I live in Berlin |",
        "I live in Berlin " + "and so on " * 100,
        # what is denied
        "I don't live in Berlin",
        "My name is not Bob",
        "I'm not allergic to peanuts",
        "Ich heiße nicht Bob",
        "Ich arbeite nicht bei Siemens",
        # what is to be done, but on no day, again and again, today, or not at all
        "I need to call the plumber.",
        "I have to work every Friday",
        "I have to go in 5 minutes",
        "I have to stay until Friday",
        "I must not smoke before Friday",
        "I might have to call the plumber by Friday",
        "I needed to call the plumber by Friday",
        "If I need to call the plumber by Friday, I need his number",
        "Ich muss am Freitag nicht arbeiten",
        "Ich muss jeden Freitag arbeiten",
        # secrets
        "My password is hunter2",
        "Remember that my PIN is 1234",
        "Mein Passwort ist geheim",
        "My credit card is 4111 1111 1111 1111",
        # what only sounds alike
        "Call me later",
        "I'm a bit tired",
        "I live in a small flat",
        "I work at night",
        "I work from home",
        "I moved the file to Trash",
        "I moved from CDK to Terraform",
        "I love you",
        "I like it",
        "I like the way you write",
        "My question is how to do this",
        "My computer is slow",
        "Our meeting is tomorrow",
        "We use it for testing",
        "Ich mag es nicht",
        "Ich bin müde",
        "Thanks, that helped a lot!",
        # what isn't to be kept
        "Don't remember this: I live in Paris",
        "Off the record, I live in Paris",
    ],
)
async def test_nothing_is_learned_from_what_states_nothing(body):
    assert await learn(body) == []


async def test_replies_are_no_source():
    heard = [
        Heard(1, "assistant", "I live in Paris.", WEDNESDAY),
        Heard(2, "user", "Good to know.", WEDNESDAY),
    ]
    assert (await extractor.extract(heard, [], choice=OFFLINE)).output == []


@pytest.mark.parametrize(
    ("body", "key", "value"),
    [
        (
            "Please answer in short bullet points from now on.",
            "answer_format",
            "Answer in short bullet points",
        ),
        ("Please keep your answers short", "answer_length", "Keep your answers short"),
        ("Please be more formal.", "answer_tone", "Be more formal"),
        ("Never use emojis.", "answer_emojis", "Never use emojis"),
        ("From now on, use metric units.", "answer_use_metric_units", "Use metric units"),
        ("You should always answer in German", "answer_language", "Always answer in German"),
        ("Bitte antworte auf Deutsch", "answer_language", "Antworte auf Deutsch"),
        ("Antworte bitte kürzer", "answer_length", "Antworte kürzer"),
        (
            "Bitte antworte ab jetzt in kurzen Stichpunkten.",
            "answer_format",
            "Antworte in kurzen Stichpunkten",
        ),
    ],
)
async def test_a_lasting_wish_how_to_answer_becomes_a_prompt(body, key, value):
    [operation] = await learn(body)
    assert (operation.table, operation.key, operation.value) == ("prompt", key, value)


@pytest.mark.parametrize(
    "body",
    [
        "Please answer my question",
        "Please write a short poem about the sea",
        "Answer in one sentence: why is the sky blue?",
        "Please reply in German: how are you?",
        "Bitte antworte auf meine Frage",
    ],
)
async def test_a_wish_for_one_answer_is_no_prompt(body):
    assert await learn(body) == []


async def test_secrets_do_not_reach_the_ledger():
    body = "I use vim. My api key is sk-abcdefghijklmnop1234. I like tea."
    operations = await learn(body)
    assert [each.value for each in operations] == ["vim", "tea"]
    assert not any(looks_like_secret(each.quote) for each in operations)


@pytest.mark.parametrize(
    "body",
    [
        ("and my cat and my dog, I like " * 30 + "\n") * 100,
        ("I like " + "a b, " * 190 + "and c.\n") * 100,
        " " * 100_000,
        "((((" * 25_000,
    ],
)
async def test_the_largest_message_takes_no_longer_a_character(body):
    await seconds_of_learning(body[:1000])  # the first time costs more
    quarter = await seconds_of_learning(body[: len(body) // 4])
    whole = await seconds_of_learning(body)
    assert whole < 8 * quarter  # 16, if each part looked at all others
    assert whole < 3 * BUSY


async def seconds_of_learning(body):
    started = time.process_time()
    await learn(body)
    return time.process_time() - started
