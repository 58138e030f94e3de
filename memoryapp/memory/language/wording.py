"""Texts as the words that carry them: which those are, and whether two texts say the same."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memoryapp.memory.operations import SENTENCE_ENDS, normalised, quote_start

STEM_CHARS = 4  # "moved" and "moves" are one word, and in most languages so are most forms
UNSPACED_FROM = 0x2E80  # from here on, scripts put no spaces between words
VOICING = 9  # combining classes up to here, nuktas and viramas too, make another letter
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
ARABIC_ARTICLE = "ال"
NEGATED = re.compile(r"n['’]t\b")  # don't
# What people leave the apostrophe out of, if it makes no other word: no "its", "ill" and "were",
# and "im" only before what doesn't follow it in German.
NO_APOSTROPHE = re.compile(
    r"\b(?:((?:ca|wo|do|does|did|is|are|was|were|have|has|had|could|would|should)n)(t)"
    r"|(i)(ve)|(i)(m)(?= (?:an?|the|not|so|in|on|at|from|with|my|your|really|just|still|also|now"
    r"|very|too|gonna|\d+)\b(?!\.))|(you|they)(re|ve|ll)|(he|she|that|what)(s))\b",
    re.IGNORECASE,
)
# How umlauts are typed where there are none; not at the end, as in "shoes".
DIGRAPH = re.compile(r"(?<![aeq])([aou])e(?!s?$)")
SENTENCES = re.compile(rf"[{SENTENCE_ENDS}]")
MOST_WORDS = 12  # of a value that is noticed again among others' words


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that carry nothing by themselves, in English and German. Those that deny something do.
FUNCTION_WORDS = listed(
    "a an the i me my mine we us our you your he she it its they them their this that these"
    " those am is are was were be been being do does did have has had having will would can could"
    " should shall may might must and or but so if then than too very just also really still now"
    " of in on at to from for with by about as into out up down over s m re ve ll d what which"
    " who when where why how there here please"
    " ich du er sie es wir ihr mich mir dich dir uns euch ihn ihm mein meine meinen meinem meiner"
    " dein deine der die das den dem des ein eine einen einem einer eines und oder aber bin bist"
    " ist sind war waren sein habe hast hat haben hatte wird werden kann auch sehr noch schon"
    " nur so zu im in am an auf aus bei mit nach von vom zum zur für über um als wie dass wenn"
    " doch bitte jetzt"
)
# Words that only say how a fact is told: "the user's city is Graz", "prefers tea".
FRAME_WORDS = listed(
    "user users person said says say told tells tell mentioned states stated noted note known know"
    " discussed named called name like likes liked love loves loved enjoy enjoys prefer prefers"
    " preferred preference want wants wanted wish wishes need needs live lives living lived work"
    " works working worked use uses using used own owns get gets go goes profile fact currently"
    " current always usually often"
    " nutzer benutzer sagt sagte heißt heiße heißen mag mögen gern gerne liebt liebe bevorzugt"
    " bevorzuge will möchte wohnt wohne lebt lebe arbeitet arbeite nutzt nutze benutzt benutze"
    " verwendet verwende immer oft"
)
PLEASANTRIES = listed(
    "hello hi hey thanks thank good morning evening night afternoon day bye goodbye ok okay yes"
    " yeah sure right exactly great fine nice cool sounds welcome sorry"
    " hallo guten gute tag morgen abend nacht danke tschüss ja genau gut schön"
    " 你好 谢谢 再见 好的 晚安 早安 مرحبا شكرا أهلا نعم"
)
LIGHT_WORDS = FUNCTION_WORDS | FRAME_WORDS | PLEASANTRIES
# Values that stand for a statement whose words are in the key: has_car: yes.
VERDICTS = listed("yes no none true false never ja nein keine nie 是 否 没有 无 نعم لا")
NEGATIONS = listed("not no never nicht kein keine nie 不 没 لا ليس")

# Words in a key that don't make it another one, and keys that have the same one value.
NEUTRAL_IN_KEYS = listed(
    "user users my the current preferred full own is again preference note noted info"
)
PARTS_OF_NAMES = listed("first last given family nick display")
ALIASES = (
    ("city", "residence", "home_city", "location", "place_of_residence", "town"),
    ("employer", "workplace", "company", "works_at", "place_of_work"),
    ("job", "occupation", "profession", "job_title"),
    ("partner", "spouse", "wife", "husband"),
    ("birthday", "date_of_birth", "birthdate", "birth_date"),
    ("email", "email_address"),
    ("phone", "phone_number"),
)  # fmt: skip
# Of these there is one at a time, whatever numbers an extractor gives them.
SINGLE = frozenset({"name", *(names[0] for names in ALIASES)})
NAMED = ("city", "employer", "partner")
PREFIXES = ("", "user_", "my_", "current_", "preferred_", "full_")


@lru_cache(maxsize=64)
def words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", NEGATED.sub(" not", spelled(flat(text))).replace("_", " ")))


def spelled(text: str) -> str:
    """`text` with the apostrophes that people leave out: "im", "dont"."""
    return NO_APOSTROPHE.sub(lambda each: "'".join(filter(None, each.groups())), text)


def flat(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def unmarked(text: str) -> str:
    """`text` without the marks that one leaves out on another keyboard: "Zurich" for "Zürich".

    What tells letters apart stays, such as the voicing of kana.
    """
    if text.isascii():
        return text
    kept = NOT_ASCII.sub(without_mark, unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", kept).replace("ı", "i")


def without_mark(found: re.Match[str]) -> str:
    char = found[0]
    return "" if unicodedata.combining(char) > VOICING else char


@lru_cache(maxsize=4096)
def plain(word: str) -> str:
    """`word` however its umlauts are typed: "Zürich", "Zuerich", "Zurich"."""
    return DIGRAPH.sub(r"\1", unmarked(word))


def pieces(word: str) -> Iterator[str]:
    """A word as it is compared: its beginning, or pairs of characters where none are spaced."""
    word = plain(word)
    if ord(word[0]) >= UNSPACED_FROM:
        yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
    else:
        is_short_form = len(word) == STEM_CHARS and word.endswith("s")  # eats, cats
        yield word[:-1] if is_short_form else word.removeprefix(ARABIC_ARTICLE)[:STEM_CHARS]


def stems(text: str, light: frozenset[str] = frozenset()) -> set[str]:
    return {piece for word in words(text) if word not in light for piece in pieces(word)}


def content(text: str) -> set[str]:
    """The stems that carry a text; if it has none but light words, those."""
    return stems(text, LIGHT_WORDS) or stems(text, FUNCTION_WORDS) or stems(text)


def said(text: str, body: str) -> set[str]:
    """The content of `text` that `body` has too, also as a part of longer words ("Kinderarzt")."""
    heard, whole = stems(body), joined(body)
    return {stem for stem in content(text) if stem in heard or (is_whole(stem) and stem in whole)}


@lru_cache(maxsize=64)
def joined(text: str) -> str:
    return " ".join(map(plain, words(text)))


def is_whole(stem: str) -> bool:
    """Whether a stem stands for itself inside of longer words: a full one, or one of a script that
    doesn't space them."""
    return len(stem) == STEM_CHARS or ord(stem[0]) >= UNSPACED_FROM


