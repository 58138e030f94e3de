"""The places where a text could turn up: rows, log, receipts, prompts, API and pages."""

import json
from dataclasses import dataclass
from urllib.parse import quote

from django.db import transaction

from memoryapp import turns
from memoryapp.agents import talker
from memoryapp.evaluation.people import Person
from memoryapp.memory import recall
from memoryapp.memory.recall.choosing import Recalled
from memoryapp.memory.recall.withheld import NOTHING
from memoryapp.models import Chat, Fact, MemoryEvent, Message
from memoryapp.receipts import Receipt

PAGES = ("", "persona/", "inbox/", "log/")


@dataclass(frozen=True)
class Sent:
    """What a talker would be sent, and what was recalled for it."""

    prompt: talker.Prompt
    recalled: Recalled
    question: str

    @property
    def background(self) -> str:
        """The last message without the question: fence and all."""
        return self.prompt.question.removesuffix(self.question)

    @property
    def text(self) -> str:
        history = "\n".join(said.body for said in self.prompt.history)
        return "\n".join((self.prompt.instructions, history, self.background))


def answer(turn: turns.Turn, body: str) -> Sent:
    """Do what happens while a person waits, with `body` for the talker's reply."""
    chat, user, question = turn.reply.chat, turn.reply.user, turn.user_message.body
    recalled = recall.recall(user, chat, question)
    receipt = Receipt(chat.remembers, "evaluation", "Evaluation", is_offline=True)
    known = turns.gathered(turn, NOTHING)
    context = turns.told(turn, recalled, known, receipt, NOTHING)
    turn.reply.body, turn.reply.receipt = body, receipt.noted()
    turn.reply.finish(Message.Status.COMPLETE)
    return Sent(talker.prompt(question, context), recalled, question)


def asked(person: Person, question: str, chat: Chat | None = None) -> Sent:
    """What would be sent for a question, in a new chat unless one is given; nothing is kept."""
    with transaction.atomic():
        chat = chat or Chat.objects.create(user=person.user)
        sent = answer(turns.open_turn(chat=chat, body=question), "I see.")
        transaction.set_rollback(True)
    return sent


def places(person: Person, probe: str) -> dict[str, str]:
    """The text of each place. Prompts and searches are those for the question `probe`.

    What the person said stays in their chats, for them to read, and is no such place.
    """
    new, same = asked(person, probe), asked(person, probe, person.chat)
    return {
        **stored(person),
        **searched(person, probe),
        "the prompt": new.text,
        "the same chat's prompt": same.text,
        "the API": api(person, probe),
        "the pages": "\n".join(person.request("GET", f"/memory/{page}") for page in PAGES),
    }


def told(person: Person, probe: str) -> dict[str, str]:
    """What is stored and what reaches a prompt: most places, for a fraction of the time."""
    prompt = asked(person, probe).text
    return {**stored(person), **searched(person, probe), "the prompt": prompt}


def searched(person: Person, probe: str) -> dict[str, str]:
    found = {
        "recall": recall.search(person.user, probe, limit=50),
        "recall of turns": recall.search(person.user, probe, kind="turn", limit=50),
        "the archive": recall.search_archive(person.user, probe, limit=50),
    }
    return {
        place: "\n".join(f"{memory.id} {memory.source_message_id} {memory.text}" for memory in part)
        for place, part in found.items()
    }


def stored(person: Person) -> dict[str, str]:
    rows = [
        f"{row.pk} {getattr(row, 'subject', '')} {row.key} {row.value} {row.quote}"
        for row in person.rows()
    ]
    events = [
        f"{event.key} {event.before} {event.after} {event.quote} {event.reason}"
        for event in MemoryEvent.objects.for_user(person.user)
    ]
    messages = Message.objects.for_user(person.user)
    receipts = [json.dumps(message.receipt, ensure_ascii=False) for message in messages]
    summaries = messages.filter(role=Message.Role.SUMMARY).values_list("body", flat=True)
    return {
        "rows": "\n".join(rows),
        "the log": "\n".join(events),
        "receipts": "\n".join(receipts),
        "summaries": "\n".join(summaries),
    }


def api(person: Person, probe: str) -> str:
    facts = Fact.objects.for_user(person.user)
    paths = [
        "facts?limit=200",
        "prompts?limit=200",
        f"recall?q={quote(probe)}",
        f"recall?q={quote(probe)}&kind=turn",
        *(f"facts/{pk}/history" for pk in facts.values_list("pk", flat=True)[:5]),
    ]
    return "\n".join(person.request("GET", f"/api/v1/{path}") for path in paths)
