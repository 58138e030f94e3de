"""The German catalogue holds every text of the pages."""

import ast
import gettext
import re
from datetime import datetime
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation.template import templatize

from memoryapp.memory import recall
from memoryapp.templatetags.page import told
from tests.factories import make_chat, make_fact
from tests.pages import client_of, text_of

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "locale" / "de" / "LC_MESSAGES" / "django.mo"
CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
STRING = r"""(?:u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")"""
PLACEHOLDER = re.compile(r"%\(\w+\)s")


def texts_of_templates():
    for path in ROOT.glob("templates/**/*.*"):
        code = templatize(path.read_text())
        for text in re.findall(rf"\b(?:_|n?gettext)\(\s*({STRING})", code):
            yield ast.literal_eval(text)


def texts_of_modules():
    for path in ROOT.glob("memoryapp/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_call = isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS
            if is_call and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


@pytest.fixture(scope="module")
def german():
    with CATALOGUE.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog
    return {key: text for key, text in catalogue.items() if key and text}


@pytest.mark.parametrize("texts", [texts_of_templates, texts_of_modules])
def test_every_text_has_a_german_one(german, texts):
    found = set(texts())
    assert len(found) > 50
    translated = {key[0] if isinstance(key, tuple) else key for key in german}
    assert found - translated == set()


def test_every_german_text_is_said_somewhere(german):
    translated = {key[0] if isinstance(key, tuple) else key for key in german}
    assert translated - {*texts_of_templates(), *texts_of_modules()} == set()


def test_translations_ask_for_nothing_that_is_not_given(german):
    for key, text in german.items():
        if isinstance(key, str):  # a singular may say "one" instead of its number
            assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(key)), key


@pytest.mark.django_db
def test_a_person_reads_the_pages_in_their_language(ada):
    ada.language = "de"
    ada.save()
    html = text_of(client_of(ada).get("/memory/"))
    assert '<html lang="de"' in html
    assert "Alles, was ich über dich weiß" in html
    assert "Memory" not in html


def test_a_stranger_is_greeted_in_the_language_of_their_browser(client, db):
    html = text_of(client.get("/accounts/login/", headers={"Accept-Language": "de-AT,de;q=0.9"}))
    assert '<html lang="de"' in html
    assert "Anmelden" in html


@pytest.mark.django_db
def test_forgetting_is_confirmed_in_ones_own_language(ada):
    ada.language = "de"
    ada.save()
    ada.facts.create(key="city", value="Wien", origin="user", actor="ada")
    client = client_of(ada)
    assert client.post("/memory/forget/", {"word": "forget"}).status_code == 422
    assert client.post("/memory/forget/", {"word": "vergessen"}).status_code == 302
    assert not ada.facts.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Article: ship it (fällig Freitag, 4. Dezember 2026{})"),
        ("en", "Article: ship it (due Friday, 4 December 2026{})"),
    ],
)
@pytest.mark.parametrize(("hour", "time"), [(0, ""), (9, ", 09:30")])
def test_a_recalled_task_is_due_on_a_day_of_ones_own_language(ada, language, said, hour, time):
    ada.language = language
    ada.save()
    due = datetime(2026, 12, 4, hour, 30 if hour else 0, tzinfo=ada.zone)
    make_fact(ada, "article", "ship it", kind="task", due_at=due)
    [memory] = recall.search(ada, "ship the article")
    chat = make_chat(ada, "And now?", "Ship it.")
    chat.messages.filter(role="assistant").update(receipt={"memories": [memory.noted()]})
    html = text_of(client_of(ada).get(f"/chats/{chat.pk}/"))
    assert html.count(said.format(time)) == 2  # under the reply, and beside the chat


@pytest.mark.django_db
def test_common_keys_are_read_in_ones_own_language(ada):
    ada.language = "de"
    ada.save()
    make_fact(ada, "favourite_drink", "Kaffee")
    make_fact(ada, "city", "Wien", subject="meine Schwester Lea")
    make_fact(ada, "climbing_grade", "6b")
    html = text_of(client_of(ada).get("/memory/"))
    for key in ("Lieblingsgetränk", "meine Schwester Lea: Wohnort", "Climbing grade"):
        assert key in html, key
    memories = ["occupation: Lehrer", "meine Schwester Lea: city: Wien", "climbing grade: 6b: hard"]
    with translation.override("de"):
        assert [told({"text": text, "kind": "fact"}) for text in memories] == [
            "Beruf: Lehrer",
            "meine Schwester Lea: Wohnort: Wien",
            "climbing grade: 6b: hard",
        ]


@pytest.mark.parametrize("text", ["buy milk (due Someday, 99 Never 2026)", "milk (due soon)"])
def test_what_only_looks_like_a_day_stays_as_it_is(text):
    with translation.override("de"):
        assert told({"text": text, "kind": "task"}) == text


def test_a_turn_stays_as_it_was_said():
    text = "It was due (due Friday, 04 December 2026)"
    with translation.override("de"):
        assert told({"text": text, "kind": "turn"}) == text
