import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memoryapp.models import Chat, Fact
from tests.api.callers import Caller, secret_of, told
from tests.importing import exports

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller(ada):
    return Caller(secret_of(ada))


def test_a_body_is_taken_in(caller, ada):
    data = {"chats": [exports.chatgpt()], "facts": [{"key": "city", "value": "Graz"}]}
    assert told(caller("POST", "/import", data), 200) == {
        "chats": 1, "messages": 6, "waiting": 1, "skipped": [], "trouble": ""
    }  # fmt: skip
    assert Chat.objects.for_user(ada).get().title == "Cities"


def test_a_body_may_be_larger_than_a_message(caller, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert told(caller("POST", "/import", [exports.chatgpt()]), 200)["chats"] == 1


def test_a_file_of_a_form_is_taken_in(caller):
    file = SimpleUploadedFile("chats.zip", exports.zipped(conversations=[exports.CLAUDE]))
    response = caller.client.post("/api/v1/import", {"file": file}, headers=caller.headers)
    assert told(response, 200)["chats"] == 1


def test_the_same_again_says_what_was_skipped(caller):
    data = [exports.chatgpt()]
    caller("POST", "/import", data)
    assert told(caller("POST", "/import", data), 200) == {
        "chats": 0,
        "messages": 0,
        "waiting": 0,
        "skipped": [{"reason": "It is here already.", "count": 1, "names": ["Cities"]}],
        "trouble": "",
    }


@pytest.mark.parametrize("body", ["", "no", '{"a": 1}', "[]"])
def test_a_body_without_anything_in_it_is_refused(caller, body):
    answer = told(caller("POST", "/import", body), 422)
    assert answer["detail"].endswith(".")
    assert not Chat.objects.exists()


def test_a_body_that_is_too_large_is_refused(caller, settings):
    settings.IMPORT_MAX_BYTES = 1000
    assert told(caller("POST", "/import", [exports.chatgpt()]), 413)["code"] == "too_large"


def test_an_export_over_the_api_comes_back_over_the_api(caller, ben):
    caller("POST", "/import", [exports.chatgpt()])
    caller("POST", "/facts", {"key": "city", "value": "Graz"})
    exported = caller("GET", "/export").content.decode()
    report = told(Caller(secret_of(ben))("POST", "/import", exported), 200)
    assert (report["chats"], report["messages"], report["waiting"]) == (1, 6, 1)
    assert Fact.objects.for_user(ben).get().value == "Graz"


def test_a_key_that_only_reads_cannot_import(ada):
    caller = Caller(secret_of(ada, scopes=["read"]))
    assert told(caller("POST", "/import", json.dumps([exports.chatgpt()])), 403)
    assert not Chat.objects.exists()


NOTHING_READ = {"read": 0, "messages": 2, "questions": 1, "failure": ""}


def test_nothing_is_learned_from_it_unasked(caller):
    caller("POST", "/import", [exports.chatgpt()])
    assert told(caller("GET", "/import/learning"), 200) == {"going_on": False, **NOTHING_READ}


def test_it_is_learned_from_at_once_where_that_is_asked_for(caller):
    assert told(caller("POST", "/import?learn=true", [exports.chatgpt()]), 200)["chats"] == 1
    assert told(caller("GET", "/import/learning"), 200) == {"going_on": True, **NOTHING_READ}


def test_learning_is_begun_and_stopped(caller):
    caller("POST", "/import", [exports.chatgpt()])
    assert told(caller("POST", "/import/learning"), 200)["going_on"]
    assert told(caller("DELETE", "/import/learning"), 200) == {"going_on": False, **NOTHING_READ}


def test_without_memory_it_is_refused_before_anything_is_taken_in(caller, ada):
    ada.memory_on = False
    ada.save()
    for method, path in (("POST", "/import?learn=true"), ("POST", "/import/learning")):
        answer = told(caller(method, path, [exports.chatgpt()]), 422)
        assert answer["detail"].startswith("Memory is off")
    assert not Chat.objects.exists()
