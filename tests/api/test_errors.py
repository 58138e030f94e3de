import json

import pytest

from memoryapp.models import Chat
from tests.api.callers import told

pytestmark = pytest.mark.django_db


def test_an_unknown_address_is_told_in_json(as_ada):
    assert told(as_ada("GET", "/nowhere"), 404)["code"] == "not_found"


@pytest.mark.parametrize("body", ["{", "{'a': 1}", b"\xff\xfe\x00", '{"title": "a"} x'])
def test_a_body_that_is_no_json_is_refused(as_ada, body):
    assert told(as_ada("POST", "/chats", body), 400)["code"] == "bad_request"
    assert not Chat.objects.exists()


@pytest.mark.parametrize("body", ["[]", '"a"', "1", "null", "true", ""])
def test_a_body_that_is_no_object_is_refused(as_ada, body):
    assert (
        told(as_ada("POST", "/chats", body), 422)["detail"] == "The body must be one JSON object."
    )


def test_a_body_over_the_limit_is_refused(as_ada, settings):
    body = json.dumps({"title": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    assert told(as_ada("POST", "/chats", body), 413)["code"] == "too_large"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"title": 7}, "title: Input should be a valid string."),
        ({"title": "x" * 201}, "title: String should have at most 200 characters."),
        ({"title": "\u200b"}, "title: String should have at least 1 character."),
        ({"title": "a\0b"}, "title: a NUL character can't be stored; remove it."),
        ({"colour": "red"}, "There is no field 'colour' here."),
    ],
)
def test_a_bad_field_is_named_with_the_reason(as_ada, body, detail):
    error = told(as_ada("POST", "/chats", body), 422)
    assert error == {"detail": detail, "code": "invalid"}
    assert not Chat.objects.exists()


def test_half_a_surrogate_pair_is_refused(as_ada):
    error = told(as_ada("POST", "/chats", r'{"title": "\ud83d"}'), 422)
    assert error["detail"].startswith("title: ")


def test_a_missing_field_is_named(as_ada):
    error = told(as_ada("POST", "/keys", {}), 422)
    assert error["detail"] == "name is missing."


def test_a_misspelt_filter_is_refused(as_ada):
    error = told(as_ada("GET", "/chats?archive=true"), 422)
    assert error["detail"].startswith("There is no parameter 'archive' here")


def test_an_id_that_is_none_is_refused(as_ada):
    assert "chat_id" in told(as_ada("GET", "/chats/seven"), 422)["detail"]


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "offset=-1", f"offset={10**30}"]
)
def test_a_page_has_bounds(as_ada, query):
    told(as_ada("GET", f"/chats?{query}"), 422)
