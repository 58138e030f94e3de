"""Rows that can be found: with their vectors."""

from memoryapp.memory.indexing import index_facts, index_messages
from memoryapp.models import Chat, Fact, Message

TOOLS = "What tools do I use for infrastructure deployments?"


def make_fact(user, key, value, **fields):
    fields = {"origin": "typed", "actor": "extractor", "config": user.search_config, **fields}
    fact = Fact.objects.create(user=user, key=key, value=value, **fields)
    index_facts(Fact.objects.for_user(user))
    return fact


def said(chat, *bodies, role=Message.Role.USER):
    """Messages of the person in another chat, or of `chat` itself, with their vectors."""
    messages = [chat.add_message(role, body) for body in bodies]
    index_messages(chat.messages.all())
    return messages


def earlier_chat(user, *bodies, **fields):
    chat = Chat.objects.create(user=user, **fields)
    said(chat, *bodies)
    return chat


def texts(memories):
    return [memory.text for memory in memories]
