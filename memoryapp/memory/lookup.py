"""Which facts and old turns of a person may be looked at, and how well each fits a question."""

import logging
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from memoryapp.memory.embeddings import EmbeddingUnavailable, Vector, embed_query, model_name
from memoryapp.memory.moments import spans_in
from memoryapp.memory.names import named_in
from memoryapp.memory.scan import Mark, Question
from memoryapp.models import Chat, Fact, Message, MessagePart, User
from memoryapp.models.memory import Status

# A task is raised by itself from some days before it is due until it is long overdue.
DUE_SOON, OVERDUE = timedelta(days=3), timedelta(days=7)

Rows = QuerySet[Any, Any]
Result = TypeVar("Result")
log = logging.getLogger(__name__)


def facts_of(
    user: User, *, kind: str = "", without: Collection[str] = (), local: bool = True
) -> Rows:
    """The rows of facts that may be recalled, for a pass."""
    facts = Fact.objects.for_user(user).in_use().exclude(pk__in=without)
    if kind:
        facts = facts.filter(kind=kind)
    if not local:
        facts = facts.exclude(local_only=True)
    now = timezone.now()
    mark = Case(
        When(is_pinned=True, then=Value(Mark.PINNED)),
        When(kind=Fact.Kind.IDENTITY, then=Value(Mark.IDENTITY)),
        When(due_at__range=(now - OVERDUE, now + DUE_SOON), then=Value(Mark.DUE)),
        When(kind=Fact.Kind.PREFERENCE, then=Value(Mark.PREFERENCE)),
        default=Value(Mark.FACT),
        output_field=IntegerField(),
    )
    last_used = Coalesce("last_used_at", "recorded_at")
    place = Coalesce("source_message_id", "pk")
    marked = facts.annotate(mark=mark, last_used=last_used, place=place)
    return as_rows(marked, place="place", at="last_used")


def turns_of(
    user: User, *, chat: Chat | None = None, without: Collection[str] = (), local: bool = True
) -> tuple[Rows, Rows]:
    """The rows of finished messages in all chats with memory on, and of their parts, for a pass.

    Left out are those that still stand in `chat`'s prompt, and those that taught a fact which is
    withheld or waits for approval, with the replies to them: they would tell it all the same.
    """
    withheld = Q(status__in=[Status.PAUSED, Status.PENDING]) | Q(pk__in=without)
    if not local:
        withheld |= Q(local_only=True)
    taught = list(
        Fact.objects.for_user(user)
        .filter(withheld, source_message__isnull=False)
        .values_list("source_message_id", flat=True)
    )
    turns = Message.objects.for_user(user).filter(may_be_told("", chat, without, taught))
    parts = MessagePart.objects.for_user(user).filter(
        may_be_told("message__", chat, without, taught)
    )
    return (
        as_rows(
            turns.annotate(mark=mark_of_speaker("role")),
            asks=F("asks"),
            place="chat_id",
            at="created_at",
        ),
        as_rows(
            parts.annotate(mark=mark_of_speaker("message__role")),
            key="message_id",
            part=F("position") + 1,
            asks=F("message__asks"),
            place="message__chat_id",
            at="message__created_at",
        ),
    )


def may_be_told(message: str, chat: Chat | None, without: Collection[str], taught: list[UUID]) -> Q:
    """The condition on a message, with `message` as the way to it."""
    told = Q(**{f"{message}is_findable": True, f"{message}chat__memory_on": True})
    if chat is not None:
        told &= Q(**{f"{message}evicted_by__isnull": False}) | ~Q(**{f"{message}chat": chat})
    if hidden := [*without, *taught]:
        told &= ~Q(**{f"{message}pk__in": hidden})
    if taught:
        told &= Q(**{f"{message}parent": None}) | ~Q(**{f"{message}parent__in": taught})
    return told


def mark_of_speaker(role: str) -> Case:
    return Case(
        When(**{role: Message.Role.USER}, then=Value(Mark.OWN_MESSAGE)),
        default=Value(Mark.REPLY),
        output_field=IntegerField(),
    )


def as_rows(
    queryset: Rows,
    *,
    place: str,
    at: str,
    key: str = "pk",
    part: Any = Value(0),  # noqa: B008
    asks: Any = Value(False),  # noqa: B008
) -> Rows:
    """A queryset with a `mark` as what a pass takes: see the query in scan.py."""
    columns = ("config", "tsv", "embedding", "embedding_model")
    return queryset.order_by().values_list(key, "mark", part, asks, F(place), F(at), *columns)


def understood(user: User, question: str, *, seconds: float = 10) -> Question:
    """What the question seeks, for a pass. Its vector is on its way when this returns.

    If the embedding model gives no answer within `seconds`, words alone decide.
    """
    named = named_in(question.replace("\0", " "), user)
    model = model_name()
    return Question(
        text=named.question,
        vector=begun(partial(vector_of, named.question, model, seconds)),
        model=model,
        config=user.search_config,
        named=named.speaker,
        spans=spans_in(question, timezone.now().astimezone(user.zone)),
    )


def begun(work: Callable[[], Result]) -> Future[Result]:
    """The work, in a thread of its own: a shared pool would not outlive the fork of a worker."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="question")
    future = thread.submit(work)
    thread.shutdown(wait=False)
    return future


def vector_of(text: str, model: str, seconds: float) -> Vector | None:
    try:
        return embed_query(text, model=model, seconds=seconds)
    except EmbeddingUnavailable as error:
        log.warning("Recalling by words alone. %s", error)
        return None
