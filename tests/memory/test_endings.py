"""What ends a memory, and what only sounds like it."""

import pytest

from memoryapp.memory.language.endings import ends_of_itself, says_it_ended
from memoryapp.models import Fact
from tests.factories import proposal


def ends(known, key, value, body, **fields):
    row = Fact(key=key, value=value, quote=known.strip(".。"), **fields)
    return says_it_ended(row, proposal(key, "", body.strip(".。!")), body)


@pytest.mark.parametrize(
    ("known", "key", "value", "body"),
    [
        ("I live in Berlin.", "city", "Berlin", "I no longer live in Berlin."),
        ("I like opera.", "likes", "opera", "Scratch that about opera."),
        ("I like opera.", "likes", "opera", "I take back what I said about opera."),
        ("I'm vegan.", "diet", "vegan", "I'm not vegan."),
        ("I have a broken leg.", "injury", "broken leg", "It was my sister who broke her leg."),
        ("I play the harp.", "instrument", "harp", "Actually my sister plays the harp."),
        ("I own a Vespa.", "vehicle", "Vespa", "My Vespa was stolen."),
        ("I have a cat called Muffin.", "cat", "Muffin", "Muffin passed away last week."),
        ("I have a boyfriend called Tim.", "boyfriend", "Tim", "Tim and I broke up."),
        ("I work at Siemens.", "employer", "Siemens", "I handed in my notice at Siemens."),
        ("Ich wohne in Wien.", "city", "Wien", "Ich bin aus Wien weggezogen."),
        ("Ich mag Opern.", "likes", "Opern", "Vergiss das mit den Opern."),
        ("Ich arbeite bei Siemens.", "employer", "Siemens", "Ich wurde bei Siemens entlassen."),
        ("Ich habe einen Hund, Bello.", "dog", "Bello", "Bello ist letzte Woche verstorben."),
        ("我住在北京。", "city", "北京", "我已经离开北京了。"),
        ("我喜欢歌剧。", "likes", "歌剧", "忘了我说的歌剧。"),
        ("أعمل في سيمنز.", "employer", "سيمنز", "تركت العمل في سيمنز."),
        ("أحب الأوبرا.", "likes", "الأوبرا", "انس ما قلته عن الأوبرا."),
        ("車を持っています。", "car", "車", "車を売りました。"),
        ("Siemens'te çalışıyorum.", "employer", "Siemens", "Siemens'ten ayrıldım."),
        ("Je travaille chez Siemens.", "employer", "Siemens", "J'ai quitté Siemens."),
        ("Tengo un coche.", "car", "coche", "Vendí el coche."),
        ("My dog is called Rex.", "dog", "Rex", "We had to put Rex down yesterday."),
        ("I have a cat.", "pet", "cat", "The cat ran away."),
        ("I work at Siemens.", "employer", "Siemens", "Today was my last day at Siemens."),
        ("I drive a Saab.", "car", "Saab", "I crashed the Saab, total loss."),
        ("I'm writing a novel.", "project", "novel", "I abandoned the novel."),
        ("I like coffee.", "likes", "coffee", "I can't drink coffee any longer."),
        ("I take ibuprofen.", "medication", "ibuprofen", "I'm off ibuprofen now."),
        ("I'm Anna.", "name", "Anna", "My name isn't Anna, that was a joke."),
        ("我有一只狗。", "宠物", "狗", "我的狗死了。"),
        ("我是老师。", "工作", "老师", "我不当老师了。"),
        ("I drive a Golf.", "car", "Golf", "The Golf is finally sold."),
        ("I live in Mainz.", "city", "Mainz", "I left Mainz for good."),
        (
            "I'm moving to Oslo.",
            "moving",
            "moving to Oslo",
            "I'm not moving to Oslo, just kidding.",
        ),
    ],
)
def test_an_end_is_told_in_many_words(known, key, value, body):
    assert ends(known, key, value, body)


@pytest.mark.parametrize(
    ("known", "key", "value", "body"),
    [
        ("I live in Berlin.", "city", "Berlin", "I never liked the winters in Berlin."),
        ("I live in Berlin.", "city", "Berlin", "My brother no longer lives in Berlin."),
        ("I live in Berlin.", "city", "Berlin", "If I no longer lived in Berlin I'd be sad."),
        ("I live in Berlin.", "city", "Berlin", "I will not leave Berlin."),
        ("I live in Berlin.", "city", "Berlin", "Berlin is not that big."),
        ("I play the harp.", "instrument", "harp", "I'm not going to stop playing the harp."),
        ("I play the harp.", "instrument", "harp", "My sister stopped playing the harp."),
        ("I work at Siemens.", "employer", "Siemens", "A colleague quit at Siemens."),
        ("I work at Siemens.", "employer", "Siemens", "I don't like the canteen at Siemens."),
        ("I work at Siemens.", "employer", "Siemens", "I might quit Siemens."),
        ("I work at Siemens.", "employer", "Siemens", "Actually, a colleague quit at Siemens."),
        ("Ich wohne in Wien.", "city", "Wien", "Meine Schwester wohnt nicht mehr in Wien."),
        ("Ich wohne in Wien.", "city", "Wien", "Wien ist nicht billig."),
        ("我住在北京。", "city", "北京", "我朋友不住在北京了。"),
        ("我住在北京。", "city", "北京", "北京不便宜。"),
        ("I live in Mainz.", "city", "Mainz", "I sold my bike in Mainz."),
        ("I live in Mainz.", "city", "Mainz", "The past week in Mainz was hot."),
        ("I live in Mainz.", "city", "Mainz", "My Mainz friends left."),
        ("I drive a Golf.", "car", "Golf", "I changed the tyres on the Golf."),
        ("I have a dog called Rex.", "dog", "Rex", "I gave Rex his pills."),
        ("I have a dog called Rex.", "dog", "Rex", "Rex ran away, but he's back."),
        ("I play chess.", "hobby", "chess", "I lost to my brother at chess."),
        ("I have to renew my passport.", "passport", "renew passport", "I've renewed my passport."),
    ],
)
def test_what_is_said_of_others_or_denies_something_else_ends_nothing(known, key, value, body):
    assert not ends(known, key, value, body)


@pytest.mark.parametrize("quote", ["I got laid off", "They let me go", "Ich bin arbeitslos"])
def test_some_endings_need_not_name_what_ends(quote):
    job, home = (Fact(key=key, value=key.title()) for key in ("employer", "city"))
    assert ends_of_itself(job, quote)
    assert not ends_of_itself(home, quote)


@pytest.mark.parametrize(
    "quote",
    [
        "Let us go to the park",
        "Den Vertrag mit Vodafone hab ich gekündigt",
        "I separated the eggs",
    ],
)
def test_what_ends_something_else_is_not_of_the_job(quote):
    assert not any(ends_of_itself(Fact(key=key, value="?"), quote) for key in ("job", "partner"))


def test_what_is_known_of_others_ends_when_it_does_for_them():
    known = ("My brother lives in Bern.", "city", "Bern", "My brother no longer lives in Bern.")
    assert ends(*known, subject="my brother")


@pytest.mark.parametrize(
    "body",
    [
        "I've renewed my passport.",
        "My passport is renewed.",
        "Mein Pass ist verlängert.",
        "Ich habe den Pass verlängert.",
    ],
)
def test_a_task_ends_when_it_has_happened(body):
    known = ("Remind me to renew my passport (Pass).", "passport", "renew passport")
    assert ends(*known, body, kind="task")
    assert not ends(*known, f"It isn't true that {body}", kind="task")
