"""Which proposals may take effect, which wait for their owner's decision, and which are refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto

from django.utils import timezone
from django.utils.translation import gettext_noop

from memoryapp.memory import forgotten
from memoryapp.memory.language.asserting import says_so, says_so_plainly
from memoryapp.memory.language.moods import is_ironic
from memoryapp.memory.language.pasted import is_pasted
from memoryapp.memory.language.phrases import (
    is_instruction,
    is_off_the_record,
    looks_like_secret,
    sensitive_topic,
)
from memoryapp.memory.language.support import (
    is_echo,
    is_request,
    is_supported,
    unsaid_names,
)
from memoryapp.memory.language.whose import is_about_somebody_else
from memoryapp.memory.operations import Operation, is_question, quote_start, storable
from memoryapp.models import Forgotten, Message, User
from memoryapp.models.memory import KEY_MAX_CHARS, SUBJECT_MAX_CHARS, Origin

SOON = timedelta(days=1)


class Outcome(Enum):
    WRITE = auto()
    WAIT = auto()
    REFUSE = auto()


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    reason: str = ""  # a sentence for the person; empty when it may take effect


WRITE = Verdict(Outcome.WRITE)
UNSTORABLE = gettext_noop("It has characters that can't be stored, or a key that is too long.")
NOT_SAID = gettext_noop("Its quote isn't in what you wrote.")
QUESTION = gettext_noop("It comes from a question.")
REQUEST = gettext_noop("It comes from a request, which says nothing of you.")
ECHO = gettext_noop("It repeats what I said.")
OFF_THE_RECORD = gettext_noop("You asked me not to remember this.")
SECRET = gettext_noop(
    "It looks like a password, a key or a card number. Such things are never stored."
)
UNSUPPORTED = gettext_noop("Its quote doesn't speak of it.")
# Which one it is stays out of it: reasons are kept, and that may be forgotten.
UNSAID = gettext_noop("It has a name or a number that you didn't say there.")
NOT_SO = gettext_noop("You didn't say there that it is so.")
SOMEBODY_ELSE = gettext_noop("Its quote is about somebody else.")
TURNED_DOWN = gettext_noop("You turned this down before.")
FORGOTTEN = gettext_noop("You asked me to forget this.")
PASTED = gettext_noop("It stands in text that doesn't look like your own.")
PASTED_PROMPT = gettext_noop("It would change how I answer, and it comes from pasted text.")
PASTED_INSTRUCTION = gettext_noop("It reads like an instruction, and it comes from pasted text.")
SENSITIVE = gettext_noop("It is about a sensitive matter: {}.")
IMPORTED = gettext_noop("It comes from a file that you imported.")
TOLD_INSTRUCTION = gettext_noop("It reads like an instruction, and it comes from a program.")
EXPIRED = gettext_noop("It has expired.")
IRONIC = gettext_noop("It may not be meant as it reads.")
UNSURE = gettext_noop("Your words may not mean that.")
NOT_YET = gettext_noop("It isn't so yet.")
ASKED_ALWAYS = gettext_noop("You want to be asked about everything.")


def judge(
    user: User, operation: Operation, source: Message | None, heard: Sequence[str] = ()
) -> Verdict:
    """What becomes of a proposal whose quote stands in `source` (None: nowhere).

    `heard` is what the assistant said around it: repeating that is no reason to store it.
    A person who never wants to be asked gets sensitive things written unasked; what could do
    harm unseen is then refused. What an imported message says waits, whatever they have set.
    """
    if reason := _refusal(operation, source, heard):
        return Verdict(Outcome.REFUSE, reason)
    if operation.action == "retract":
        return WRITE
    before = forgotten.met_before(user, operation)
    if before is not None and before.was_turned_down:
        return Verdict(Outcome.REFUSE, TURNED_DOWN)
    harm = FORGOTTEN if before else _harm(operation, source)
    if source is not None and source.is_imported:
        return _of_import(operation, harm)
    if is_to_come(operation, source):
        return Verdict(Outcome.WAIT, NOT_YET)
    return _weighed(user, operation, harm)


def _of_import(operation: Operation, harm: str) -> Verdict:
    """What an imported message says waits, unless it is over by now."""
    ends = (operation.expires_at, operation.due_at)
    if any(end is not None and end <= timezone.now() for end in ends):
        return Verdict(Outcome.REFUSE, EXPIRED)
    return Verdict(Outcome.WAIT, harm or IMPORTED)


def _weighed(user: User, operation: Operation, harm: str) -> Verdict:
    """As its owner has set it, with what harm it could do unseen."""
    if harm:
        never = user.review == User.Review.NEVER
        return Verdict(Outcome.REFUSE if never else Outcome.WAIT, harm)
    if user.review == User.Review.ALWAYS:
        return Verdict(Outcome.WAIT, ASKED_ALWAYS)
    topic = sensitive_topic(
        f"{operation.key.replace('_', ' ')} {operation.value} {operation.quote}"
    )
    if topic and user.review == User.Review.RISKY:
        return Verdict(Outcome.WAIT, SENSITIVE.format(topic))
    return WRITE


def judge_import(user: User, operation: Operation) -> Verdict:
    """What becomes of what a file says of a person: none of it takes effect unseen, for what is in
    a file may be anybody's words."""
    before = forgotten.met_before(user, operation)
    if reason := _unfit(operation, before):
        return Verdict(Outcome.REFUSE, reason)
    return Verdict(Outcome.WAIT, FORGOTTEN if before else IMPORTED)


