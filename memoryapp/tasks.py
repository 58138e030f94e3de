"""BACKGROUND: what follows a saved row. Ids in, nothing out, safe to run twice.

Each task decides whether there is something to do, calls at most one agent outside of any
transaction, and writes once.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext_noop
from django_q.tasks import async_task

from memoryapp import writers
from memoryapp.channel_layer import chat_group, publish
from memoryapp.memory import eviction, indexing, ledger, log, recall, resources
from memoryapp.memory.embeddings import EmbeddingUnavailable
from memoryapp.memory.phrases import is_off_the_record, takes_back_the_last
from memoryapp.models import Chat, Fact, Message, Prompt, Resource, Usage, User
from memoryapp.models.chats import INTERRUPTED

logger = logging.getLogger("memoryapp.tasks")

# All current facts are shown to the extractor while there are this few, then the nearest ones.
KNOWN_FACTS = 40
EMBED_SECONDS = 60  # at a time, that other work gets its turn
# While turns come quickly, so many are read at once: most of what the extractor is sent is the same
# for one turn as for several.
TURNS_TOGETHER = 6
EXTRACTOR_FAILED = gettext_noop("I couldn't learn from this message: {}")


def enqueue(task: Callable[..., None], *ids: Any) -> None:
    """Hand a task to the worker. It is a row of the current transaction, so that neither what was
    saved nor what follows from it is ever there without the other."""
    if settings.Q_CLUSTER["sync"]:
        transaction.on_commit(partial(async_task, task, *map(str, ids)))
    else:
        async_task(task, *map(str, ids))


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Let tasks of the same name wait for each other, also across machines."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [name])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", [name])


def _asked(agent: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """What an agent answers. Raises AgentFailed with a sentence when its model can't."""
    from memoryapp.agents import asking, failures, llm

    with failures.explained():
        return asking.ask(cast(llm.Configured, agent), work, *arguments)


def extract(chat_id: str) -> None:
    """Learn from what the user said in this chat since the last time."""
    owner = Chat.objects.filter(pk=chat_id).values_list("user_id", flat=True).first()
    # A person's chats take turns: what was said later is to be learned later.
    with one_at_a_time(f"extract:{owner}"):
        chat = Chat.objects.select_related("user").filter(pk=chat_id).first()
        if chat is None or not (batch := _unextracted(chat)) or _more_is_coming(chat, batch):
            return
        heard = _on_the_record(chat, batch)
        said_last = _last_said(heard) if chat.remembers else None
        if said_last is None:
            _mark_extracted(batch)
            return
        run = _run_extractor(chat, heard, said_last)
        with transaction.atomic():
            chat.lock()
            chat.refresh_from_db(fields=["memory_on"])
            chat.user.refresh_from_db(fields=["memory_on", "review"])
            if chat.remembers:
                ledger.apply(user=chat.user, operations=run.output, messages=heard, model=run.model)
                # Found by meaning from the moment it is known; without an embedder, by words.
                with suppress(EmbeddingUnavailable):
                    embed_facts(str(chat.user_id))
            _mark_extracted(batch)
            Usage.objects.record(user=chat.user, chat=chat, agent="extractor", run=run)
            _tell(chat, "learned", said_last)


def _unextracted(chat: Chat) -> list[Message]:
    """The finished turns of the active branch that the extractor hasn't had."""
    messages = chat.archive.spoken().on_branch()
    replies = messages.filter(role=Message.Role.ASSISTANT)
    last = replies.exclude(status=Message.Status.STREAMING).last()
    if last is None:
        return []
    new = messages.filter(created_at__lte=last.created_at, is_extracted=False, is_recallable=True)
    return list(new.exclude(body=""))


def _more_is_coming(chat: Chat, batch: Sequence[Message]) -> bool:
    """Whether what is new can wait for the turn that is being answered, whose end asks again."""
    num_turns = sum(message.role == Message.Role.USER for message in batch)
    return num_turns < TURNS_TOGETHER and chat.messages.streaming().exists()


def _on_the_record(chat: Chat, batch: Sequence[Message]) -> list[Message]:
    """The batch without what the person asked not to remember.

    What is said of the message before takes that one out too, and undoes what it had taught.
    """
    kept: list[Message] = []
    for message in batch:
        if message.role != Message.Role.USER or not is_off_the_record(message.body):
            kept.append(message)
        elif takes_back_the_last(message.body):
            earlier = chat.archive.on_branch().filter(role=Message.Role.USER)
            last = earlier.filter(created_at__lt=message.created_at).last()
            if last is not None:
                ledger.take_back(message=last, actor=chat.user.username)
                indexing.take_off_record(last)
                kept = [other for other in kept if other.pk != last.pk]
    return kept


def _mark_extracted(batch: Sequence[Message]) -> None:
    ids = [message.pk for message in batch]
    Message.objects.filter(pk__in=ids).update(is_extracted=True)


def _last_said(batch: Sequence[Message]) -> Message | None:
    said = [message for message in batch if message.role == Message.Role.USER]
    return said[-1] if said else None


def _run_extractor(chat: Chat, batch: Sequence[Message], said_last: Message) -> Any:
    from memoryapp.agents import extractor, llm

    heard = [
        extractor.Heard(
            number=number,
            role=cast(extractor.Speaker, message.role),
            body=message.body,
            said_at=message.created_at.astimezone(chat.user.zone),
        )
        for number, message in enumerate(batch, 1)
    ]
    try:
        return _asked("extractor", extractor.extract, heard, _known(chat.user, batch))
    except Exception as error:
        _tell_of_failure(chat, said_last, llm.explain(error))
        raise


