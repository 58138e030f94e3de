import json
from importlib import import_module

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from memoryapp import imported, tasks
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.memory import export
from memoryapp.models import Chat, Fact, Message
from tests.factories import make_fact
from tests.fakes import Script
from tests.importing import exports
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db


def send(user, data, name="conversations.json", **headers):
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    file = SimpleUploadedFile(name, body)
    return client_of(user).post("/import/", {"file": file}, headers=headers)


def test_the_page_says_what_was_taken_in(ada):
    page = text_of(send(ada, [exports.chatgpt(), exports.CLAUDE]))
    assert "2 chats were taken in," in page
    assert "with 8 messages." in page
    assert Chat.objects.for_user(ada).count() == 2


def test_the_page_says_what_was_left_out_and_why(ada):
    send(ada, [exports.chatgpt()])
    page = text_of(send(ada, [exports.chatgpt()]))
    assert "There was no new chat in it." in page
    assert "1 left out. It is here already." in " ".join(page.split())
    assert "Cities" in page


def test_what_waits_is_one_press_away(ada):
    page = text_of(send(ada, {"facts": [{"key": "city", "value": "Graz"}]}))
    assert "1 thing waits in the inbox." in page
    assert 'href="/memory/inbox/"' in page
    inbox = text_of(client_of(ada).get("/memory/inbox/"))
    assert "It comes from a file that you imported." in inbox
    assert "Graz" in inbox


def test_a_file_that_is_none_is_refused_in_a_sentence(ada):
    response = send(ada, b"\x89PNG", name="me.png")
    assert response.status_code == 422
    assert "This is neither a JSON file nor a ZIP of such files." in text_of(response)


def test_a_file_that_is_too_large_is_refused(ada, settings):
    settings.IMPORT_MAX_BYTES = 1000
    response = send(ada, [exports.chatgpt()])
    assert response.status_code == 422
    assert "1,000 bytes are the most" in text_of(response)
    assert not Chat.objects.exists()


def test_no_file_at_all_is_told(ada):
    response = client_of(ada).post("/import/")
    assert response.status_code == 422
    assert "This field is required." in text_of(response)


def test_it_needs_a_login(client):
    assert client.get("/import/").url == "/accounts/login/?next=/import/"


def test_what_somebody_else_exported_stays_theirs(ada, ben, chat):
    make_fact(ada, "city", "Graz", source_message=chat.archive.first())
    exported = "".join(export.as_json(export.everything_of(ada))).encode()
    send(ben, exported)
    assert Chat.objects.for_user(ben).get().pk != chat.pk
    assert Fact.objects.for_user(ada).get().status == "active"
    assert Fact.objects.for_user(ben).get().status == "pending"


def test_settings_lead_to_import_and_export(ada):
    client = client_of(ada)
    page = text_of(client.get("/settings/"))
    assert 'href="/import/"' in page
    assert 'href="/api/v1/export"' in page
    assert client.get("/api/v1/export").json()["person"]["username"] == "ada"


def said_in(response):
    return " ".join(text_of(response).split())


def test_nothing_is_offered_before_something_was_imported(ada):
    assert "Learn from imported chats" not in said_in(client_of(ada).get("/import/"))


def test_what_learning_takes_is_told_before_it_begins(ada):
    page = said_in(send(ada, [exports.chatgpt()]))
    assert "2 messages of yours aren't read yet." in page
    assert "That makes about 1 question to the model (Offline responder)." in page
    ada.refresh_from_db()
    assert not ada.learns_imports


def test_learning_is_begun_followed_and_stopped(ada):
    send(ada, [exports.chatgpt()])
    client = client_of(ada)
    page = said_in(client.post("/import/learn/start/", follow=True))
    assert "Read 0 of 2 messages." in page
    assert 'hx-trigger="every 3s"' in page
    page = said_in(client.post("/import/learn/stop/", follow=True))
    assert "2 messages of yours aren't read yet." in page
    assert "every 3s" not in page


def test_what_was_read_is_told_and_leads_to_what_waits_of_it(ada):
    told = exports.chatgpt(exports.node("q", "root", "user", "I live in Graz."), end="q")
    send(ada, [told])
    client = client_of(ada)
    client.post("/import/learn/start/")
    for _ in range(2):
        tasks.extract_imported(str(ada.pk))
    page = said_in(client.get("/import/"))
    assert "Your 1 message is read." in page
    assert '<a href="/memory/inbox/?from=import">1 thing waits in the inbox.</a>' in page


def test_why_it_can_not_go_on_is_told_with_what_to_do(ada):
    send(ada, [exports.chatgpt()])
    client = client_of(ada)
    client.post("/import/learn/start/")
    failing = Script([TimeoutError()])
    with llm.override({"extractor": failing}), pytest.raises(AgentFailed):
        tasks.extract_imported(str(ada.pk))
    page = said_in(client.get("/import/"))
    assert "I couldn&#x27;t learn from this message: The model didn&#x27;t answer in time." in page
    assert "Leave these messages out" in page
    page = said_in(client.post("/import/learn/leave-out/", follow=True))
    assert "Read 2 of 2 messages." in page


def test_only_what_failed_is_left_out(ada):
    send(ada, [exports.chatgpt()])
    page = said_in(client_of(ada).post("/import/learn/leave-out/", follow=True))
    assert "Read 0 of 2 messages." in page


def test_without_memory_nothing_can_be_begun(ada):
    send(ada, [exports.chatgpt()])
    ada.memory_on = False
    ada.save()
    page = said_in(client_of(ada).post("/import/learn/start/", follow=True))
    assert page.count("Memory is off, so nothing can be learned.") == 2  # as an answer, and always
    assert "Start learning" not in page


def test_everybody_decides_for_themselves(ada, ben):
    send(ada, [exports.chatgpt()])
    send(ben, [exports.chatgpt()])
    client_of(ada).post("/import/learn/start/")
    client_of(ben).post("/import/learn/stop/")
    assert [imported.progress(user).is_going_on for user in (ada, ben)] == [True, False]


def test_looking_begins_nothing(ada):
    assert client_of(ada).get("/import/learn/start/").status_code == 405
    ada.refresh_from_db()
    assert not ada.learns_imports


def test_what_is_no_act_is_not_there(ada):
    assert client_of(ada).post("/import/learn/nonsense/").status_code == 404


def test_learning_needs_a_login(client):
    there = client.post("/import/learn/start/").url
    assert there == "/accounts/login/?next=/import/learn/start/"


def test_what_was_imported_before_there_was_a_choice_can_be_learned_from(ada, chat):
    send(ada, [exports.chatgpt()])
    Message.objects.update(is_imported=False, is_extracted=True)
    migration = import_module("memoryapp.migrations.0015_learn_from_imports")
    with connection.cursor() as cursor:
        cursor.execute(migration.KNOW_IMPORTED)
    assert imported.progress(ada).num_left == 2
    assert not chat.messages.filter(is_imported=True).exists()
