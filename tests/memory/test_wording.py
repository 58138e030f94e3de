import pytest

from memoryapp.memory.language import wording


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("The user's city is Vienna", {"city", "vien"}),
        ("prefers dark UI themes", {"dark", "ui", "them"}),
        ("doesn't like cats", {"not", "cat"}),
        ("喜欢绿茶", {"喜欢", "欢绿", "绿茶"}),
        ("المدينة", {"مدين"}),
        ("good morning", {"good", "morn"}),
    ],
)
def test_content_is_what_carries_a_text(text, carried):
    assert wording.content(text) == carried


def test_what_is_denied_has_another_content_than_what_is_told():
    assert wording.content("likes tea") != wording.content("never likes tea")


@pytest.mark.parametrize("typed", ["Zürich", "Zuerich", "Zurich"])
def test_umlauts_may_be_typed_in_other_ways(typed):
    assert wording.said("Zürich", f"I live in {typed}")
    assert wording.content(typed) == {"zuri"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("i dont know", "i don't know"),
        ("im a nurse", "i'm a nurse"),
        ("im August", "im August"),
        ("it was its turn", "it was its turn"),
    ],
)
def test_apostrophes_may_be_left_out(typed, meant):
    assert wording.spelled(typed) == meant


def test_parts_of_longer_words_are_said_too():
    assert wording.said("Arzt für Kinder", "Ich bin Kinderarzt") == {"arzt", "kind"}
    assert wording.said("Vienna", "I live in Graz") == set()


@pytest.mark.parametrize(
    ("value", "is_telling"),
    [("Graz", True), ("Rex", True), ("成都", True), ("4711", True), ("yes", False), ("42", False)],
)
def test_some_values_say_nothing_by_themselves(value, is_telling):
    assert wording.is_telling(value) is is_telling


@pytest.mark.parametrize(
    ("text", "is_repeated"),
    [
        ("Graz is lovely. So is my houseboat.", False),
        ("Our Graz houseboat needs paint.", True),
        ("I live on a houseboat in Graz", True),
        ("A houseboat, somewhere", False),
    ],
)
def test_a_value_is_repeated_by_all_that_carries_it_in_one_sentence(text, is_repeated):
    assert wording.repeats(text, "lives on a houseboat in Graz") is is_repeated


def test_a_text_holds_the_content_of_each_of_its_stretches():
    assert frozenset({"oat", "milk"}) in wording.contents("I had oat milk in my coffee")
    assert frozenset({"绿茶"}) in wording.contents("我喜欢喝绿茶。")
    assert frozenset({"oat", "coff"}) not in wording.contents("I had oat milk in my coffee")


@pytest.mark.parametrize(
    ("value", "known", "adds_nothing"),
    [
        ("The user's city is Graz", ["Graz"], True),
        ("nurse at the AKH", ["AKH"], False),
        ("Graz and the accordion", ["Graz", "plays the accordion"], True),
        ("the accordion", ["Graz"], False),
        ("city", ["Graz"], False),
        ("city", ["city"], True),
    ],
)
def test_a_value_that_is_known_in_other_words_adds_nothing(value, known, adds_nothing):
    body = "I'm a nurse at the AKH in Graz, and I play the accordion."
    assert wording.adds_nothing(value, known, body, key="city") is adds_nothing


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("city", "user_city_2", True),
        ("residence", "city", True),
        ("workplace", "employer", True),
        ("name", "first_name", True),
        ("name", "dog_name", False),
        ("city", "work_city", False),
        ("kyoto_2019", "kyoto_2024", False),
    ],
)
def test_keys_that_differ_in_nothing_that_matters_are_the_same(one, other, is_same):
    assert wording.is_same_key(one, other) is is_same


def test_every_spelling_of_a_key_leads_to_the_same_one():
    assert {wording.canonical(key) for key in wording.spellings("residence")} == {"city"}
    assert "user_city" in wording.spellings("town")


def test_a_value_without_any_word_is_repeated_letter_for_letter_only():
    assert wording.repeats("Well done 👍👍", "👍👍")
    assert not wording.repeats("I live in Graz.", "👍👍")


def test_a_text_without_marks_is_taken_as_it_is():
    plain = "All that a person has said is gone through to forget one thing. " * 10
    assert wording.unmarked(plain) is plain
    assert wording.unmarked("Zürich, Çeşme, пойдём") == "Zurich, Cesme, поидем"
