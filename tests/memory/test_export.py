"""All of a person's data, as values and as a text to read."""

import json
from datetime import UTC, datetime

import pytest

from memoryapp.memory import export
from memoryapp.models import ApiKey, Resource
from tests.factories import make_chat, make_fact, make_prompt

EVENING = datetime(2026, 5, 3, 22, 30, tzinfo=UTC)


@pytest.fixture
def lived(ada):
    """Ada's data, one thing of each kind, said and changed at half past ten in the evening, UTC."""
    chat = make_chat(ada, "I live in Berlin.", "How is it there?", title="Homes")
    chat.messages.filter(role="user").update(created_at=EVENING)
    make_fact(ada, "city", "Berlin", valid_from=EVENING, valid_to=EVENING)
    make_prompt(ada, "length", "Be brief.")
    Resource.objects.create(user=ada, name="Runbook", body="Drain first.")
    key, _secret = ApiKey.make(user=ada, name="laptop")
    return key


def test_everything_holds_each_of_a_persons_things_and_no_secret(ada, lived):
    data = export.everything_of(ada)
    [chat] = data["chats"]
    assert [message["body"] for message in chat["messages"]] == [
        "I live in Berlin.",
        "How is it there?",
    ]
    assert [fact["value"] for fact in data["facts"]] == ["Berlin"]
    assert [prompt["value"] for prompt in data["prompts"]] == ["Be brief."]
    assert [resource["body"] for resource in data["resources"]] == ["Drain first."]
    assert [key["name"] for key in data["keys"]] == ["laptop"]
    assert lived.digest not in "".join(export.as_json(export.everything_of(ada)))


def test_nothing_of_somebody_else_is_in_it(ben, lived):
    data = json.loads("".join(export.as_json(export.everything_of(ben))))
    assert data["person"]["username"] == "ben"
    lists = [rows for rows in data.values() if isinstance(rows, list)]
    assert len(lists) == 8
    assert not any(lists)


def test_each_chat_holds_its_own_messages_and_one_without_any_holds_none(ada):
    chats = [
        make_chat(ada, *said, title=f"{said}") for said in (("a", "b"), (), ("c",), (), ("d",))
    ]
    branch = chats[0].messages.create(user=ada, role="user", body="another a", is_active=False)
    data = json.loads("".join(export.as_json(export.everything_of(ada))))
    assert [chat["id"] for chat in data["chats"]] == [str(chat.pk) for chat in chats]
    said = [[message["body"] for message in chat["messages"]] for chat in data["chats"]]
    assert said == [["a", "b", branch.body], [], ["c"], [], ["d"]]
    assert data["chats"][0]["messages"][0]["receipt"] == {}


def test_the_text_tells_the_times_of_its_owners_zone(ada, lived):
    ada.timezone = "Europe/Vienna"
    text = export.as_markdown(export.everything_of(ada), ada.zone)
    assert "# Homes\n\n**user, 2026-05-04 00:30**\n\nI live in Berlin." in text
    assert "- **city:** Berlin (until 2026-05-04)" in text
    assert "# Runbook\n\nDrain first." in text


def test_what_has_expired_is_told_as_what_no_longer_holds(ada):
    for status in ("active", "pending"):
        make_fact(ada, "visitor", f"Grandma, {status}", expires_at=EVENING, status=status)
    text = export.as_markdown(export.memory_of(ada), ada.zone)
    assert "# What I know about you\n\nNothing." in text
    assert "# No longer so\n\n- **visitor:** Grandma, active (until 2026-05-03)\n" in text
    assert "pending" not in text
