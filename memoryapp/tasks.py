"""BACKGROUND: what follows a saved row. Ids in, nothing out, safe to run twice.

Each task decides whether there is something to do, calls at most one agent outside of any
transaction, and writes once.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

from django.db import transaction
from django.utils.translation import gettext_noop

from memoryapp import accounts, imported, learning, writers
from memoryapp.bus import chat_group, person_group, publish
from memoryapp.documents.reading import TakesLong
from memoryapp.locks import Busy, unless_busy
from memoryapp.memory import eviction, forgetting, indexing, ledger, log, resources
from memoryapp.memory.embeddings import EmbeddingUnavailable
from memoryapp.models import Chat, Message, Resource, Usage, User
from memoryapp.models.messages import INTERRUPTED
from memoryapp.queue import enqueue as enqueue
from memoryapp.queue import in_a_moment
from memoryapp.together import Steps, answer, together

logger = logging.getLogger("memoryapp.tasks")

EMBED_SECONDS = 10  # at a time, that other work gets its turn
LESSON_SECONDS = 3
EXTRACTOR_FAILED = gettext_noop("I couldn't learn from this message: {}")


def next_lesson() -> datetime:
    """When what was said now is to be learned. The same moment for all that is said within a few
    seconds, so that turns that come quickly are read together, and so are many people's chats."""
    lesson = time.time() // LESSON_SECONDS + 1
    return datetime.fromtimestamp(lesson * LESSON_SECONDS, tz=UTC)


@together("extractor")
def extract(chat_id: str) -> Steps[None]:
    """Learn from what the user said in this chat since the last time."""
    chat = Chat.objects.select_related("user").filter(pk=chat_id).first()
    if chat is None:
        return
    # A person's chats take turns: what was said later is to be learned later.
    with unless_busy(f"extract:{chat.user_id}"):
        if not (batch := learning.unread(chat)):
            return
        heard, taken_back = learning.on_record(batch)
        for message in taken_back:
            _tell(chat, "learned", message)
        said_last = learning.last_said(heard) if chat.remembers else None
        if said_last is None:
            learning.mark_read(batch)
            return
        try:
            run = yield from _read(chat.user, heard)
        except Exception as error:
            _tell_of_failure(said_last, error)
            raise
        with transaction.atomic():
            ledger.lock(chat.user)
            # Locked, and as it is now: memory may have been switched off meanwhile.
            locked = Chat.objects.select_for_update(of=("self",))
            chat = locked.select_related("user").get(pk=chat_id)
            Usage.objects.record(user=chat.user, chat=chat, agent="extractor", run=run)
            if not learning.stand_still(heard):
                enqueue(extract, chat_id, due=in_a_moment())  # to read what stands there now
                return
            events = (
                ledger.apply(user=chat.user, operations=run.output, messages=heard, model=run.model)
                if chat.remembers
                else []
            )
            learning.mark_read(batch)
            for message in learning.changed(heard, events):
                _tell(chat, "learned", message)


def _read(user: User, batch: Sequence[Message]) -> Steps[Any]:
    from memoryapp.agents import extractor

    heard, known = learning.heard(user, batch), learning.known(user, batch)
    return answer("extractor", extractor.extract, heard, known)


def _tell_of_failure(message: Message, error: Exception) -> None:
    from memoryapp.agents import failures

    reason = EXTRACTOR_FAILED.format(failures.explain(error))
    log.note_failure(message=message, actor=ledger.EXTRACTOR, reason=reason)
    _tell(message.chat, "learned", message)


@together("extractor")
def extract_imported(user_id: str) -> Steps[None]:
    """Learn from the next of what this person imported, as long as they want that.

    One question at a time, after which whoever else waits comes first.
    """
    from memoryapp.agents import asking

    # Where a model has one process wait for each answer, no more than one waits for this.
    is_slow = asking.num_at_once("extractor") == asking.ONE
    with unless_busy("extract imported" if is_slow else f"extract imported:{user_id}"):
        is_more = yield from _extract_next(user_id)
    if is_more:
        enqueue(extract_imported, user_id, due=in_a_moment())


def _extract_next(user_id: str) -> Steps[bool]:
    user = User.objects.filter(pk=user_id, learns_imports=True).first()
    if user is None:
        return False
    batch = imported.next_batch(user) if user.memory_on else []
    if not batch:
        imported.stop(user)
        return False
    kept, _ = learning.on_record(batch)
    heard = [message for message in kept if message.is_on_record]
    said_last = learning.last_said(heard)
    if said_last is None:
        learning.mark_read(batch)
        return True
    try:
        run = yield from _read(user, heard)
    except Exception as error:
        _tell_of_failure(said_last, error)
        raise
    with transaction.atomic():
        ledger.lock(user)
        Usage.objects.record(user=user, chat=None, agent="extractor", run=run)
        if imported.is_wanted_still(user, batch):
            ledger.apply(user=user, operations=run.output, messages=heard, model=run.model)
            learning.mark_read(batch)
    return True


