"""What is forgotten while a model reads it."""

import json

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django_q.models import OrmQ

from memoryapp import tasks
from memoryapp.agents import llm
from memoryapp.memory.forgetting import forget
from memoryapp.memory.forgotten import GONE
from memoryapp.models import Fact, MemoryEvent, Message
from tests.factories import make_chat, remember
from tests.fakes import Held, Script, operation
from tests.test_replies import begin_to_say, end

pytestmark = pytest.mark.django_db(transaction=True)


def forget_all(user):
    forget(rows=Fact.objects.for_user(user), actor="ada")


class Forgetting(Script):
    """A model that answers when all that is known has just been forgotten."""

    def __init__(self, user, *responses):
        super().__init__(*responses)
        self.user = user

    async def _respond(self, messages, info):
        await sync_to_async(forget_all)(self.user)
        return await super()._respond(messages, info)


@pytest.fixture
def chat(ada):
    remember(ada, "city", "Rotterdam")
    chat = make_chat(ada, "I moved from Rotterdam to Linz.", "Noted.", *"cdef")
    OrmQ.objects.all().delete()
    return chat


@pytest.fixture
async def bus():
    yield
    await get_channel_layer().flush()


def do(task, chat):
    """Do a task, and again if it asks for that."""
    task(str(chat.pk))
    for again in OrmQ.objects.all():
        if again.task["func"] is task:
            again.delete()
            task(*again.args())


def test_what_says_it_teaches_nothing_more_and_the_rest_is_learned(ada, chat):
    chat.add_message(Message.Role.USER, "I drink tea.")
    chat.add_message(Message.Role.ASSISTANT, "Noted.")
    moved = operation("home", "Linz", "I moved from Rotterdam to Linz")
    answers = [{"operations": [moved, operation("drink", "tea", "I drink tea")]}]
    with llm.override({"extractor": Forgetting(ada, answers)}):
        do(tasks.extract, chat)
    assert Fact.objects.get().key == "drink"
    assert not MemoryEvent.objects.filter(quote__contains="Rotterdam").exists()
    assert not chat.messages.filter(is_recallable=True, is_extracted=False).exists()


def test_no_summary_is_made_of_it(ada, chat, settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 5, 2
    with llm.override({"summarizer": Forgetting(ada, ["From Rotterdam."], ["They spelled."])}):
        do(tasks.summarize, chat)
    assert chat.messages.get(role="summary").body == "They spelled."


def test_no_title_is_made_of_it(ada, chat):
    with llm.override({"title": Forgetting(ada, ["From Rotterdam"], ["Spelling"])}):
        do(tasks.title, chat)
    chat.refresh_from_db()
    assert chat.title == "Spelling"


@pytest.mark.parametrize(("rest", "may_be_told"), [("in Rotterdam.", False), ("here.", True)])
async def test_a_reply_that_is_being_written_keeps_nothing_of_it(ada, chat, bus, rest, may_be_told):
    await Fact.objects.aupdate(is_pinned=True)
    talker = Held("You live ", rest)
    with llm.override({"talker": talker}):
        reply = await begin_to_say(chat)
        await sync_to_async(forget_all)(ada)
        talker.go_on()
        await end(reply)
    await sync_to_async(tasks.note_use)(str(reply.pk))
    reply = await Message.objects.aget(pk=reply.pk)
    [told] = reply.receipt["memories"]
    assert told["text"] == GONE
    assert "Rotterdam" not in json.dumps(reply.receipt)
    assert reply.is_recallable == may_be_told
