"""Which facts and old turns of a person may be looked at, and how well each fits a question."""

import logging
import re
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from memoryapp.memory.embeddings import EmbeddingUnavailable, Vector, embed_query
from memoryapp.memory.scan import Mark, Scan, scan
from memoryapp.models import Chat, Fact, Message, User
from memoryapp.models.memory import Status

# A task is raised by itself from some days before it is due until it is long overdue.
DUE_SOON, OVERDUE = timedelta(days=3), timedelta(days=7)

Rows = QuerySet[Any, Any]
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
    return as_rows(facts.annotate(mark=mark), group="pk", at="recorded_at")


def turns_of(
    user: User, *, chat: Chat | None = None, without: Collection[str] = (), local: bool = True
) -> Rows:
    """The rows of finished messages in all chats with memory on, for a pass.

    Left out are those that still stand in `chat`'s prompt, and those that taught a fact which is
    withheld, with the replies to them: they would tell it all the same.
    """
    turns = (
        Message.objects.for_user(user)
        .spoken()
        .on_branch()
        .filter(is_recallable=True, chat__memory_on=True)
        .exclude(status=Message.Status.STREAMING)
        .exclude(body="")
        .exclude(pk__in=without)
    )
    if chat is not None:
        turns = turns.exclude(chat=chat, evicted_by=None)
    withheld = Q(status=Status.PAUSED) | Q(pk__in=without)
    if not local:
        withheld |= Q(local_only=True)
    taught = (
        Fact.objects.for_user(user)
        .filter(withheld, source_message__isnull=False)
        .values("source_message_id")
    )
    turns = turns.exclude(pk__in=taught).exclude(parent_id__in=taught)
    mark = Case(
        When(role=Message.Role.USER, then=Value(Mark.OWN_MESSAGE)),
        default=Value(Mark.REPLY),
        output_field=IntegerField(),
    )
    return as_rows(turns.annotate(mark=mark), group="chat_id", at="created_at")


def as_rows(queryset: Rows, *, group: str, at: str, key: str = "pk") -> Rows:
    """A queryset with a `mark` as what a pass takes: see the query in scan.py."""
    columns = ("config", "tsv", "embedding", "embedding_model")
    return queryset.order_by().values_list(key, "mark", F(group), F(at), *columns)


def look_up(user: User, question: str, *rows: Rows, seconds: float = 10) -> Scan:
    """All `rows` by how well they fit, in one embedding and one query.

    If the embedding model gives no answer within `seconds`, words alone decide.
    """
    question = question.replace("\0", " ")
    return scan(
        *rows,
        question=question,
        vector=vector_of(without_name(question, user), seconds),
        config=user.search_config,
    )


def vector_of(text: str, seconds: float) -> Vector | None:
    try:
        return embed_query(text, seconds=seconds)
    except EmbeddingUnavailable as error:
        log.warning("Recalling by words alone. %s", error)
        return None


def without_name(question: str, user: User) -> str:
    """The question without the person's own name, which is in few of their memories.

    It would pull the vector towards those few. As a word it still counts.
    """
    names = "|".join(re.escape(name) for name in (user.first_name, user.last_name) if name)
    return re.sub(rf"\b(?:{names})\b(?:['’]s\b)?", "", question) if names else question
