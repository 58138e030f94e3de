"""What is denied, imagined, planned or over is no fact, however its quote is cut."""

import pytest

from memoryapp.memory.language.asserting import says_so
from tests.factories import proposal

# The message, the key, the value and, where it isn't the message, the quote.
NOT_SO = [
    ("I don't like olives.", "likes", "olives"),
    ("I don't like olives.", "likes", "likes olives", "like olives"),
    ("I like olives.", "olives", "doesn't like olives"),
    ("I have a car.", "has_car", "no"),
    ("I owe my bank 20000 euros.", "debt", "not owe my bank 20000 euros"),
    ("I don't have a car.", "has_car", "yes"),
    ("I don't live in Paris.", "city", "Paris", "live in Paris"),
    ("I don't live in Berlin any more, I live in Graz.", "city", "Berlin"),
    ("I don't eat meat, fish or dairy.", "eats_dairy", "dairy"),
    ("I don't speak German, only English.", "language", "German"),
    ("I'm a nurse, not a doctor.", "job", "doctor"),
    ("I work with Python, not Java.", "language", "Java"),
    ("I drink coffee without milk.", "milk", "milk"),
    ("If I lived in Paris, I would eat croissants.", "city", "Paris", "I lived in Paris"),
    ("If I lived in Paris, I would eat croissants.", "food", "croissants", "eat croissants"),
    ("I wish I lived in Paris.", "city", "Paris", "I lived in Paris"),
    ("Maybe I'm Italian.", "nationality", "Italian"),
    ("I might move to Oslo.", "city", "Oslo"),
    ("I want to live in Oslo.", "city", "Oslo"),
    ("I was in Oslo last week.", "city", "Oslo"),
    ("I'm going on holiday in Oslo.", "city", "Oslo"),
    ("I lived in Oslo for two years.", "city", "Oslo"),
    ("I used to live in Paris.", "city", "Paris", "live in Paris"),
    ("I used to smoke.", "habit", "smokes", "smoke"),
    ("I quit Siemens and joined Bosch.", "employer", "Siemens"),
    ("Imagine I am a pirate named Jack.", "name", "Jack"),
    ("Let's pretend: I rule Mars. I live on Mars.", "city", "Mars", "I live on Mars"),
    ("In my novel the hero is called Max.", "name", "Max"),
    ("I dreamt that I was a pilot.", "job", "pilot", "I was a pilot"),
    ("Once I retire, I'm moving to Oslo.", "city", "Oslo"),
    ("If I win, I'm buying a boat.", "boat", "boat"),
    ("I'm tempted to quit and open a shop.", "business", "shop"),
    ("I'd rather eat glass.", "diet", "glass", "eat glass"),
    ("I started piano at 50, gave it up.", "instrument", "piano"),
    ("As a kid I hated olives.", "dislikes", "olives", "I hated olives"),
    ("We decided against the boat.", "boat", "boat"),
    ("Wir haben uns gegen das Boot entschieden.", "boot", "Boot"),
    ("Ich hätte so gern ein Boot.", "boot", "Boot"),
    ("Explain it like I'm five.", "age", "five"),
    ("I'm gluten intolerant jk lol I eat bread.", "intolerance", "gluten"),
    ("I'm supposed to be on a low salt diet.", "diet", "low salt"),
    ("I'm more of a cat person than a dog person.", "likes", "dogs"),
    ("Ich mag keine Oliven.", "likes", "Oliven"),
    ("Oliven mag ich nicht.", "likes", "Oliven", "Oliven mag ich"),
    ("Ich wohne nicht mehr in Wien.", "city", "Wien", "in Wien"),
    ("Früher habe ich in Wien gewohnt.", "city", "Wien", "in Wien gewohnt"),
    ("Wenn ich in Paris wohnen würde, äße ich gut.", "city", "Paris", "ich in Paris wohnen"),
    ("Stell dir vor, ich bin ein Pirat.", "job", "Pirat", "ich bin ein Pirat"),
    ("我不喜欢香菜。", "likes", "喜欢香菜", "喜欢香菜"),
    ("我不是护士，住在杭州。", "job", "护士"),
    ("如果我住在北京，我会很开心。", "city", "北京", "我住在北京"),
    ("我以前住在北京。", "city", "北京"),
    ("لا أحب الزيتون.", "likes", "الزيتون"),
    ("لو كنت أعيش في دبي لسافرت كثيرا.", "city", "دبي", "أعيش في دبي"),
    ("魚は好きではありません。", "likes", "魚"),
    ("猫は飼っていませんが、犬を飼っています。", "pet", "猫"),
    ("Ankara'da yaşamıyorum.", "city", "Ankara"),
    ("My name isn't Hannah.", "name", "Hannah"),
    ("I never use tabs, always spaces.", "indentation", "tabs"),
    ("I worked at Siemens before I became a teacher.", "employer", "Siemens"),
    ("لم أعد أعيش في القاهرة، أعيش الآن في دبي.", "city", "القاهرة"),
]
SO = [
    ("I don't like olives.", "dislikes", "olives"),
    ("I don't like olives.", "olives", "doesn't like olives"),
    ("I don't have a car.", "has_car", "no"),
    ("I have no siblings.", "siblings", "none"),
    ("I don't live in Berlin any more, I live in Graz.", "city", "Graz"),
    ("I don't eat meat, fish or dairy.", "avoids", "dairy"),
    ("I don't speak German, only English.", "language", "English"),
    ("I'm not a doctor but a nurse.", "job", "nurse"),
    ("No, Graz.", "city", "Graz"),
    ("I drink coffee without milk.", "coffee", "coffee without milk"),
    ("I can't live without coffee.", "likes", "coffee"),
    ("I live at No. 5 Baker Street.", "address", "5 Baker Street"),
    ("Don't forget that I live in Graz.", "city", "Graz"),
    ("I don't drink more than two coffees.", "coffee", "two coffees"),
    ("If you must know, I live in Graz.", "city", "Graz"),
    ("If I'm tired, I drink tea.", "habit", "drinks tea when tired"),
    ("I want to live in Oslo one day.", "dream_city", "Oslo"),
    ("I was born in Graz.", "birthplace", "Graz"),
    ("Unless I'm mistaken my lease runs till May.", "lease", "till May"),
    ("I want to travel and I have a boat.", "boat", "boat"),
    ("If you call, my number is 4711.", "number", "4711"),
    ("No I said Graz.", "city", "Graz"),
    ("Even though I'm a lawyer I can't stand paperwork.", "job", "lawyer"),
    ("I was promoted to team lead.", "job", "team lead"),
    ("I have lived in Graz for ten years.", "city", "Graz"),
    ("I worked at Siemens until 2019.", "former_employer", "Siemens"),
    ("I quit Siemens and joined Bosch.", "employer", "Bosch"),
    ("I used to play in a band called Moonquake.", "band", "Moonquake"),
    ("I'm used to black coffee.", "coffee", "black coffee"),
    ("In my novel the hero is called Max.", "novel_hero", "Max"),
    ("I work in the film industry.", "industry", "film industry"),
    ("I work at Amazon.", "employer", "Amazon"),
    ("Ich esse nicht gern Fisch.", "dislikes", "Fisch"),
    ("Vergiss nicht, dass ich in Graz wohne.", "city", "Graz"),
    ("Nicht nur Tee, auch Kaffee trinke ich.", "drink", "Tee und Kaffee"),
    ("我不是护士，住在杭州。", "city", "杭州"),
    ("我特别喜欢绿茶。", "likes", "绿茶"),
    ("我不吃辣。", "diet", "不吃辣"),
    ("لا تنس أنني أعيش في دبي.", "city", "دبي"),
    ("猫は飼っていませんが、犬を飼っています。", "pet", "犬"),
    ("Kedim yok ama bir köpeğim var.", "pet", "köpek"),
    ("Moro no Recife.", "city", "Recife"),
    ("I can't stand cilantro.", "food_aversion", "cilantro"),
    ("My daughter Mia isn't in school yet, she's 4.", "daughter_name", "Mia"),
    ("I worked at Siemens before I became a teacher.", "job", "teacher"),
    ("I moved here from Poland when I was six.", "origin", "Poland"),
    ("We lived in Ghana when our daughter Ama was born.", "daughter_name", "Ama"),
    ("Ich habe immer in Graz gelebt.", "city", "Graz"),
    ("I couldn't be happier with my new bike, a Canyon.", "bike", "Canyon"),
    ("I never miss a game of FC Liverpool.", "team", "FC Liverpool"),
    ("I don't go anywhere without my Kindle.", "device", "Kindle"),
    ("I never use tabs, always spaces.", "indentation", "spaces"),
    ("I haven't told you yet: I got a new job at Spotify.", "employer", "Spotify"),
    ("Without my glasses I'm blind, -6 on both eyes.", "glasses", "-6 on both eyes"),
    ("We used to have two cars, now we have one, a Skoda.", "car", "Skoda"),
    ("Ich bin nicht nur Lehrer, sondern auch Imker.", "hobby", "Imker"),
    ("My phone isn't an iPhone, it's a Pixel 8.", "phone", "Pixel 8"),
    ("我没时间做饭，我住在杭州。", "city", "杭州"),
    ("لم أعد أعيش في القاهرة، أعيش الآن في دبي.", "city", "دبي"),
]