def _known(user: User, batch: Sequence[Message]) -> list[Any]:
    """The facts and prompts that the extractor may change, with small numbers for ids."""
    from memoryapp.agents.extractor import Known

    facts = Fact.objects.for_user(user).in_use()
    if facts.count() > KNOWN_FACTS:
        said = "\n".join(m.body for m in batch if m.role == Message.Role.USER)
        nearest = recall.search(user, said, limit=KNOWN_FACTS)
        facts = facts.filter(pk__in=[memory.id for memory in nearest])
    rows = [*facts, *Prompt.objects.for_user(user).in_use()]
    return [
        Known(
            number=number,
            id=str(row.pk),
            table=row.table,
            kind=getattr(row, "kind", ""),
            key=row.key,
            value=row.value,
            subject=getattr(row, "subject", ""),
        )
        for number, row in enumerate(rows, 1)
    ]


def _tell_of_failure(chat: Chat, message: Message, reason: str) -> None:
    told = EXTRACTOR_FAILED.format(reason)
    log.note_failure(message=message, actor=ledger.EXTRACTOR, reason=told)
    _tell(chat, "learned", message)


def summarize(chat_id: str) -> None:
    """Condense the history if it has grown too long."""
    with one_at_a_time(f"summarize:{chat_id}"):
        chat = Chat.objects.select_related("user").filter(pk=chat_id).first()
        if chat is None or not (covered := eviction.due(chat)):
            return
        from memoryapp.agents import summarizer

        run = _asked("summarizer", summarizer.summarize, _said(eviction.sources(covered)))
        if summary := eviction.evict(chat, covered, run.output):
            Usage.objects.record(user=chat.user, chat=chat, agent="summarizer", run=run)
            _tell(chat, "condensed", summary)


def redo_summary(message_id: str) -> None:
    """Write a summary anew, from what it covers; it stays as it is, with the reason, on failure."""
    summaries = Message.objects.filter(pk=message_id, role=Message.Role.SUMMARY)
    summary = summaries.select_related("chat__user").first()
    if summary is None:
        return
    from memoryapp.agents import llm

    with one_at_a_time(f"summarize:{summary.chat_id}"):
        if not (covered := eviction.covered_by(summary)):
            return
        try:
            _rewrite(summary, covered)
        except Exception as error:
            summaries.update(failure=llm.explain(error))
            raise
        finally:
            _tell(summary.chat, "rewritten", summary)


def _rewrite(summary: Message, covered: list[Message]) -> None:
    from memoryapp.agents import summarizer

    run = _asked("summarizer", summarizer.summarize, _said(eviction.sources(covered)))
    if eviction.rewrite(summary, covered, run.output):
        user, chat = summary.chat.user, summary.chat
        Usage.objects.record(user=user, chat=chat, agent="summarizer", run=run)


def _said(messages: Iterable[Message]) -> list[Any]:
    from memoryapp.agents.talker import Role, Said

    return [Said(cast(Role, message.role), message.told) for message in messages if message.body]


def condense_again(user_id: str) -> None:
    """Write the summaries anew that were removed because of what was forgotten."""
    for chat in Chat.objects.filter(user_id=user_id):
        if eviction.due(chat):
            enqueue(summarize, chat.pk)


def title(chat_id: str) -> None:
    """Name the chat, unless it has a name already."""
    with one_at_a_time(f"title:{chat_id}"):
        untitled = Chat.objects.select_related("user").filter(
            pk=chat_id, title_source=Chat.TitleSource.DEFAULT
        )
        chat = untitled.first()
        if chat is None or not (said := _said(chat.archive.spoken().on_branch()[:4])):
            return
        from memoryapp.agents import summarizer

        run = _asked("summarizer", summarizer.title, said)
        # The person may have named it while the model was thinking.
        if untitled.update(title=run.output, title_source=Chat.TitleSource.AUTO):
            Usage.objects.record(user=chat.user, chat=chat, agent="title", run=run)
            _tell(chat, "title")


def note_use(message_id: str) -> None:
    """Count which facts this reply was told."""
    if reply := Message.objects.filter(pk=message_id).select_related("user").first():
        ledger.note_use(reply)


def embed_messages(chat_id: str) -> None:
    """Make the messages of this chat findable by meaning."""
    indexing.index_messages(indexing.findable().filter(chat_id=chat_id, embedding=None))


def embed_facts(user_id: str) -> None:
    """Make what is known about this person findable by meaning."""
    indexing.index_facts(indexing.current_facts().filter(user_id=user_id, embedding=None))


def embed_missing() -> None:
    """Make findable by meaning what isn't yet: the embedding model was not at hand, or changed."""
    with one_at_a_time("embed"):
        if not indexing.index_missing(seconds=EMBED_SECONDS):
            enqueue(embed_missing)


def read_resource(resource_id: str) -> None:
    """Split a resource into passages and make them findable."""
    with one_at_a_time(f"read:{resource_id}"):
        if resource := Resource.objects.filter(pk=resource_id).first():
            resources.read(resource)


@transaction.atomic
def sweep() -> None:
    """End the replies whose process died, with the text that was saved, and drop what is kept for
    a time only."""
    log.drop_old_refusals()
    abandoned = Message.objects.abandoned(living=writers.living())
    # Locked, because a process that was only slow may be ending its reply just now.
    for reply in abandoned.select_for_update(skip_locked=True):
        reply.finish(Message.Status.INTERRUPTED, INTERRUPTED)
        logger.warning("The reply %s was interrupted: its process is gone", reply.pk)
        publish(
            chat_group(reply.chat_id),
            {"type": "reply.finished", "reply": str(reply.pk), "status": reply.status},
        )


def _tell(chat: Chat, what: str, message: Message | None = None) -> None:
    """Tell the pages that show this chat what has changed in it."""
    event = {"type": "chat.changed", "what": what, "message": str(message.pk) if message else ""}
    publish(chat_group(chat.pk), event)