@together("summarizer")
def summarize(chat_id: str) -> Steps[None]:
    """Condense the history if it has grown too long."""
    with unless_busy(f"summarize:{chat_id}"):
        chat = Chat.objects.select_related("user").filter(pk=chat_id).first()
        if chat is None or not (covered := eviction.due(chat)):
            return
        from memoryapp.agents import summarizer

        sources = eviction.sources(covered)
        run = yield from answer("summarizer", summarizer.summarize, _said(sources))
        with _unless_forgotten(chat.user, sources):
            if summary := eviction.evict(chat, covered, run.output):
                Usage.objects.record(user=chat.user, chat=chat, agent="summarizer", run=run)
                _tell(chat, "condensed", summary)


@contextmanager
def _unless_forgotten(user: User, told: Sequence[Message]) -> Iterator[None]:
    """A transaction for what a model made of these messages. Raises Busy, so that the task is done
    anew, if something that they say was forgotten while it did."""
    with transaction.atomic():
        ledger.lock(user)
        if not forgetting.spares(told):
            raise Busy
        yield


@together("summarizer")
def redo_summary(message_id: str) -> Steps[None]:
    """Write a summary anew, from what it covers; it stays as it is, with the reason, on failure."""
    summaries = Message.objects.filter(pk=message_id, role=Message.Role.SUMMARY)
    summary = summaries.select_related("chat__user").first()
    if summary is None:
        return
    from memoryapp.agents import llm

    with unless_busy(f"summarize:{summary.chat_id}"):
        if not (covered := eviction.covered_by(summary)):
            return
        try:
            yield from _rewrite(summary, covered)
        except Exception as error:
            summaries.update(failure=llm.explain(error))
            raise
        finally:
            _tell(summary.chat, "rewritten", summary)


def _rewrite(summary: Message, covered: list[Message]) -> Steps[None]:
    from memoryapp.agents import summarizer

    run = yield from answer("summarizer", summarizer.summarize, _said(eviction.sources(covered)))
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


@together("summarizer")
def title(chat_id: str) -> Steps[None]:
    """Name the chat, unless it has a name already."""
    with unless_busy(f"title:{chat_id}"):
        untitled = Chat.objects.select_related("user").filter(
            pk=chat_id, title_source=Chat.TitleSource.DEFAULT
        )
        chat = untitled.first()
        begun = list(chat.archive.spoken().on_branch()[:4]) if chat else []
        if chat is None or not (said := _said(begun)):
            return
        from memoryapp.agents import summarizer

        run = yield from answer("summarizer", summarizer.title, said)
        with _unless_forgotten(chat.user, begun):
            # The person may have named it while the model was thinking.
            if untitled.update(title=run.output, title_source=Chat.TitleSource.AUTO):
                Usage.objects.record(user=chat.user, chat=chat, agent="title", run=run)
                # Pages of other chats list this one, too.
                publish(person_group(chat.user_id), {"type": "chat.named", "chat": chat_id})


def note_use(message_id: str) -> None:
    """Count which facts this reply was told, and take out what was forgotten meanwhile."""
    if reply := Message.objects.filter(pk=message_id).select_related("user").first():
        ledger.note_use(reply)
        forgetting.catch_up(reply)


def embed_messages(chat_id: str) -> None:
    """Make the messages of this chat findable by meaning; `embed_missing` makes up for it if the
    embedding model isn't at hand, or they are too long for one turn."""
    messages = indexing.findable().filter(chat_id=chat_id, embedding=None)
    with suppress(EmbeddingUnavailable):
        indexing.index_messages(messages, seconds=EMBED_SECONDS)


def embed_facts(user_id: str) -> None:
    """Make what is known about this person findable by meaning, as `embed_messages` does."""
    with suppress(EmbeddingUnavailable):
        indexing.index_facts(indexing.current_facts().filter(user_id=user_id, embedding=None))


def embed_missing() -> None:
    """Make findable by meaning what isn't yet: the embedding model was not at hand, or changed."""
    _in_turns(embed_missing, work=partial(indexing.index_missing, seconds=EMBED_SECONDS))


def read_resource(resource_id: str) -> None:
    """Split a resource into passages and make them findable."""
    if resource := Resource.objects.filter(pk=resource_id).first():
        work = partial(resources.read, resource, seconds=EMBED_SECONDS)
        try:
            _in_turns(read_resource, resource_id, work=work)
        except TakesLong:
            enqueue(read_at_leisure, resource_id)


def read_at_leisure(resource_id: str) -> None:
    """Read a document that takes long: one of these at a time, beside all that takes less."""
    if resource := Resource.objects.filter(pk=resource_id).first():
        try:
            with unless_busy("read at leisure"):
                has_text = resources.read_at_leisure(resource)
        except Busy:
            enqueue(read_at_leisure, resource_id, due=in_a_moment())
        else:
            if has_text:
                enqueue(read_resource, resource_id)


def _in_turns(task: Callable[..., None], *call: str, work: Callable[[], bool]) -> None:
    """Do some of what takes long, and have the task come again until `work` says that it is done.

    One process at a time embeds so much: what others say is learned in those beside it.
    """
    is_done = False
    with suppress(Busy), unless_busy("embed"):
        is_done = work()
    if not is_done:
        enqueue(task, *call, due=in_a_moment())  # whoever else waits for this comes first


@transaction.atomic
def sweep() -> None:
    """End the replies whose process died, with the text that was saved, and drop what is kept for
    a time only."""
    log.drop_old_refusals()
    accounts.drop_ended_sessions()
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