def judge_told(user: User, operation: Operation) -> Verdict:
    """What becomes of what the model behind a program says of a person. There are no words of
    theirs to hold it against, and that model may have read it anywhere."""
    before = forgotten.met_before(user, operation)
    if reason := _unfit(operation, before):
        return Verdict(Outcome.REFUSE, reason)
    harm = TOLD_INSTRUCTION if is_instruction(operation.value) else ""
    return _weighed(user, operation, FORGOTTEN if before else harm)


def _unfit(operation: Operation, before: Forgotten | None) -> str:
    """Why it can't be kept, whoever says it; `before` is what was forgotten of it."""
    if not is_storable(operation):
        return UNSTORABLE
    if holds_secret(operation):
        return SECRET
    return TURNED_DOWN if before is not None and before.was_turned_down else ""


def is_to_come(operation: Operation, source: Message | None) -> bool:
    """Whether it holds only from some later day on: "I move to Graz in March"."""
    if source is None or operation.valid_from is None or operation.kind == "task":
        return False
    return operation.valid_from > source.created_at + SOON


def _refusal(operation: Operation, source: Message | None, heard: Sequence[str]) -> str:
    if not is_storable(operation):
        return UNSTORABLE
    if source is None:
        return NOT_SAID
    if is_off_the_record(source.body):
        return OFF_THE_RECORD
    if is_question(source.body, operation.quote):
        return QUESTION
    if holds_secret(operation):
        return SECRET
    if operation.action == "retract":
        return PASTED if origin(operation, source) == Origin.PASTED else ""
    if is_echo(operation.value, source.body, heard):
        return ECHO
    return _lack_of_support(operation, source.body)


def _lack_of_support(operation: Operation, body: str) -> str:
    if is_request(operation, body):
        return REQUEST
    if not is_supported(operation):
        return UNSUPPORTED
    if unsaid_names(operation, body):
        return UNSAID
    if is_about_somebody_else(operation, body):
        return SOMEBODY_ELSE
    return "" if says_so(operation, body) else NOT_SO


def is_storable(operation: Operation) -> bool:
    texts = (operation.key, operation.value, operation.quote, operation.subject)
    is_fitting = 0 < len(operation.key) <= KEY_MAX_CHARS
    is_fitting &= len(operation.subject) <= SUBJECT_MAX_CHARS
    return is_fitting and all(storable(text) == text for text in texts)


def holds_secret(operation: Operation) -> bool:
    return is_secret(operation.key, operation.value) or looks_like_secret(operation.quote)


def is_secret(key: str, value: str) -> bool:
    """Whether a value under this key is one that memory never keeps, whoever states it."""
    return looks_like_secret(f"{key.replace('_', ' ')}: {value}")


def _harm(operation: Operation, source: Message | None) -> str:
    """What pasted text could do if it took effect unseen, or why the words may mean another."""
    if origin(operation, source) != Origin.PASTED:
        return _doubt(operation, source.body) if source else ""
    if operation.table == "prompt":
        return PASTED_PROMPT
    return PASTED_INSTRUCTION if is_instruction(operation.value) else PASTED


def _doubt(operation: Operation, body: str) -> str:
    """Why the person's words may not mean what is proposed."""
    if is_ironic(body, operation.quote):
        return IRONIC
    return "" if says_so_plainly(operation, body) else UNSURE


def origin(operation: Operation, source: Message | None) -> Origin:
    start = quote_start(source.body, operation.quote) if source else None
    if source is None or start is None:
        return Origin.TYPED
    pasted = is_pasted(source.body, start, start + len(operation.quote))
    return Origin.PASTED if pasted else Origin.TYPED
