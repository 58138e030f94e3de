"""Rows for tests, as plain functions."""

from django.utils import timezone
from django_q.models import Task

from memoryapp.memory import ledger
from memoryapp.memory.operations import Operation
from memoryapp.models import Chat, Fact, Message, Prompt

NOBODYS = "8a4d2c5e-0b1f-4c66-9f0e-2f5b7d3a9c10"  # the id of no row, the same in every run


def make_chat(user, *bodies, **fields):
    """A chat with finished messages, the first one by the user, then in turns."""
    chat = Chat.objects.create(user=user, **fields)
    for number, body in enumerate(bodies):
        chat.add_message(Message.Role.ASSISTANT if number % 2 else Message.Role.USER, body)
    return chat


def make_fact(user, key, value, **fields):
    fields = {"origin": "user", "actor": user.username, **fields}
    return Fact.objects.create(user=user, key=key, value=value, **fields)


def make_prompt(user, key, value, **fields):
    fields = {"origin": "user", "actor": "somebody", **fields}
    return Prompt.objects.create(user=user, key=key, value=value, **fields)


def proposal(key, value, quote, **fields):
    """An operation as an extractor proposes it: a fact to add, unless said otherwise."""
    fields = {"action": "add", "table": "fact", **fields}
    return Operation(key=key, value=value, quote=quote, **fields)


def remember(user, key, value, table="fact", **fields):
    """What a person states about themselves, written as it would be."""
    return ledger.remember(
        user=user, table=table, key=key, value=value, actor="ada", origin="user", **fields
    )


def failed_task(**fields):
    """A task as django-q2 keeps it after its last attempt."""
    now = timezone.now()
    return Task.objects.create(
        id=fields.pop("id", "f" * 32), func="memoryapp.tasks.title", args=("1",), success=False,
        result="The model refused.", started=now, stopped=now, **fields,
    )  # fmt: skip
