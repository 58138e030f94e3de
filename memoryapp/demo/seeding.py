"""Writes the story as if it had been lived: through the ledger, with real recall and receipts."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memoryapp.demo.story import RESOURCE, STORIES, Exchange, Story
from memoryapp.memory import indexing, ledger, recall, resources
from memoryapp.memory.recall.choosing import Recalled
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Prompt, User
from memoryapp.receipts import Receipt
from memoryapp.tokens import num_tokens

Role = Message.Role
MODEL = "demo"


def seed(user: User) -> None:
    """Give `user` the chats, memories, inbox and resource of the story, in one transaction."""
    with transaction.atomic():
        for story in STORIES:
            tell(user, story)
        name, body = RESOURCE
        resources.add(user=user, name=name, body=body)


def tell(user: User, story: Story) -> None:
    chat = Chat.objects.create(
        user=user, title=story.title, title_source=Chat.TitleSource.AUTO, **story.columns
    )
    for exchange in story.exchanges:
        live(user, chat, exchange)
    move_back(user, chat, story)


def live(user: User, chat: Chat, exchange: Exchange) -> None:
    """One turn: recall, the reply with its receipt, and what is learned after it."""
    question = chat.add_message(Role.USER, exchange.said)
    recalled = recall.recall(user, chat, exchange.said)
    reply = chat.add_message(Role.ASSISTANT, exchange.answer, status=exchange.status)
    reply.failure, reply.receipt = exchange.failure, receipt(user, chat, question, recalled).noted()
    reply.save(update_fields=["failure", "receipt"])
    spent = {"input_tokens": reply.receipt["tokens"]["prompt"], "cost": Decimal("0.0021")}
    chat.usage.create(user=user, agent="talker", model=MODEL, output_tokens=180, **spent)
    chat.usage.create(user=user, agent="extractor", model=MODEL, input_tokens=420, output_tokens=40)
    ledger.note_use(reply)
    ledger.apply(user=user, operations=exchange.learned, messages=[question], model=MODEL)
    indexing.index_messages(indexing.findable().filter(chat=chat))
    indexing.index_facts(indexing.current_facts().filter(user=user))


def receipt(user: User, chat: Chat, question: Message, recalled: Recalled) -> Receipt:
    history = chat.history.filter(created_at__lt=question.created_at)
    said = [memory.text for memory in recalled.memories]
    tokens = {"memory": sum(map(num_tokens, said)), "prompt": 640 + 210 * len(history)}
    prompts = Prompt.objects.persona_of(user)
    return Receipt(
        memory_on=True,
        model=MODEL,
        label="A model of your choice",
        is_offline=False,
        now=timezone.now().astimezone(user.zone).isoformat(),
        memories=[memory.noted() for memory in recalled.memories],
        near_misses=[memory.noted() for memory in recalled.near_misses],
        turns=[memory.noted() for memory in recalled.turns],
        clear=recalled.clear,
        prompts=[{"id": str(prompt.pk), "text": prompt.value} for prompt in prompts],
        history=[str(message.pk) for message in history],
        window=len(history),
        tokens=tokens,
        milliseconds={"recall": recalled.milliseconds, "first_token": 380, "total": 2900},
    )


def correct_receipts(chat: Chat, by: timedelta) -> None:
    """Receipts tell when a memory was said; what this chat said moves with it."""
    for message in chat.messages.filter(role=Role.ASSISTANT):
        parts = ("memories", "near_misses", "turns")
        for memory in (memory for part in parts for memory in message.receipt[part]):
            if memory["chat_id"] == str(chat.pk):
                said_at = datetime.fromisoformat(memory["said_at"]) + by
                memory["said_at"] = said_at.isoformat(timespec="seconds")
        message.save(update_fields=["receipt"])


def move_back(user: User, chat: Chat, story: Story) -> None:
    """Let the chat and all it taught have happened when the story says."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    then = midnight - timedelta(days=story.days_ago) + timedelta(hours=story.hour)
    last = chat.archive.last()
    ended_at = last.created_at if last else chat.created_at
    by = min(then - chat.created_at, timezone.now() - ended_at)
    earlier = F("created_at") + by
    correct_receipts(chat, by)
    chat.usage.update(created_at=earlier)
    # The story says what was learned.
    chat.messages.update(created_at=earlier, is_extracted=True)
    MemoryEvent.objects.for_user(user).filter(message__chat=chat).update(created_at=earlier)
    for table in (Fact, Prompt):
        table.objects.for_user(user).filter(source_message__chat=chat).update(
            valid_from=F("valid_from") + by, recorded_at=F("recorded_at") + by
        )
        closed = table.objects.for_user(user).exclude(valid_to=None)
        closed.filter(replaced_by__source_message__chat=chat).update(valid_to=F("valid_to") + by)
    Chat.objects.filter(pk=chat.pk).update(
        created_at=chat.created_at + by, last_message_at=ended_at + by
    )
