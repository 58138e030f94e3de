import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memoryapp.memory import export
from memoryapp.models import Chat, Fact
from tests.factories import make_fact
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
