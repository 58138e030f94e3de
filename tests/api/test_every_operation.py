"""What holds for each operation of the API: an operation that is missing here fails."""

import json
import uuid

import pytest
from asgiref.sync import sync_to_async
from django.core import serializers
from django.core.cache import cache

from memoryapp.api import api
from memoryapp.memory import embeddings
from memoryapp.models import ApiKey, Chat, Fact, MemoryEvent, Message, Prompt, Resource, Usage
from tests.api.callers import AsyncCaller, Caller, secret_of, told
from tests.factories import make_chat, make_fact, make_prompt

ROOT = "/api/v1"
SECRET = "Zanzibar"

# What Ben asks for with Ada's ids, and what he is told. A status of 404 means that nothing of
# hers exists for him; any other, that he acts on what is his own.
ASKED = [
    ("POST /chat", "", {"message": "Hello", "chat_id": "{chat_id}"}, 404),
    ("GET /chats", "", None, 200),
    ("GET /chats", f"?q={SECRET}", None, 200),
    ("POST /chats", "", {}, 201),
    ("GET /chats/{chat_id}", "", None, 404),
    ("PATCH /chats/{chat_id}", "", {"title": "Mine"}, 404),
    ("DELETE /chats/{chat_id}", "?forget=true", None, 404),
    ("GET /chats/{chat_id}/messages", "?archive=true", None, 404),
    ("POST /chats/{chat_id}/messages", "", {"body": "Hello"}, 404),
    ("GET /messages/{message_id}/stream", "", None, 404),
    ("PATCH /messages/{message_id}", "", {"is_active": True}, 404),
    ("POST /messages/{message_id}/stop", "", None, 404),
    ("POST /messages/{message_id}/regenerate", "", {}, 404),
    ("POST /messages/{message_id}/continue", "", None, 404),
    ("POST /messages/{message_id}/redo", "", None, 404),
    ("GET /messages/{message_id}/receipt", "", None, 404),
    ("POST /messages/{message_id}/marks", "", {"memory_id": "{fact_id}", "is_useful": True}, 404),
    ("GET /facts", "", None, 200),
    ("GET /facts", "?chat_id={chat_id}", None, 404),
    ("GET /facts", "?as_of=2999-01-01T00:00:00Z", None, 200),
    ("POST /facts", "", {"key": "city", "value": "Rome"}, 201),
    ("DELETE /facts", "?all=true", None, 200),
    ("DELETE /facts", "?chat_id={chat_id}", None, 404),
    ("GET /facts/{fact_id}", "", None, 404),
    ("PATCH /facts/{fact_id}", "", {"value": "Rome"}, 404),
    ("DELETE /facts/{fact_id}", "", None, 404),
    ("GET /facts/{fact_id}/history", "", None, 404),
    ("POST /facts/{fact_id}/restore", "", None, 404),
    ("GET /prompts", "", None, 200),
    ("POST /prompts", "", {"key": "length", "value": "Long"}, 201),
    ("PATCH /prompts/{prompt_id}", "", {"value": "Long"}, 404),
    ("DELETE /prompts/{prompt_id}", "", None, 404),
    ("GET /inbox", "", None, 200),
    ("POST /inbox/{proposal_id}/approve", "", None, 404),
    ("POST /inbox/{proposal_id}/reject", "", None, 404),
    ("GET /recall", f"?q={SECRET}", None, 200),
    ("GET /recall", f"?q={SECRET}&kind=turn", None, 200),
    ("GET /resources", "", None, 200),
    ("POST /resources", "", {}, 422),
    ("GET /resources/search", f"?q={SECRET}", None, 200),
    ("GET /resources/{resource_id}", "", None, 404),
    ("POST /resources/{resource_id}/retry", "", None, 404),
    ("DELETE /resources/{resource_id}", "", None, 404),
    ("GET /me", "", None, 200),
    ("PATCH /me", "", {"language": "de"}, 200),
    ("GET /keys", "", None, 200),
    ("POST /keys", "", {"name": "mine"}, 201),
    ("DELETE /keys/{key_id}", "", None, 404),
    ("GET /usage", "", None, 200),
    ("GET /export", "", None, 200),
    ("GET /export", "?format=markdown", None, 200),
    ("POST /import", "", {"facts": [{"key": "city", "value": "Rome"}]}, 200),
    ("GET /import/learning", "", None, 200),
    ("POST /import/learning", "", None, 200),
    ("DELETE /import/learning", "", None, 200),
]


def schema():
    return json.loads(json.dumps(api.get_openapi_schema(), default=str))


def operations():
    paths = schema()["paths"].items()
    return [
        f"{method.upper()} {path.removeprefix(ROOT)}" for path, found in paths for method in found
    ]


