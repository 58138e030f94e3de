"""When messages leave the history, and the summary that takes their place."""

from collections.abc import Callable, Sequence

from django.conf import settings
from django.db import transaction

from memoryapp.models import Chat, Message

# A round pays only if it frees this part of the tokens that trigger it; otherwise one long
# message among those kept would cause a round after each turn.
WORTHWHILE_PART = 0.25
# Half of a history is kept, as one that shrinks to a few messages all at once forgets what is being
# spoken of. So prompts stay about equally long, and much of each is the beginning of the next.
KEPT_PART = 0.5
LAST_TURN = 2  # messages, which are kept whatever their length
# What is folded from summary to summary fades. Every fourth time it is written anew, from the
# messages of those rounds and the summary before them: a summary's input stays bounded, and only
# every fourth one is a copy of a copy.
REBUILT_EVERY = 4
OVERLONG = 2
Below = Callable[[Message], list[Message]]


def due(chat: Chat) -> list[Message]:
    """The messages of a chat to condense now, oldest first."""
    return surplus(list(chat.history))


def surplus(history: Sequence[Message]) -> list[Message]:
    """The messages to condense now, oldest first; none while the history is short enough.

    A history of more than SUMMARY_TRIGGER_MESSAGES messages or SUMMARY_TRIGGER_TOKENS tokens
    is condensed but for its newest SUMMARY_KEEP_MESSAGES, or as many of them as take no more than
    KEPT_PART of the tokens. Summaries are messages like others, so a later round folds an earlier
    summary in.
    """
    covered = list(history[: len(history) - num_kept(history)])
    if any(message.status == Message.Status.STREAMING for message in covered):
        return []
    if len(history) > settings.SUMMARY_TRIGGER_MESSAGES:
        return covered
    worthwhile = settings.SUMMARY_TRIGGER_TOKENS * WORTHWHILE_PART
    if tokens(history) > settings.SUMMARY_TRIGGER_TOKENS and tokens(covered) > worthwhile:
        return covered
    return []


def num_kept(history: Sequence[Message]) -> int:
    """How many of the newest messages a round leaves, which begin with a question if they can."""
    newest = history[-settings.SUMMARY_KEEP_MESSAGES :]
    room = settings.SUMMARY_TRIGGER_TOKENS * KEPT_PART
    kept = 0
    for number, message in enumerate(reversed(newest), 1):
        room -= message.num_tokens
        if room < 0 and number > LAST_TURN:
            return kept
        if message.role == Message.Role.USER or number <= LAST_TURN:
            kept = number
    return len(newest)


def tellable(history: Sequence[Message]) -> list[Message]:
    """What of a history a reply is told: all of it, as a rule.

    One that nobody could condense yet (its chat was imported, or the summarizer is away) would
    fit into no model's context: its summary and its newest messages, of at most OVERLONG times
    SUMMARY_TRIGGER_TOKENS beyond the last turn.
    """
    room, told = settings.SUMMARY_TRIGGER_TOKENS * OVERLONG, list[Message]()
    for number, message in enumerate(reversed(history), 1):
        if number > LAST_TURN:
            room -= message.num_tokens
        if room >= 0 or message.role == Message.Role.SUMMARY:
            told.append(message)
    return told[::-1]


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
        still_there.update(evicted_by=summary)
    return summary


def sources(covered: Sequence[Message], below: Below | None = None) -> list[Message]:
    """What a summary of `covered` is written from, oldest first.

    That is `covered` itself, but every fourth time the summary in it gives way to what the last
    three rounds covered. `below` says what a summary covers, where that isn't in the database.
    """
    below = below or covered_by
    if (folds(covered, below) + 1) % REBUILT_EVERY:
        return list(covered)
    found = list(covered)
    for _ in range(REBUILT_EVERY - 1):
        found = [each for message in found for each in unfolded(message, below)]
    return found


def folds(covered: Sequence[Message], below: Below) -> int:
    """How many rounds, one in the other, the summary among these stands for; 0 if there is none."""
    count = 0
    while summary := next((each for each in covered if each.role == Message.Role.SUMMARY), None):
        count += 1
        covered = below(summary)
    return count


def unfolded(message: Message, below: Below) -> list[Message]:
    return below(message) if message.role == Message.Role.SUMMARY else [message]


def covered_by(summary: Message) -> list[Message]:
    """The messages in whose place this summary stands, an earlier summary among them."""
    return list(summary.evicted.order_by("created_at", "id"))


def rewrite(summary: Message, covered: Sequence[Message], body: str) -> bool:
    """Give the summary of `covered` another body; False if it covers something else by now."""
    with transaction.atomic():
        summary.chat.lock()
        if covered_by(summary) != list(covered) or not covered:
            return False
        return bool(summary.chat.messages.filter(pk=summary.pk).update(body=body, failure=""))
