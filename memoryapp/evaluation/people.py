"""A throw-away person of a scenario: what they do through the product's own addresses."""

import json
from collections.abc import Callable
from typing import Any

from django.test import Client

from memoryapp.evaluation.scenarios import Do, Lesson, ScenarioError
from memoryapp.models import Chat, Fact, MemoryEvent, Prompt, User
from memoryapp.models.memory import Status

Row = Fact | Prompt


class Person:
    def __init__(self, user: User) -> None:
        self.user = user
        self.chats: dict[str, Chat] = {}
        self.chat = self.enter("")
        self.lessons: list[Lesson] = []
        self.edits: set[str] = set()  # values they wrote themselves
        self.client = Client(SERVER_NAME="localhost")
        self.client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")

    def enter(self, name: str) -> Chat:
        """Go on in the chat of this name, which is made when there is none yet."""
        if name not in self.chats:
            self.chats[name] = Chat.objects.create(user=self.user)
        self.chat = self.chats[name]
        return self.chat

    def reload(self) -> None:
        self.user.refresh_from_db()
        for name, chat in list(self.chats.items()):
            self.chats[name] = Chat.objects.get(pk=chat.pk)
            self.chats[name].user = self.user
            if chat is self.chat:
                self.chat = self.chats[name]

    def rows(self) -> list[Row]:
        """Everything stored about them, in any version and status."""
        return [
            row
            for table in (Fact, Prompt)
            for row in table.objects.for_user(self.user).order_by("-recorded_at")
        ]

    def in_use(self) -> list[Row]:
        return [row for row in self.rows() if row.is_current and row.status == Status.ACTIVE]

    def waiting(self) -> list[Row]:
        return [row for row in self.rows() if row.is_current and row.status == Status.PENDING]

    def closed(self) -> list[Row]:
        return [row for row in self.rows() if row.valid_to is not None]

    def request(self, method: str, path: str, body: Any = None) -> str:
        """What one of the product's addresses answers. Raises ScenarioError if it refuses."""
        response = self.client.generic(
            method,
            path,
            data="" if body is None else json.dumps(body),
            content_type="application/json",
        )
        if response.status_code >= 400:
            raise ScenarioError(f"{method} {path} answered {response.status_code}.")
        return str(response.content.decode())

    def does(self, step: Do) -> bool:
        """Do it; False if there is nothing to do it to."""
        done = ACTIONS[step.do](self, step)
        self.reload()
        return done


def says(text: str, words: str) -> bool:
    return words.casefold() in text.casefold()


def on_row(
    rows: Callable[[Person], list[Row]], act: Callable[[Person, str, Do], Any]
) -> Callable[[Person, Do], bool]:
    """An action on the newest of these rows that says `what`, by its path such as facts/<id>."""

    def action(person: Person, step: Do) -> bool:
        row = next((row for row in rows(person) if says(row.text, step.what)), None)
        if row is None:
            return False
        act(person, f"{row.table}s/{row.pk}", step)
        return True

    return action


def asking(method: str, address: str, body: Any = None) -> Callable[[Person, str, Do], None]:
    """An act that is one request; `{row}` in the address is the row's path."""

    def act(person: Person, path: str, step: Do) -> None:
        person.request(method, address.format(row=path), body)

    return act


def calling(method: str, path: str, body: Any = None) -> Callable[[Person, Do], bool]:
    """An action that is one request; `{chat}` in the path is the person's chat."""

    def action(person: Person, step: Do) -> bool:
        person.request(method, path.format(chat=person.chat.pk), body)
        return True

    return action


def remember(person: Person, step: Do) -> bool:
    person.edits.add(step.to.casefold())
    fact = {"key": step.what, "value": step.to, "kind": step.kind}
    person.request("POST", "/api/v1/facts", fact)
    return True


def edit(person: Person, path: str, step: Do) -> None:
    person.edits.add(step.to.casefold())
    person.request("PATCH", f"/api/v1/{path}", {"value": step.to})


def undo(person: Person, step: Do) -> bool:
    """The newest learned change that has to do with `what`."""
    events = MemoryEvent.objects.for_user(person.user).learned()
    event = next((e for e in events if says(f"{e.before} {e.after}", step.what)), None)
    if event is None:
        return False
    person.request("POST", f"/memory/log/{event.pk}/undo/")
    return True


def reviewing(review: User.Review) -> Callable[[Person, Do], bool]:
    """An action that chooses what they want to be asked about."""

    def action(person: Person, step: Do) -> bool:
        User.objects.filter(pk=person.user.pk).update(review=review)
        return True

    return action


def delete_chat(person: Person, step: Do) -> bool:
    person.request("DELETE", f"/api/v1/chats/{person.chat.pk}?forget=true")
    person.chats = {name: chat for name, chat in person.chats.items() if chat is not person.chat}
    person.enter("the next one")
    return True


ACTIONS: dict[str, Callable[[Person, Do], bool]] = {
    "remember": remember,
    "edit": on_row(Person.in_use, edit),
    "forget": on_row(Person.in_use, asking("DELETE", "/api/v1/{row}")),
    "pause": on_row(Person.in_use, asking("PATCH", "/api/v1/{row}", {"status": "paused"})),
    "restore": on_row(Person.closed, asking("POST", "/memory/{row}/restore/")),
    "approve": on_row(Person.waiting, asking("POST", "/memory/{row}/approve/")),
    "turn down": on_row(Person.waiting, asking("POST", "/memory/{row}/turn-down/")),
    "undo": undo,
    "forget chat": calling("DELETE", "/api/v1/facts?chat_id={chat}"),
    "forget everything": calling("DELETE", "/api/v1/facts?all=true"),
    "delete chat": delete_chat,
    "memory off": calling("PATCH", "/api/v1/me", {"memory_on": False}),
    "memory on": calling("PATCH", "/api/v1/me", {"memory_on": True}),
    "chat memory off": calling("PATCH", "/api/v1/chats/{chat}", {"memory_on": False}),
    "chat memory on": calling("PATCH", "/api/v1/chats/{chat}", {"memory_on": True}),
    "ask always": reviewing(User.Review.ALWAYS),
    "never ask": reviewing(User.Review.NEVER),
}
