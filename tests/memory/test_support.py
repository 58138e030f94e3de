import pytest

from memoryapp.memory.language.support import (
    is_echo,
    is_request,
    is_supported,
    unsaid_dates,
    unsaid_names,
)
from tests.factories import proposal


@pytest.mark.parametrize(
    ("key", "value", "quote"),
    [
        ("city", "Vienna", "I moved to Vienna"),
        ("allergic_to_nuts", "yes", "I'm allergic to nuts"),
        ("城市", "维也纳", "我住在维也纳"),
        ("job", "Ärztin für Kinder", "Ich bin Kinderärztin"),
        ("birthday", "1990-03-12", "I was born on 12.3.1990"),
        ("diet", "vegan food", "I'm vegan"),
        ("tone", "Answer in short bullet points", "short bullet points please"),
        ("form", "Don't use bullet points", "stop using bullet points"),
    ],
)
def test_a_quote_supports_what_it_speaks_of(key, value, quote):
    assert is_supported(proposal(key, value, quote))


@pytest.mark.parametrize(
    ("key", "value", "quote"),
    [
        ("name", "John Doe", "I live in Vienna"),
        ("live_with", "John Doe", "I live in Vienna"),
        ("born", "born in Paris", "I live in Vienna"),
        ("diet", "not known", "I'm not vegan any more"),
        ("mood", "good morning", "Good morning"),
        ("city", "", "I live in Vienna"),
        ("茶", "绿茶和咖啡", "我喜欢绿茶"),
    ],
)
def test_a_word_or_two_in_common_support_nothing(key, value, quote):
    assert not is_supported(proposal(key, value, quote))


WORDS = ["harbour", "granite", "violet", "pepper", "thunder"]


@pytest.mark.parametrize(("carried", "least"), [(1, 1), (2, 1), (3, 2), (4, 3), (5, 3)])
def test_more_than_half_of_what_carries_a_value_must_be_in_the_quote(carried, least):
    value = " ".join(WORDS[:carried])
    assert is_supported(proposal("note", value, " ".join(WORDS[:least])))
    assert not is_supported(proposal("note", value, " ".join([*WORDS[: least - 1], "elsewhere"])))


def test_half_of_the_pairs_is_enough_where_words_are_not_spaced():
    assert is_supported(proposal("note", "软件工程", "我做软件工作"))  # two pairs of three
    assert not is_supported(proposal("note", "软件工程", "我做软的工作"))


@pytest.mark.parametrize(
    ("value", "body", "unsaid"),
    [
        ("lives in Graz with Jane", "I live in Graz", ["Jane"]),
        ("Jane is a teacher", "I am a teacher", ["Jane"]),
        ("room 115", "My office is in room 114", ["115"]),
        ("ship it on 2026-12-04", "ship it on Friday", []),
        ("Prefers tea", "I prefer tea", []),
        ("Li Na", "我叫李娜", ["Li", "Na"]),
    ],
)
def test_names_and_numbers_must_have_been_said(value, body, unsaid):
    assert unsaid_names(proposal("key", value, body), body) == unsaid


@pytest.mark.parametrize(
    ("value", "body", "unsaid"),
    [
        ("GMT+3", "We're on GMT+2", ["3"]),
        ("2 cats", "I have two cats", []),
        ("2 gatos", "Tengo dos gatos", []),
        ("the 14th", "It's on the 14th", []),
        ("84 kg", "I'm down to 84kg", []),
    ],
)
def test_a_number_counts_in_digits_and_in_words(value, body, unsaid):
    assert unsaid_names(proposal("key", value, body), body) == unsaid


@pytest.mark.parametrize(
    ("value", "body", "unsaid"),
    [
        ("jeden Montag Fisch", "Jeden Freitag gibt es Fisch", ["montag"]),
        ("jeden Sonntag Fisch", "Jeden Sonnabend gibt es Fisch", ["sonntag"]),
        ("every Saturday", "Jeden Sonnabend gibt es Fisch", []),
        ("marathon in November", "A half marathon in October", ["november"]),
        ("marathon in September", "A half marathon in Sept", []),
        ("exam in February", "Prüfung ist im Jänner", ["february"]),
        ("dentist at 9:30", "Dentist at 9:40", ["9:30"]),
        ("dentist at 21:40", "Dentist at 9:40", []),
        ("surgery in 2009", "I had surgery in 2019", ["2009"]),
        ("dentist on Tuesday", "Today is Monday, dentist tomorrow", []),
        ("meeting at 10:00", "The meeting is an hour later than 9:00", []),
        ("Friday", "See you then", []),
    ],
)
def test_another_date_of_the_same_kind_must_have_been_said(value, body, unsaid):
    assert unsaid_dates(value, body) == unsaid


def test_where_the_value_is_a_name_its_beginning_is_not_enough():
    body = "I'm Christina from Salzburg"
    assert unsaid_names(proposal("name", "Christian", body), body) == ["Christian"]
    assert unsaid_names(proposal("city", "Salzgitter", body), body) == ["Salzgitter"]
    assert unsaid_names(proposal("city", "Salzburg", body), body) == []
    assert unsaid_names(proposal("city", "Zürich", body), "I moved to Zuerich") == []


def test_a_request_says_nothing_of_the_person():
    body = "Write a poem about the sea. Remind me to swim."
    assert is_request(proposal("topic", "the sea", "a poem about the sea"), body)
    assert not is_request(proposal("swim", "swim", "Remind me to swim", kind="task"), body)
    assert not is_request(proposal("dog", "Rex", "about my dog Rex"), "Write about my dog Rex")


def test_a_sentence_of_the_assistants_is_an_echo_unless_the_person_said_it_too():
    heard = ["So you live in Turku! How nice."]
    assert is_echo("Discussed: so you live in Turku", "I live in Turku", heard)
    assert not is_echo("Turku", "I live in Turku", heard)
    assert not is_echo("how nice", "How nice, I thought", heard)