@pytest.fixture
def ids(ada):
    """One row of each kind of Ada's, each with the secret word in it."""
    chat = make_chat(ada, f"I live in {SECRET}", f"{SECRET} is warm.", title=f"On {SECRET}")
    question, answer = chat.messages.order_by("created_at")
    fact = make_fact(ada, "city", SECRET, source_message=question)
    proposal = make_fact(ada, "allergy", SECRET, status="pending", waits_because=SECRET)
    prompt = make_prompt(ada, "greeting", f"Greet me from {SECRET}")
    resource = Resource.objects.create(user=ada, name=SECRET, body=f"{SECRET} is an island.")
    resource.passages.create(position=0, body=resource.body)
    key, _ = ApiKey.make(user=ada, name=SECRET)
    Usage.objects.create(user=ada, agent=SECRET, model=SECRET)
    for rows in (Fact, Message):
        embeddings.fill(rows.objects.all(), lambda row: getattr(row, "text", "") or row.body)
    rows = {"chat": chat, "message": answer, "fact": fact, "prompt": prompt}
    rows |= {"resource": resource, "key": key, "proposal": proposal}
    return {f"{name}_id": str(row.pk) for name, row in rows.items()}


def filled(body, ids):
    text = json.dumps(body)
    for name, id in ids.items():
        text = text.replace(f"{{{name}}}", id)
    return json.loads(text)


def everything_of(user):
    """All rows of one person, as text."""
    tables = (Chat, Message, Fact, Prompt, Resource, ApiKey, Usage, MemoryEvent)
    return [serializers.serialize("json", table.objects.filter(user=user)) for table in tables]


def test_no_operation_is_missing_here():
    assert {operation for operation, *_ in ASKED} == set(operations())


@pytest.mark.django_db
@pytest.mark.parametrize("operation", operations())
def test_it_needs_somebody_who_is_known(operation, ids, stranger, ada):
    before = everything_of(ada)
    method, path = operation.format(**ids).split()
    assert told(stranger(method, path), 401)["code"] == "not_signed_in"
    assert everything_of(ada) == before


@pytest.mark.django_db
@pytest.mark.parametrize("operation", [each for each in operations() if "GET" not in each])
def test_it_refuses_a_key_that_only_reads(operation, ids, ada):
    caller = Caller(secret_of(ada, scopes=("read",)))
    caller("GET", "/me")
    before = everything_of(ada)
    method, path = operation.format(**ids).split()
    assert told(caller(method, path), 403)["code"] == "key_only_reads"
    assert everything_of(ada) == before


@pytest.mark.django_db
@pytest.mark.parametrize(("operation", "query", "body", "status"), ASKED)
def test_it_keeps_what_is_adas_from_ben(operation, query, body, status, ids, ada, as_ben):
    before = everything_of(ada)
    method, path = (operation + query).format(**ids).split()
    response = as_ben(method, path, filled(body, ids))
    assert response.status_code == status, response.content
    assert SECRET not in response.content.decode()
    assert not any(id in response.content.decode() for id in ids.values())
    assert everything_of(ada) == before


@pytest.mark.django_db
@pytest.mark.parametrize("operation", [each for each in operations() if "_id}" in each])
def test_it_answers_alike_for_what_never_was(operation, ids, as_ben):
    """Whether an id is somebody else's or nobody's makes no difference to anyone."""
    bodies = {each: body for each, _, body, status in ASKED if status == 404}
    body = filled(bodies[operation], ids)
    method, path = operation.format(**ids).split()
    _, nowhere = operation.format(**dict.fromkeys(ids, uuid.uuid4())).split()
    foreign, unknown = as_ben(method, path, body), as_ben(method, nowhere, body)
    assert (foreign.status_code, foreign.content) == (unknown.status_code, unknown.content)


NONSENSE: list[object] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    "",
    "\0",
    "x" * 100_001,
    "seven",
    [],
    [[]],
    {},
    {"a": 1},
]
WRONG_TEXTS = ["", "x", "-1", "nan", "1e999", "%00", "%F0%9F%98%80", "9" * 400, "x" * 3000, "[]"]


def body_of(operation):
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return {}
    if "properties" in content["schema"]:
        return content["schema"]["properties"]
    ref = content["schema"].get("$ref") or content["schema"]["anyOf"][0]["$ref"]
    return schema()["components"]["schemas"][ref.rsplit("/", 1)[1]]["properties"]


VALID = {"message": "Hello", "body": "Hello", "key": "city", "value": "Rome", "name": "mine"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("operation", operations())
async def test_nonsense_is_refused_and_never_breaks_it(operation, ids, ada, talker, bus):
    caller = AsyncCaller(await sync_to_async(secret_of)(ada))
    method, path = operation.split()
    described = schema()["paths"][ROOT + path][method.lower()]
    path = path.format(**ids)
    fields = body_of(described)
    required = {name: VALID[name] for name in fields if name in VALID}
    for name in fields:
        for value in NONSENSE:
            cache.clear()
            response = await caller(method, path, {**required, name: value})
            assert response.status_code < 500, (name, value, response.content)
    for parameter in described["parameters"]:
        for value in WRONG_TEXTS:
            cache.clear()
            if parameter["in"] == "path":
                target = operation.split()[1].format(**{**ids, parameter["name"]: value})
            else:
                target = f"{path}?{parameter['name']}={value}"
            response = await caller(method, target, required or None)
            assert response.status_code < 500, (target, response.content)
