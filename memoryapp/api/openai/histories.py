"""The chat in which a program's request goes on, when it names none but brings what was said.

Programs send the whole history each time. Its end is looked for among the replies that were given
here: so what is one chat in the program is one chat here, with its versions and summaries. What
the program has from elsewhere comes along as context of that chat, and teaches nothing.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Func, Q, TextField, Value
from django.utils import timezone

from memoryapp import branches, turns
from memoryapp.agents.talker import Said
from memoryapp.models import Chat, Message, User
from memoryapp.models.messages import MessageQuerySet

Role, Status = Message.Role, Message.Status
Path = list[Message]

# A first question that comes again so soon is to be answered again; later it begins a new chat.
AGAIN = timedelta(minutes=10)
# Most chats go on within days, and looking through those takes no time.
RECENT = timedelta(days=7)
MOST_CANDIDATES = 20  # the offline responder and short replies say the same again and again
BLANKS = " \t\r\n"  # programs trim what they keep


def open_turn(user: User, said: Sequence[Said], question: str) -> turns.Turn:
    """Begin a turn after what was `said`, oldest first: in the chat where it was, or a new one.

    The same request again is another version of the reply. Raises ValidationError for a question
    that can't be stored. A chat that is still answering is left alone: this is a new one then.
    """
    path = [*said, Said("user", turns.checked_body(question))]
    with transaction.atomic():
        at, rest = _known(user, path)
        if at is None or _is_answering(at.chat):
            chat, rest = Chat.objects.create(user=user), path
        elif not rest:
            return branches.reopen(message=at.children.filter(role=Role.ASSISTANT)[0])
        else:
            chat = at.chat
            if chat.archive.spoken().on_branch().last() != at:
                chat.fork_at(at)
        _come_along(chat, rest[:-1])
        return turns.open_turn(chat=chat, body=path[-1].body)


def _come_along(chat: Chat, said: Sequence[Said]) -> None:
    """Add what was said elsewhere: it is read already, and known in this chat only."""
    as_known = {"is_extracted": True, "is_on_record": False}
    chat.add_messages(*(Message(role=each.role, body=each.body, **as_known) for each in said))


def _is_answering(chat: Chat) -> bool:
    chat.lock()
    is_answering: bool = chat.messages.streaming().exists()
    return is_answering


def _known(user: User, path: Sequence[Said]) -> tuple[Message | None, Sequence[Said]]:
    """How far along `path` a chat of theirs goes, and the rest of it."""
    at, length = _last_reply(user, path[:-1])
    if at is None:
        again = _asked_just_now(user, path[0].body) if len(path) == 1 else None
        return again, path[1:] if again else path
    for number in range(length, len(path)):
        following = at.children.filter(role=path[number].role, body=path[number].body)
        if number == len(path) - 1:
            following = following.filter(children__role=Role.ASSISTANT)
        child = following.select_related("chat__user").order_by("created_at").last()
        if child is None:
            return at, path[number:]
        at = child
    return at, []


def _asked_just_now(user: User, question: str) -> Message | None:
    """A chat's first and only question, if it was this one."""
    asked: Message | None = (
        Message.objects.for_user(user)
        .filter(role=Role.USER, parent=None, body=question, children__role=Role.ASSISTANT)
        .filter(created_at__gt=timezone.now() - AGAIN)
        .exclude(children__children__isnull=False)
        .select_related("chat__user")
        .order_by("created_at")
        .last()
    )
    return asked


def _last_reply(user: User, said: Sequence[Said]) -> tuple[Message | None, int]:
    """The last reply among `said` that was given here after the same words, and its number."""
    texts = [each.body for each in said if each.role == "assistant"]
    if texts:
        replies = _replies(user, texts)
        for among in (replies.filter(created_at__gt=timezone.now() - RECENT), replies):
            paths = _paths_to(among[:MOST_CANDIDATES])
            for length in range(len(said), 0, -1):
                if reply := _best(paths, said[:length]):
                    return reply, length
    return None, 0


def _replies(user: User, texts: Sequence[str]) -> MessageQuerySet:
    """Replies that were given here, newest first, with one of these texts. The last text may be
    the beginning of one that was stopped."""
    trimmed = Func(F("body"), Value(BLANKS), function="btrim", output_field=TextField())
    cut_off = Q(body__startswith=texts[-1]) & ~Q(status=Status.COMPLETE)
    replies: MessageQuerySet = (
        Message.objects.for_user(user)
        .filter(role=Role.ASSISTANT)
        .annotate(words=trimmed)
        .filter(Q(words__in=texts) | cut_off)
        .exclude(receipt={})
        .select_related("chat__user")
        .defer("receipt")
        .order_by("-created_at")
    )
    return replies


def _best(paths: Sequence[Path], said: Sequence[Said]) -> Message | None:
    """The reply that ends `said`. A program may have dropped the oldest messages, but a chat that
    has no others is preferred."""
    fitting = [path for path in paths if _ends_with(path, said)]
    return max(fitting, key=lambda path: len(path) == len(said))[-1] if fitting else None


def _paths_to(replies: Iterable[Message]) -> list[Path]:
    """All that was said from the beginning of its chat to each reply."""
    ends = {reply.pk: reply for reply in replies}
    fields = ("chat", "parent", "role", "body", "status")
    chats = {reply.chat_id for reply in ends.values()}
    spoken = Message.objects.spoken().filter(chat_id__in=chats).only(*fields).in_bulk() | ends

    def path_to(at: UUID | None) -> Path:
        path = list[Message]()
        while at in spoken:
            path.append(spoken[at])
            at = spoken[at].parent_id
        return path[::-1]

    return [path_to(pk) for pk in ends]


def _ends_with(path: Path, said: Sequence[Said]) -> bool:
    """Whether `said` is all of `path`, or the end of it with at least a question and its reply."""
    is_long_enough = len(said) == len(path) or 2 <= len(said) < len(path)
    pairs = zip(reversed(path), reversed(said), strict=False)
    return is_long_enough and all(_is_same(message, each) for message, each in pairs)


def _is_same(message: Message, said: Said) -> bool:
    """Whether a program that says this means `message`. One that has stopped a reply may not have
    got the last words of it."""
    if message.role != said.role:
        return False
    body = message.body.strip()
    return body == said.body or (message.status != Status.COMPLETE and body.startswith(said.body))
