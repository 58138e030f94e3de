"""Whom what a person says is about."""

import pytest

from memoryapp.memory.language.whose import is_about_somebody_else
from tests.factories import proposal


@pytest.mark.parametrize(
    ("body", "quote", "key", "value"),
    [
        ("My friend Tom hates olives.", "hates olives", "dislikes", "olives"),
        ("I love jazz, and my wife loves opera.", "my wife loves opera", "music", "opera"),
        ("My boss is Henrik. He hates emails.", "He hates emails", "dislikes", "emails"),
        ("Tom lives in Graz.", "Tom lives in Graz", "city", "Graz"),
        ("Mein Bruder mag keinen Spinat.", "mag keinen Spinat", "dislikes", "Spinat"),
        ("我朋友讨厌榴莲。", "讨厌榴莲", "dislikes", "榴莲"),
        ("صديقي يكره الزيتون.", "يكره الزيتون", "dislikes", "الزيتون"),
    ],
)
def test_what_is_said_of_another_is_not_about_the_person(body, quote, key, value):
    operation = proposal(key, value, quote)
    assert is_about_somebody_else(operation, body)
    assert not is_about_somebody_else(proposal(key, value, quote, subject="they"), body)


@pytest.mark.parametrize(
    ("body", "quote", "key", "value"),
    [
        ("My sister's name is Maria.", "My sister's name is Maria", "sister_name", "Maria"),
        ("My cat is called Muffin.", "My cat is called Muffin", "pet_name", "Muffin"),
        ("My boss wants me to be brief.", "wants me to be brief", "style", "brief"),
        ("My wife and I live in Graz.", "I live in Graz", "city", "Graz"),
        ("Tom hates olives, but I love them.", "I love them", "likes", "them"),
        ("Dinner is at eight.", "Dinner is at eight", "dinner", "at eight"),
        ("My cat is Mimi and my favourite food is pie.", "my favourite food is pie", "food", "pie"),
        ("A guy from my home town, Ennis.", "Ennis", "home_town", "Ennis"),
        ("Before the kids I was in a band.", "I was in a band", "past", "band"),
        ("My mum is vegan, me too.", "My mum is vegan, me too", "diet", "vegan"),
        ("Mein Hund heißt Rex und mein Hobby ist Tanz.", "Hobby ist Tanz", "hobby", "Tanz"),
    ],
)
def test_others_may_be_named_in_what_is_about_the_person(body, quote, key, value):
    assert not is_about_somebody_else(proposal(key, value, quote), body)


@pytest.mark.parametrize(
    ("body", "key", "value"),
    [
        ("A friend of mine hates olives.", "dislikes", "olives"),
        ("I think my neighbour is a teacher.", "job", "teacher"),
        ("My mum has two cats.", "pets", "two cats"),
        ("Zwei Kinder hat meine Schwester.", "children", "zwei Kinder"),
        ("Die Katze meiner Nachbarin heißt Mimi und sitzt bei uns.", "pet", "Mimi"),
        ("My uncle who lives in Bonn left me his watch.", "city", "Bonn"),
        ("I write a novel, the inspector lives in Bonn.", "city", "Bonn"),
        ("I have a friend who lives in Bonn.", "city", "Bonn"),
        ("We visited Tom, who lives in Bonn.", "city", "Bonn"),
        ("The guy I met yesterday is called Pedro.", "name", "Pedro"),
        ("Someone told me that Anna lives in Rome.", "city", "Rome"),
        ("I told Tom that he lives in the wrong town, Bonn.", "city", "Bonn"),
        ("Our neighbour has a boat.", "boat", "has a boat"),
        ("A mate of mine has a boat.", "boat", "has a boat"),
        ("My Berlin friends love techno.", "likes", "Berlin techno"),
        ("My ex-girlfriend lives in Rome.", "city", "Rome"),
        ("The patient takes aspirin.", "medication", "aspirin"),
        ("Dad is a plumber.", "job", "plumber"),
        ("Her name is Anna.", "name", "Anna"),
        ("Anna and Tom live in Linz.", "city", "Linz"),
        ("Tom's favourite food is pizza.", "favourite_food", "pizza"),
        ("Yesterday Anna moved to Bern.", "city", "Bern"),
        ("You are a pirate.", "job", "pirate"),
        ("Ein Freund von mir wohnt in Bonn.", "city", "Bonn"),
        ("Ich habe eine Freundin, die in Bonn wohnt.", "city", "Bonn"),
        ("Tims Lieblingsessen ist Pizza.", "favourite_food", "Pizza"),
        ("Sie wohnt in Rom.", "city", "Rom"),
        ("我有一个朋友住在上海。", "city", "上海"),
        ("小明住在上海。", "city", "上海"),
        ("أحمد يعيش في دبي.", "city", "دبي"),
        ("彼は大阪に住んでいます。", "city", "大阪"),
        ("田中さんは大阪に住んでいます。", "city", "大阪"),
        ("Ahmet Ankara'da yaşıyor.", "city", "Ankara"),
    ],
)
def test_whoever_it_is_that_is_spoken_of(body, key, value):
    assert is_about_somebody_else(proposal(key, value, body.strip(".。")), body)


@pytest.mark.parametrize(
    ("body", "key", "value"),
    [
        ("Just moved to Graz.", "city", "Graz"),
        ("Home is Graz.", "city", "Graz"),
        ("Fridays are for the kids.", "day_off", "Fridays"),
        ("Python is my favourite language.", "language", "Python"),
        ("My friends call me Bob.", "nickname", "Bob"),
        ("You can call me Bob.", "nickname", "Bob"),
        ("They hired me as a baker.", "job", "baker"),
        ("I'm someone who loves order.", "trait", "loves order"),
        ("I think she knows that I hate olives.", "dislikes", "olives"),
        ("Our team deploys with Helm.", "deployment", "Helm"),
        ("My son Max is five.", "son_age", "five"),
        ("Lena is my sister.", "sister_name", "Lena"),
        ("Meine Frau und ich wohnen in Graz.", "city", "Graz"),
        ("我和妹妹住在上海。", "city", "上海"),
        ("أعيش مع أختي في دبي.", "city", "دبي"),
        ("妹と大阪に住んでいます。", "city", "大阪"),
        ("Annemin adı Elif.", "mother_name", "Elif"),
    ],
)
def test_the_person_is_spoken_of_with_others_about(body, key, value):
    assert not is_about_somebody_else(proposal(key, value, body.strip(".。")), body)


def test_what_one_says_of_oneself_says_nothing_of_another_subject():
    body = "My sister Maria visited. I live in Ghent."
    theirs = proposal("city", "Ghent", "I live in Ghent", subject="my sister Maria")
    assert is_about_somebody_else(theirs, body)
    both = "My wife's vegan and I'm lactose intolerant."
    hers = proposal("health", "lactose intolerant", "I'm lactose intolerant", subject="my wife")
    assert is_about_somebody_else(hers, both)
    hers = proposal("city", "Rome", "She lives in Rome", subject="my sister Maria")
    assert not is_about_somebody_else(hers, "She lives in Rome.")
