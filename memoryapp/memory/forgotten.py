"""What was forgotten or turned down, known again by a hash that doesn't tell what it was."""

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable

from django.conf import settings

from memoryapp.memory.language.wording import content, contents, is_telling, said, unmarked
from memoryapp.memory.operations import Operation, normalised
from memoryapp.models import Fact, Forgotten, Prompt, User

GONE = "[forgotten]"


def digest(user: User, key: str, value: str) -> str:
    """A keyed hash of a value's content: tells whether it is the same, never what it was.

    What says little by itself ("yes", "42") is hashed with its key, and not searched for in what
    was said.
    """
    if is_telling(value):
        return hashed(user, content(value))
    return hashed(user, {f"{key}={normalised(value).strip(' .!')}"})


def hashed(user: User, words: Collection[str]) -> str:
    text = f"{user.pk}:{' '.join(sorted(map(unmarked, words)))}"
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()


def met_before(user: User, operation: Operation) -> Forgotten | None:
    """What was forgotten of all that a proposal says, or turned down of its value."""
    met = Forgotten.objects.filter(user=user)
    if not met.exists():
        return None
    key, value = operation.key, operation.value
    said = digests(user, key, value) | digests(user, key, operation.quote)
    said |= digests(user, key, key.replace("_", " "))
    forgotten = met.filter(digest__in=said, was_turned_down=False)
    return met.filter(digest__in=digests(user, key, value)).first() or forgotten.first()


def teller(user: User) -> Callable[[str], bool]:
    """Tells whether a text says something that this person wanted forgotten."""
    held = Forgotten.objects.filter(user=user, was_turned_down=False)
    gone = set(held.values_list("digest", flat=True))
    return lambda text: bool(gone) and any(hashed(user, each) in gone for each in contents(text))


def digests(user: User, key: str, text: str) -> set[str]:
    """The hashes of all that stands in `text`."""
    return {hashed(user, stretch) for stretch in contents(text)} | {digest(user, key, text)}


def note(row: Fact | Prompt, *, was_turned_down: bool = False) -> None:
    """Hold later extractions to it that this value was forgotten or turned down."""
    if row.user is not None:
        note_all(row.user, [row], was_turned_down=was_turned_down)


def note_all(user: User, rows: Iterable[Fact | Prompt], *, was_turned_down: bool = False) -> None:
    """As `note`, of many at once."""
    noted = {}
    for row in rows:
        key = GONE if said(row.value, row.key.replace("_", " ")) else row.key
        hashed = digest(user, row.key, row.value)
        noted[hashed] = Forgotten(
            user=user, digest=hashed, key=key, was_turned_down=was_turned_down
        )
    Forgotten.objects.bulk_create(
        noted.values(),
        update_conflicts=True,
        unique_fields=["user", "digest"],
        update_fields=["key", "was_turned_down"],
    )


def welcome_back(row: Fact | Prompt) -> None:
    """The owner wants this value after all."""
    if row.user is not None:
        of_value = digests(row.user, row.key, row.value)
        Forgotten.objects.filter(user=row.user, digest__in=of_value).delete()
