"""Rows for tests, as plain functions."""

from memoryapp.memory.operations import Operation
from memoryapp.models import Chat, Fact, Message, Prompt


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