def is_named(name: str, text: str) -> bool:
    """Whether `text` has a name in full, maybe inflected: "Vienna's" is "Vienna", but "Salzburg" no
    "Salzgitter"."""
    heard = [plain(word) for word in words(text)]
    return all(
        (ord(own[0]) >= UNSPACED_FROM and own in joined(text))
        or any(is_form(own, w) for w in heard)
        for own in map(plain, words(name))
    )


def is_form(one: str, other: str) -> bool:
    """Whether two words have all but the last letter of the shorter one in common."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter[: max(len(shorter) - 1, STEM_CHARS)])


def has_name(key: str) -> bool:
    """Whether what a key has as its value is a name."""
    return "name" in words(key) or canonical(key) in NAMED


def is_telling(value: str) -> bool:
    """Whether a value says something by itself, as "Graz" does, and "yes" and "42" don't."""
    value = normalised(value).strip(" .!")
    if value in VERDICTS:
        return False
    if any(ord(char) >= UNSPACED_FROM for char in value):
        return len(value) >= 2
    return len(value) >= (3 if any(map(str.isalpha, value)) else 4)


def repeats(text: str, value: str) -> bool:
    """Whether `text` has the value: letter for letter, or all that carries it in one sentence.
    Marks on letters make no difference."""
    text, value = unmarked(text), unmarked(value)
    if quote_start(text, value) is not None:
        return True
    carried = content(value)
    if not carried or said(value, text) != carried:
        return False
    return any(said(value, sentence) == carried for sentence in SENTENCES.split(text))


