"""Whom a question names of those who speak in a person's chats.

What somebody said seldom has their own name in it. Left in a question, the name would draw it to
what others said to them; so it is taken out, and what they said themselves is preferred.
"""

import re
from collections import Counter
from typing import NamedTuple

from django.db.models.functions import Left

from memoryapp.memory.recall.ranking import Speaker
from memoryapp.models import Message, User

# Names are learned from how the sides address each other in the newest of their messages. Between
# people who use names, every tenth message or more does; a name in a draft of a letter, or of a
# friend who is spoken of, stands in far fewer.
NEWEST, BEGINNING = 200, 300  # messages, and characters of each
FEWEST, SHARE = 3, 0.02
# The first word of a question is capitalised whatever it is.
CAPITALISED = re.compile(r"(?<=\W)(?<!['’])[^\W\d_a-z][^\W\d_]+\b|^\w+(?=['’]s \w)")
# At the beginning, or after a comma or a sentence, or after one word of greeting: "Thanks, Ada!"
ADDRESSED = r"(?:^|[,.!?]\s+|^\w+,?\s+)({names})\s*(?:[,!?.]|$)"


class Named(NamedTuple):
    question: str  # without those names
    speaker: Speaker


def named_in(question: str, user: User) -> Named:
    """Who is named in the question, the person or the other side, and the question without."""
    own = {name for name in (user.first_name, user.last_name) if name and holds(question, name)}
    unknown = {word for word in CAPITALISED.findall(question) if word[0].isupper()} - own
    addressed = addressees(user, unknown) if unknown else {}
    own |= {name for name, speaker in addressed.items() if speaker == Speaker.OWN}
    other = {name for name, speaker in addressed.items() if speaker == Speaker.OTHER}
    if not own and not other:
        return Named(question, Speaker.NOBODY)
    speaker = Speaker.BOTH if own and other else Speaker.OWN if own else Speaker.OTHER
    return Named(without(question, own | other), speaker)


def holds(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def without(question: str, names: set[str]) -> str:
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    rest = re.sub(rf"\b(?:{pattern})\b(?:['’]s\b)?", "", question)
    rest = re.sub(r"\s+", " ", rest).strip()
    return rest if re.search(r"\w", rest) else question


def addressees(user: User, names: set[str]) -> dict[str, Speaker]:
    """Which of the names belong to a side, because the other one addresses it so."""
    newest = (
        Message.objects.for_user(user)
        .spoken()
        .filter(is_recallable=True, chat__memory_on=True)
        .order_by("-created_at")
        .values_list("role", Left("body", BEGINNING))[:NEWEST]
    )
    pattern = re.compile(ADDRESSED.format(names="|".join(map(re.escape, sorted(names)))))
    said: Counter[str] = Counter()
    addressed: Counter[tuple[str, str]] = Counter()
    for role, body in newest:
        said[role] += 1
        addressed.update((name, role) for name in set(pattern.findall(body)))
    sides = {Message.Role.ASSISTANT: Speaker.OWN, Message.Role.USER: Speaker.OTHER}
    return {
        name: sides[Message.Role(role)]
        for (name, role), count in addressed.most_common()[::-1]
        if count >= max(FEWEST, SHARE * said[role])
    }
