import pytest

from memoryapp import turns
from tests.api.callers import told
from tests.factories import make_chat

pytestmark = pytest.mark.django_db(transaction=True)


def bodies(response):
    return [message["body"] for message in told(response, 200)["items"]]


class TestReading:
    def test_message_list_is_the_history_oldest_first(self, chat, as_ada):
        assert bodies(as_ada("GET", f"/chats/{chat.pk}/messages")) == [
            "Hello there",
            "Good morning.",
        ]

    def test_a_message_has_all_its_fields(self, chat, as_ada):
        question, answer = chat.messages.order_by("created_at")
        _, shown = told(as_ada("GET", f"/chats/{chat.pk}/messages"), 200)["items"]
        assert shown == {
            "id": str(answer.pk),
            "chat_id": str(chat.pk),
            "parent": str(question.pk),
            "role": "assistant",
            "body": "Good morning.",
            "status": "complete",
            "failure": "",
            "is_active": True,
            "is_evicted": False,
            "created_at": answer.created_at.isoformat().replace("+00:00", "Z"),
            "siblings": [str(answer.pk)],
            "receipt": {},
        }

    def test_message_list_follows_a_message_and_comes_in_pages(self, ada, as_ada):
        chat = make_chat(ada, "one", "two", "three", "four")
        path = f"/chats/{chat.pk}/messages"
        first = chat.messages.get(body="one")
        assert bodies(as_ada("GET", f"{path}?after={first.pk}&limit=2")) == ["two", "three"]
        assert told(as_ada("GET", f"{path}?after={first.pk}&limit=2"), 200)["count"] == 3

    def test_evicted_messages_and_other_branches_are_in_the_archive_alone(self, ada, as_ada):
        chat = make_chat(ada, "one", "two")
        first = chat.messages.get(body="one")
        chat.messages.filter(body="two").update(is_active=False)
        chat.messages.filter(pk=first.pk).update(evicted_by=chat.messages.get(body="two"))
        chat.add_message("user", "three")
        assert bodies(as_ada("GET", f"/chats/{chat.pk}/messages")) == ["three"]
        archive = as_ada("GET", f"/chats/{chat.pk}/messages?archive=true")
        assert bodies(archive) == ["one", "two", "three"]
        assert archive.json()["items"][0]["is_evicted"]

    def test_versions_of_a_message_know_each_other(self, ada, as_ada):
        chat = make_chat(ada, "one", "two")
        chat.fork_at(None)
        chat.add_message("user", "uno")
        archive = told(as_ada("GET", f"/chats/{chat.pk}/messages?archive=true"), 200)["items"]
        ids = {message["body"]: message["id"] for message in archive}
        assert archive[0]["siblings"] == archive[2]["siblings"] == [ids["one"], ids["uno"]]

    def test_another_version_is_shown_with_what_followed_it(self, ada, as_ada):
        chat = make_chat(ada, "one", "two", "three")
        chat.fork_at(None)
        chat.add_message("user", "uno")
        first = chat.messages.get(body="one")
        shown = told(as_ada("PATCH", f"/messages/{first.pk}", {"is_active": True}), 200)
        assert (shown["id"], shown["is_active"]) == (str(first.pk), True)
        assert bodies(as_ada("GET", f"/chats/{chat.pk}/messages")) == ["one", "two", "three"]

    def test_a_version_is_not_switched_while_the_chat_answers(self, ada, as_ada):
        chat = make_chat(ada, "one")
        chat.fork_at(None)
        turns.open_turn(chat=chat, body="uno")
        first = chat.messages.get(body="one")
        error = told(as_ada("PATCH", f"/messages/{first.pk}", {"is_active": True}), 409)
        assert error["code"] == "reply_streaming"

    @pytest.mark.parametrize("body", [{}, {"is_active": False}, {"body": "Mine"}, None, []])
    def test_nothing_else_of_a_message_can_be_changed(self, chat, as_ada, body):
        message = chat.messages.last()
        told(as_ada("PATCH", f"/messages/{message.pk}", body), 422)

    def test_reading_takes_the_same_queries_for_a_long_chat(
        self, ada, as_ada, django_assert_max_num_queries
    ):
        chat = make_chat(ada, *map(str, range(40)))
        with django_assert_max_num_queries(6):
            as_ada("GET", f"/chats/{chat.pk}/messages")

    def test_a_message_of_another_chat_is_no_place_to_start_from(self, ada, chat, as_ada):
        other = make_chat(ada, "Elsewhere").messages.get()
        told(as_ada("GET", f"/chats/{chat.pk}/messages?after={other.pk}"), 404)