def contents(text: str) -> set[frozenset[str]]:
    """The content of each stretch of `text`, of up to MOST_WORDS that carry something."""
    carrying = [piece for word in words(text) if word not in LIGHT_WORDS for piece in pieces(word)]
    return {
        frozenset(carrying[first:last])
        for first in range(len(carrying))
        for last in range(first + 1, min(first + MOST_WORDS, len(carrying)) + 1)
    }


def adds_nothing(value: str, known: Iterable[str], body: str, key: str = "") -> bool:
    """Whether `value` says no more of what `body` says than the `known` values: one of them in
    other words, or several of them in one. Words of its key are none of its own, so a value that
    has no others says what its key says."""
    new = content(value) - stems(key) or content(value)
    new_and_said = (said(value, body) - stems(key)) or new
    olds = [content(old) - stems(key) or content(old) for old in known]
    if any(new_and_said <= old and 3 * len(new & old) > 2 * len(old) for old in olds):
        return True
    parts = [old for old in olds if old & new]
    return len(parts) > 1 and new_and_said <= set().union(*parts)


def is_same_content(value: str, other: str, key: str = "") -> bool:
    """Whether two values have the same content, words of their key aside."""
    first, second = (content(each) - stems(key) or content(each) for each in (value, other))
    return first == second


def canonical(key: str) -> str:
    """The key without what doesn't make it another one: `user_city_2` is `city`, and so is
    `residence`."""
    kept = [word for word in words(key) if word not in NEUTRAL_IN_KEYS and not is_count(word)]
    bare = "_".join(kept) or key
    return next((names[0] for names in ALIASES if bare in names), bare)


def is_count(word: str) -> bool:
    """A number that only tells keys apart, and no year."""
    return word.isdecimal() and len(word) < 3


def spellings(key: str) -> set[str]:
    """Keys that stand for the same as `key`. A number makes another one of what there may be
    several of: `pet_2`, but not `city_2`."""
    bare = canonical(key)
    if bare not in SINGLE and any(is_count(word) for word in words(key)):
        return {key}
    names = next((names for names in ALIASES if names[0] == bare), (bare,))
    return {key} | {f"{prefix}{name}" for name in names for prefix in PREFIXES}


def is_same_key(one: str, other: str) -> bool:
    """Whether the same value under both is the same fact: `name` and `first_name` as well."""
    first, second = canonical(one), canonical(other)
    bare = [{*words(key)} - PARTS_OF_NAMES for key in (first, second)]
    return first == second or bare[0] == bare[1] == {"name"}


def is_same_saying(one: str, other: str) -> bool:
    """Whether two quotes have most of their words in common."""
    first, second = stems(one, FUNCTION_WORDS), stems(other, FUNCTION_WORDS)
    return 5 * len(first & second) >= 3 * len(first | second)
