"""When messages leave the history, and the summary that takes their place."""

from collections.abc import Sequence

from django.conf import settings
from django.db import transaction

from memoryapp.models import Chat, Message

# A round pays only if it frees this part of the tokens that trigger it; otherwise one long
# message among those kept would cause a round after each turn.
WORTHWHILE_PART = 0.25


def due(chat: Chat) -> list[Message]:
    """The messages to condense now, oldest first; none while the history is short enough.

    A history of more than SUMMARY_TRIGGER_MESSAGES messages or SUMMARY_TRIGGER_TOKENS tokens
    is condensed but for its newest SUMMARY_KEEP_MESSAGES. Summaries are messages like others,
    so a later round folds an earlier summary in.
    """
    history = list(chat.history)
    covered = history[: max(0, len(history) - settings.SUMMARY_KEEP_MESSAGES)]
    if any(message.status == Message.Status.STREAMING for message in covered):
        return []
    if len(history) > settings.SUMMARY_TRIGGER_MESSAGES:
        return covered
    worthwhile = settings.SUMMARY_TRIGGER_TOKENS * WORTHWHILE_PART
    if tokens(history) > settings.SUMMARY_TRIGGER_TOKENS and tokens(covered) > worthwhile:
        return covered
    return []


def tokens(messages: Sequence[Message]) -> int:
    return sum(message.num_tokens for message in messages)


def evict(chat: Chat, covered: Sequence[Message], body: str) -> Message | None:
    """Put a summary with this `body` in the place of `covered`; None if they changed meanwhile.

    The summary carries the time of the newest message it covers. Inserting it and marking the
    messages evicted is one transaction under the chat's lock.
    """
    with transaction.atomic():
        chat.lock()
        still_there = chat.history.filter(pk__in=[message.pk for message in covered])
        if still_there.count() != len(covered):
            return None
        summary = chat.messages.create(
            user=chat.user,
            role=Message.Role.SUMMARY,
            body=body,
            created_at=covered[-1].created_at,
            config=chat.user.search_config,
        )
        still_there.exclude(pk=summary.pk).update(evicted_by=summary)
    return summary
