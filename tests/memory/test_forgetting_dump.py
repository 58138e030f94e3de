"""What the whole database still holds after forgetting, read row by row."""

import pytest
from django.db import connection

from memoryapp import tasks
from memoryapp.agents import llm
from memoryapp.memory import ledger
from memoryapp.memory.forgetting import forget
from memoryapp.models import Chat, Fact, Message, Prompt
from tests.factories import make_chat, proposal
from tests.fakes import learns, operation, says

SECRET = "Zanzibar"


def tables_with(text):
    """The tables in which any column of any row holds `text`."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        found = set()
        for table in tables:
            cursor.execute(
                f'select 1 from "{table}" as row where row::text ilike %s limit 1', [f"%{text}%"]
            )
            if cursor.fetchone():
                found.add(table)
    return found


@pytest.fixture
def everywhere(ada, settings):
    """A chat that left a fact in versions, log, receipts, refusals, a summary and vectors."""
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 3, 2
    chat = make_chat(ada, f"I was born in {SECRET}.", "Noted.", "My hotel was full.", "Oh no.")
    with llm.override(
        {
            "extractor": learns(
                operation("birthplace", SECRET, f"I was born in {SECRET}"),
                operation("home", SECRET, f"I live in {SECRET}"),
                operation("hotel", f"Hotel {SECRET}", "My hotel was full"),
            ),
            "summarizer": says(f"They were born in {SECRET}."),
            "title": says(f"Born in {SECRET}"),
        }
    ):
        for task in (tasks.extract, tasks.summarize, tasks.title, tasks.embed_messages):
            task(str(chat.pk))
    fact = Fact.objects.get()
    ledger.edit(row=fact, actor="ada", value=f"{SECRET} City")
    used = {"id": str(fact.pk), "text": f"birthplace: {SECRET}"}
    turn = {"id": str(chat.archive.first().pk), "text": f"I was born in {SECRET}."}
    receipt = {"memories": [used], "near_misses": [used], "turns": [turn], "archive": [turn]}
    Message.objects.filter(pk=chat.archive.last().pk).update(receipt=receipt)
    tasks.embed_facts(str(ada.pk))
    return chat


def test_forgetting_leaves_the_value_in_the_persons_own_messages_only(ada, everywhere):
    assert {"memoryapp_fact", "memoryapp_memoryevent", "memoryapp_chat"} <= tables_with(SECRET)
    report = forget(rows=Fact.objects.for_user(ada), actor="ada")
    assert (report.versions, report.summaries, report.receipts) == (2, 1, 1)
    assert tables_with(SECRET) == {"memoryapp_message"}
    holding = Message.objects.filter(body__icontains=SECRET)
    assert {message.role for message in holding} == {"user"}
    assert not holding.filter(is_recallable=True).exists()
    assert not holding.exclude(embedding=None).exists()


def test_deleting_the_chat_too_leaves_nothing_at_all(ada, everywhere):
    forget(rows=Fact.objects.for_user(ada), actor="ada")
    Chat.objects.for_user(ada).delete()
    assert tables_with(SECRET) == set()


def test_forgetting_a_prompt_leaves_nothing_of_it(ada):
    chat = make_chat(ada, f"Please always mention {SECRET}.", "Noted.")
    wish = proposal("mention", SECRET, f"always mention {SECRET}", table="prompt")
    ledger.apply(user=ada, operations=[wish], messages=list(chat.archive), model="scripted")
    forget(rows=Prompt.objects.for_user(ada), actor="ada")
    assert tables_with(SECRET) == {"memoryapp_message"}


def test_a_key_that_tells_the_value_is_gone_too(ada):
    fact = ledger.remember(
        user=ada, table="fact", key=f"likes_{SECRET.lower()}", value=SECRET, actor="ada",
        origin="user",
    )  # fmt: skip
    forget(rows=Fact.objects.filter(pk=fact.pk), actor="ada")
    assert tables_with(SECRET) == set()
