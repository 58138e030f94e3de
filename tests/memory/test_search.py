import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.memory.recall import recall, search, search_archive
from memoryapp.models import Chat, Fact, Message
from tests.memory.findable import TOOLS, earlier_chat, make_fact, said, texts


@pytest.fixture
def terraform(ada):
    return make_fact(ada, "deployment_tools", "Terraform through GitHub Actions")


def test_words_are_found_in_the_language_each_row_was_written_in(ada, chat):
    ada.language = "de"
    make_fact(ada, "wohnung", "Zwei Häuser am See", config="german")
    make_fact(ada, "server", "Deployments happen nightly", config="english")
    Fact.objects.update(embedding=None)
    assert texts(search(ada, "Welches Haus?"))[0] == "wohnung: Zwei Häuser am See"
    best = search(ada, "Deployments")[0]
    assert (best.text, best.words) == ("server: Deployments happen nightly", 1.0)


def test_what_was_said_in_several_languages_is_passed_over_once(ada):
    for language, body in (("de", "Zwei Häuser am See"), ("fr", "Deux maisons"), ("en", "Houses")):
        ada.language = language
        earlier_chat(ada, body)
    Message.objects.update(embedding=None)
    with CaptureQueriesContext(connection) as queries:
        found = search(ada, "Haus maison house", kind="turn")
    assert {turn.text: turn.words > 0 for turn in found} == {
        "Zwei Häuser am See": True, "Deux maisons": True, "Houses": True,
    }  # fmt: skip
    assert sum("bool_or(config <>" in query["sql"] for query in queries) == 1


def test_stop_words_count_for_nothing(ada, terraform):
    assert search(ada, "what do I use the for", min_score=-1)[0].words == 0


@pytest.mark.parametrize(
    "question",
    ["", " ", "?", "\0", "'; drop table memoryapp_fact; --", "%s %(x)s {rows}", "\\ ' \" & | ! :*",
     "https://example.org/a?b=c&d", "word " * 30_000, "😀", "日本語", "a" * 5000],
)  # fmt: skip
def test_any_question_can_be_asked(ada, chat, terraform, question):
    earlier_chat(ada, "We deploy with Terraform.")
    recall(ada, chat, question)
    search(ada, question)
    assert search(ada, "terraform")[0].id == str(terraform.pk)


def test_search_gives_facts_best_first_with_a_least_score_and_a_kind(ada, terraform):
    make_fact(ada, "dish", "likes tools for pasta", kind="preference")
    assert texts(search(ada, TOOLS)) == [terraform.text, "dish: likes tools for pasta"]
    assert texts(search(ada, TOOLS, limit=1)) == [terraform.text]
    assert texts(search(ada, TOOLS, min_score=0.5)) == [terraform.text]
    assert texts(search(ada, TOOLS, kind="preference")) == ["dish: likes tools for pasta"]
    assert search(ada, " ") == []


def test_search_looks_through_turns_when_asked(ada, terraform):
    earlier_chat(ada, "We deploy with Terraform.")
    assert texts(search(ada, TOOLS, kind="turn")) == ["We deploy with Terraform."]


def test_a_turn_is_found_by_what_the_fact_says_that_it_taught(ada):
    (taught,) = said(Chat.objects.create(user=ada), "The same as always.")
    earlier_chat(ada, "We bought a hammer.")
    assert texts(search(ada, TOOLS, kind="turn"))[0].startswith("We bought")
    make_fact(ada, "infrastructure_tools", "Terraform for deployments", source_message=taught)
    assert search(ada, TOOLS, kind="turn")[0].id == str(taught.pk)


def test_search_leaves_out_other_users_facts_and_turns(ada, ben):
    make_fact(ben, "deployment_tools", TOOLS)
    earlier_chat(ben, "We deploy with Terraform.")
    assert search(ada, TOOLS) == search(ada, TOOLS, kind="turn") == []


def test_search_archive_finds_old_messages_of_all_chats_but_what_the_prompt_has(ada, ben, chat):
    earlier_chat(ada, "We deploy with Terraform.")
    earlier_chat(ada, "We deploy with Pulumi.", memory_on=False)
    earlier_chat(ben, "We deploy with Ansible.")
    said(chat, "We deploy with Chef.")
    assert set(texts(search_archive(ada, TOOLS))) == {
        "We deploy with Terraform.",
        "We deploy with Chef.",
    }
    assert texts(search_archive(ada, TOOLS, chat=chat)) == ["We deploy with Terraform."]
    assert search_archive(ada, "Who wrote Hamlet?", chat=chat) == []


def test_search_archive_finds_nothing_while_memory_is_off(ada, chat):
    earlier_chat(ada, "We deploy with Terraform.")
    chat.memory_on = False
    assert search_archive(ada, TOOLS, chat=chat) == []
    ada.memory_on = False
    assert search_archive(ada, TOOLS) == []


@pytest.mark.parametrize(
    ("language", "value", "question"),
    [
        ("zh", "我住在维也纳，喜欢喝咖啡", "维也纳的咖啡好喝吗"),
        ("ja", "先月、東京に引っ越しました", "東京"),
        ("th", "ฉันอาศัยอยู่ที่กรุงเทพ", "กรุงเทพ"),
        ("en", "my cat is called 小猫咪", "小猫"),
    ],
)
def test_words_are_found_in_scripts_without_spaces(ada, language, value, question):
    ada.language = language
    make_fact(ada, "note", value)
    make_fact(ada, "other", "北京烤鸭 大阪 เชียงใหม่")
    Fact.objects.update(embedding=None)
    best, other = search(ada, question, min_score=-1)
    assert best.text == f"note: {value}"
    assert best.words > 0.3 > other.words


def test_what_only_stands_near_a_word_is_not_found_by_words(ada):
    earlier_chat(ada, "The night train to Zagreb was full.", "It rained a lot.")
    reasons = {turn.text: turn.reason for turn in search(ada, "Zagreb?", kind="turn")}
    assert reasons == {
        "The night train to Zagreb was full.": "words",
        "It rained a lot.": "meaning",
    }
