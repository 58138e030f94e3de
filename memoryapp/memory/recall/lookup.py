"""Which facts and old turns of a person may be looked at, and how well each fits a question."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TypeVar

from django.utils import timezone

from memoryapp.memory.embeddings import (
    MAX_CHARS,
    EmbeddingUnavailable,
    Vector,
    embed_query,
    model_name,
)
from memoryapp.memory.recall.duties import asked_for
from memoryapp.memory.recall.moments import spans_in
from memoryapp.memory.recall.names import named_in
from memoryapp.memory.recall.ranking import Span
from memoryapp.memory.recall.scan import Mark, Question, Source, fetch
from memoryapp.memory.recall.withheld import NOTHING, Withheld
from memoryapp.models import Chat, User

# A task is raised by itself from some days before it is due until it is long overdue.
DUE_SOON, OVERDUE = timedelta(days=3), timedelta(days=7)

Result = TypeVar("Result")

# Written out, since Django takes longer to put them together than a pass over a thousand rows.
# Which facts are in use, RememberedQuerySet says too.
# Undated is before all time: no span with a beginning holds it.
DUE_AT = "coalesce(extract(epoch from due_at)::float8, '-infinity')"
FACTS = f"""
select id,
    case when is_pinned then {Mark.PINNED:d} when kind = 'identity' then {Mark.IDENTITY:d}
        when due_at between %(overdue)s and %(due_soon)s then {Mark.DUE:d}
        when kind = 'task' and exists (
            select from unnest(%(due_from)s::float8[], %(due_to)s::float8[]) as span (start, stop)
            where {DUE_AT} >= start and {DUE_AT} < stop
        ) then {Mark.ASKED_FOR:d}
        when kind = 'preference' then {Mark.PREFERENCE:d} else {Mark.FACT:d} end,
    0, false, coalesce(source_message_id, id), coalesce(last_used_at, recorded_at),
    config, tsv, embedding, embedding_model
from memoryapp_fact
where user_id = %(user)s and valid_to is null and status = 'active'
    and (expires_at is null or expires_at > %(now)s)
    and id <> all(%(without)s::uuid[]) and (%(local)s or not local_only)
    and %(kind)s in ('', kind)
"""
SPEAKER = f"case role when 'user' then {Mark.OWN_MESSAGE:d} else {Mark.REPLY:d} end"
MAY_BE_TOLD = """
    is_findable and memory_on
    and (chat_id is distinct from %(chat)s or evicted_by_id is not null)
    and message.id <> all(%(without)s::uuid[]) and message.id <> all(%(taught)s::uuid[])
    and (parent_id is null or parent_id <> all(%(taught)s::uuid[]))
"""
TURNS = f"""
select message.id, {SPEAKER}, 0, asks, chat_id, message.created_at,
    config, tsv, embedding, embedding_model
from memoryapp_message as message join memoryapp_chat as chat on chat.id = chat_id
where message.user_id = %(user)s and {MAY_BE_TOLD}
"""
PARTS = f"""
select message.id, {SPEAKER}, position + 1, asks, chat_id, message.created_at,
    part.config, part.tsv, part.embedding, part.embedding_model
from memoryapp_messagepart as part join memoryapp_message as message on message.id = message_id
    join memoryapp_chat as chat on chat.id = chat_id
where part.user_id = %(user)s and {MAY_BE_TOLD}
"""
# Each language that a person has written in, by one look into the index for each.
LANGUAGES = """
with recursive found (config) as (
    select min(config::oid) from memoryapp_message where user_id = %(user)s and is_findable
    union all
    select (
        select min(message.config::oid) from memoryapp_message as message
        where user_id = %(user)s and is_findable and message.config::oid > found.config
    ) from found where found.config is not null
)
select config::regconfig::text from found where config is not null
"""
TAUGHT = """
select source_message_id from memoryapp_fact
where user_id = %(user)s and source_message_id is not null and (status = 'paused'
    or status = 'pending' and origin <> 'import'
    or id = any(%(without)s::uuid[]) or local_only and not %(local)s)
"""


def facts_of(
    user: User,
    *,
    kind: str = "",
    withheld: Withheld = NOTHING,
    due: Sequence[Span] = (),
) -> Source:
    """The facts that may be recalled, for a pass. Tasks due in one of the spans are asked for."""
    now = timezone.now()
    parameters = {"user": user.pk, "kind": kind, **withheld.parameters}
    moments = {"now": now, "overdue": now - OVERDUE, "due_soon": now + DUE_SOON}
    asked = {"due_from": [start for start, _ in due], "due_to": [stop for _, stop in due]}
    return Source([FACTS], {**parameters, **moments, **asked})


def turns_of(user: User, *, chat: Chat | None = None, withheld: Withheld = NOTHING) -> Source:
    """The finished messages in all chats with memory on, and their parts, for a pass.

    Left out are those that still stand in `chat`'s prompt, and those that taught a fact which is
    withheld or waits for approval, with the replies to them: they would tell it all the same. What
    was imported could be recalled before it was proposed as a fact, and can be still.
    """
    parameters = {"user": user.pk, **withheld.parameters}
    [(taught, languages)] = fetch(f"select array({TAUGHT}), array({LANGUAGES})", parameters)
    parameters = {**parameters, "chat": chat and chat.pk, "taught": taught}
    return Source([TURNS, PARTS], parameters, languages)


def understood(user: User, question: str, *, seconds: float = 10) -> Question:
    """What the question seeks, for a pass. Its vector is on its way when this returns.

    Of a long one the beginning counts, as for its vector: to look for names and times in all of a
    pasted text takes a second or two. If the embedding model gives no answer within `seconds`,
    words alone decide.
    """
    question = question[:MAX_CHARS].replace("\0", " ")
    named = named_in(question, user)
    now = timezone.now().astimezone(user.zone)
    model = model_name()
    return Question(
        text=named.question,
        vector=begun(partial(vector_of, named.question, model, seconds)),
        model=model,
        config=user.search_config,
        named=named.speaker,
        spans=spans_in(question, now),
        due=asked_for(question, now),
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
    except EmbeddingUnavailable:
        return None
