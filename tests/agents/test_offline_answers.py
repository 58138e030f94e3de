"""Whom and what the offline responder's answers are about, and what it says to small talk."""

from dataclasses import replace

import pytest

from tests.agents.test_offline_talker import MEMORIES, Search, context, memory, reply, stream

NOTHING = "I found nothing about that"
KNOWN = (
    *MEMORIES,
    memory("occupation: nurse", kind="identity", reason="always"),
    memory("likes tea: tea", kind="preference", reason="always"),
    memory("mein Bruder: city: Linz"),
    memory("my sister Maria: employer: Voest"),
    memory("origin: Ghana", kind="identity", reason="always"),
    memory("cats: two cats, Minka and Lola"),
    memory("plays guitar: guitar"),
    memory("speaks french: French"),
    memory("drives: a Saab"),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What do I do for a living?", "From your memory: occupation: nurse"),
        ("What do I do?", "From your memory: occupation: nurse"),
        ("Was mache ich beruflich?", "Aus deinem Gedächtnis: occupation: nurse"),
        ("Where am I living?", "From your memory: city: Vienna"),
        ("Where do I live?", "From your memory: city: Vienna"),
        ("Do I live in Graz?", "From your memory: city: Vienna"),
        ("Do I like tea?", "From your memory: likes tea: tea"),
        ("What do I like?", "From your memory: likes tea: tea"),
        ("Where am I from?", "From your memory: origin: Ghana"),
        ("Woher komme ich?", "Aus deinem Gedächtnis: origin: Ghana"),
        ("Do I have pets?", "From your memory: cats: two cats, Minka and Lola"),
        ("What instrument do I play?", "From your memory: plays guitar: guitar"),
        ("Which languages do I speak?", "From your memory: speaks french: French"),
        ("Wie heißen meine Katzen?", "Aus deinem Gedächtnis: cats: two cats, Minka and Lola"),
        ("Which car do I have?", "From your memory: drives: a Saab"),
        ("Where does my brother live?", "From your memory: mein Bruder: city: Linz"),
        ("Wo wohnt mein Bruder?", "Aus deinem Gedächtnis: mein Bruder: city: Linz"),
        ("Where does Maria work?", "From your memory: my sister Maria: employer: Voest"),
        ("Who lives in Linz?", "From your memory: mein Bruder: city: Linz"),
        ("What do I have to do?", "From your memory: ship odoo article: ship the Odoo article"),
        ("Was muss ich tun?", "Aus deinem Gedächtnis: ship odoo article: ship the Odoo article"),
    ],
)
async def test_an_answer_is_about_whom_and_what_is_asked_about(question, answer):
    assert await reply(question, memories=KNOWN) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Where does my mother live?",
        "Where does Paul live?",
        "Where does he live?",
        "Wo wohnt meine Mutter?",
        "Wo wohnt Paul?",
        "Do I like hiking?",
        "Do I play chess?",
        "Do I speak Spanish?",
        "Do I have children?",
        "Mag ich Wandern?",
        "Wie heißt meine Katze?",
        "What is my cat called?",
    ],
)
async def test_what_is_known_of_oneself_answers_nothing_about_others_or_another_thing(question):
    own = [each for each in KNOWN if each.kind in ("identity", "preference")]
    text = await reply(question, memories=tuple(own))
    assert text.startswith((NOTHING, "Ich habe dazu nichts gefunden"))
    assert "Vienna" not in text
    assert "tea" not in text


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("Thank you!", "You're welcome."),
        ("Thanks, bye", "You're welcome."),
        ("Thanks a lot for your help!", "You're welcome."),
        ("Danke!", "Gern geschehen."),
        ("Vielen Dank", "Gern geschehen."),
        ("Good night", "Goodbye."),
        ("Gute Nacht!", "Bis bald."),
        ("How are you?", "Hello."),
        ("Hi, how are you today?", "Hello."),
        ("Who are you?", "I am the offline responder"),
        ("Tell me a joke", "More than looking things up needs a language model."),
        ("Erzähl mir einen Witz", "Mehr als Nachschlagen braucht ein Sprachmodell."),
        ("What is 2+2?", "More than looking things up needs a language model."),
    ],
)
async def test_small_talk_is_answered_in_a_short_sentence_without_a_search(body, answer):
    documents = Search("a.md: How are you? Tell me a joke, thanks.")
    text = await reply(body, memories=KNOWN, search_resources=documents)
    assert text.startswith(answer)
    assert "Odoo" not in text
    assert documents.queries == []


@pytest.mark.parametrize(
    "body", ["Thanks, where do I live?", "Hi, where do I live?", "Good morning. Where do I live?"]
)
async def test_a_question_after_a_greeting_is_answered(body):
    assert await reply(body, memories=KNOWN) == "From your memory: city: Vienna"


async def test_what_comes_closest_to_a_question_about_others_is_not_about_oneself():
    own = memory("summer house: by the lake in Krems")
    brothers = memory("my brother: summer house: in Krems")
    text = await reply("Where does my brother spend July?", memories=(own, brothers))
    assert "by the lake" not in text
    assert "my brother: summer house: in Krems" in text
    assert (await reply("Where does Paul spend July?", memories=(own,))).startswith(NOTHING)


async def test_what_only_a_model_can_do_is_not_said_to_be_missing_from_memory():
    assert await reply("Write an email to the landlord.") == (
        "More than looking things up needs a language model."
    )


@pytest.mark.parametrize(
    "body", ["Where do I live?", "I live in Graz.", "What do you know about me?"]
)
async def test_a_chat_without_memory_says_so(body):
    text = await reply(body, memory_on=False)
    assert text.startswith("This chat doesn't use your memory")
    assert "found nothing" not in text


async def test_a_first_reply_introduces_itself_once():
    *_, run = await stream("Who are you?", replace(context(), history=()))
    assert run.output.count("I am the offline responder") == 1