def is_so(body, key, value, quote="", **fields):
    return says_so(proposal(key, value, quote or body.strip(".。"), **fields), body)


@pytest.mark.parametrize("case", NOT_SO, ids=lambda case: " ".join(case[:3]))
def test_what_isnt_so_now_supports_nothing(case):
    assert not is_so(*case)


@pytest.mark.parametrize("case", SO, ids=lambda case: " ".join(case[:3]))
def test_what_is_so_does_and_what_is_stored_may_deny_it_too(case):
    assert is_so(*case)


def test_a_wish_for_the_answers_isnt_turned_into_its_opposite():
    assert not is_so("Don't use emojis.", "emojis", "use emojis", table="prompt")
    assert is_so("Don't use emojis.", "emojis", "no emojis", table="prompt")
    assert is_so("Please never use tables, use lists.", "form", "use lists", table="prompt")


def test_a_wish_and_a_task_may_depend_on_something():
    wish = "If I write German, answer in German."
    assert is_so(wish, "language", "answer in German if I write German", table="prompt")
    assert is_so("Maybe remind me to call Mum.", "call", "call Mum", kind="task")
    assert is_so("I still haven't booked the hotel.", "book", "book the hotel", kind="task")
    assert is_so("I must not forget to call Mum.", "call", "call Mum", kind="task")
