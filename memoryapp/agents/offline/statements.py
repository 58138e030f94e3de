"""What plain English and German sentences say about the person who writes them."""

import re
from dataclasses import dataclass, replace

from memoryapp.agents.offline.dates import WEEKDAYS
from memoryapp.agents.offline.habits import HABITS, INTRODUCTIONS
from memoryapp.agents.offline.meanings import FACT, Statement
from memoryapp.agents.offline.patterns import PATTERNS
from memoryapp.agents.offline.vocabulary import (
    NAME_KEYS,
    NO_FIRST_NAMES_GERMAN,
    NO_NAMES,
    SOMEBODY,
    words,
)

TAIL = re.compile(
    r"(?:,? (?:too|as well|now|currently|at the moment|right now|these days|by the way|btw|though|"
    r"please|übrigens|jetzt|derzeit|momentan|auch|bitte|halt)| (?:because|weil|denn)\b.*|"
    r",? (?:and |und )?(?:not|nicht)(?: in| at| bei)? (?-i:[A-ZÄÖÜ])\w+)+$",
    re.IGNORECASE,
)
# "Ich wohne nicht in Graz, sondern in Wien": what follows is what holds.
RATHER = re.compile(r"(?P<begun>.+) nicht \S.*, sondern (?P<rest>.+)", re.IGNORECASE)
# "Seit 2020 arbeite ich bei Siemens" is "Ich arbeite bei Siemens".
INVERTED = re.compile(
    r"(?:jetzt|nun|inzwischen|mittlerweile|derzeit|momentan|seit \S+(?: \w+)?) "
    r"(?P<verb>(?!habe\b)\w+) (?P<subject>ich|wir) (?P<rest>.+)",
    re.IGNORECASE,
)
# Wishes, doubts and conditions: nothing that is so.
DOUBT = re.compile(
    r"\b(?:would|could|might|maybe|perhaps|probably|if|unless|wish|used to|almost|supposedly|"
    r"vielleicht|wenn|falls|wäre|würde|hätte|könnte|angeblich|wohl|beinahe)\b",
    re.IGNORECASE,
)
# A day that soon means another one.
PASSING = re.compile(
    rf"(?<!every )(?<!jeden )\b(?:{'|'.join(WEEKDAYS)}|today|tomorrow|tonight|yesterday|"
    r"(?:next|this) (?:week|month|year)|heute|morgen|gestern|(?:nächste|diese)\w* \w+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Manner:
    """How the whole message is written."""

    is_casual: bool  # without capital letters: then names have none either
    is_greeting: bool  # begins with one: then "ich bin Anna" tells a name


def own(text: str, manner: Manner) -> list[Statement]:
    """What one clause says about its writer or somebody close to them; nothing when unsure."""
    if DOUBT.search(text):
        return []
    text = _plain(TAIL.sub("", text))
    subject, text = _in_first_person(text)
    patterns = (*PATTERNS, *HABITS, *(INTRODUCTIONS if manner.is_greeting else ()))
    for kind, pattern, meaning in patterns:
        if match := pattern.fullmatch(text):
            found = [each for each in meaning(match, kind) if _is_sound(each, manner.is_casual)]
            return [_about(subject, each) for each in found]
    return []


def _plain(text: str) -> str:
    """A German clause in the order of words, and without the denial, that the patterns expect."""
    if match := RATHER.fullmatch(text):
        text = f"{match['begun']} {match['rest']}"
    if match := INVERTED.fullmatch(text):
        text = f"{match['subject']} {match['verb']} {match['rest']}"
    return text


def _is_sound(statement: Statement, is_casual: bool) -> bool:
    if statement.key not in NAME_KEYS:
        return bool(statement.key) and not PASSING.search(statement.value)
    has_capital = is_casual or statement.value[0].isupper()
    return has_capital and statement.value.split()[0].lower() not in NO_NAMES


def _about(subject: str, statement: Statement) -> Statement:
    if not subject:
        return statement
    return replace(statement, kind=FACT, subject=subject[0].lower() + subject[1:])


# "My sister lives in Graz" is read as "I live in Graz" about her.
FIRST_PERSON = {
    **{f"{verb}s": f"I {verb}" for verb in words(
        "live work like love hate prefer use play collect speak sing drive ride own keep grow brew"
    )},
    "teaches": "I teach", "studies": "I study", "comes": "I come",
    "is": "I am", "has": "I have", "enjoys": "I enjoy", "moved": "I moved",
    "doesn't": "I don't", "does not": "I don't",
    "wohnt": "ich wohne", "lebt": "ich lebe", "arbeitet": "ich arbeite", "mag": "ich mag",
    "liebt": "ich liebe", "hasst": "ich hasse", "bevorzugt": "ich bevorzuge", "ist": "ich bin",
    "spielt": "ich spiele", "sammelt": "ich sammle", "spricht": "ich spreche",
    "lernt": "ich lerne", "fährt": "ich fahre", "studiert": "ich studiere",
    "unterrichtet": "ich unterrichte", "kommt": "ich komme", "trinkt": "ich trinke",
    "hat": "ich habe", "heißt": "ich heiße", "heisst": "ich heiße",
}  # fmt: skip
NAMED = re.compile(rf"(?!{NO_FIRST_NAMES_GERMAN}$)(?-i:[A-ZÀ-Þ])[\w'-]+", re.IGNORECASE)
THIRD_PERSON = re.compile(
    rf"(?P<subject>{SOMEBODY}),? (?P<verb>{'|'.join(FIRST_PERSON)}) (?P<rest>.+)", re.IGNORECASE
)


def _in_first_person(text: str) -> tuple[str, str]:
    """Whom the clause is about ("" for its writer), and the clause as they would say it."""
    if not (match := THIRD_PERSON.fullmatch(text)):
        return "", text
    verb, rest = match["verb"].lower(), match["rest"]
    if verb in ("is", "ist") and NAMED.fullmatch(rest):
        return match["subject"], f"my name is {rest}"
    return match["subject"], f"{FIRST_PERSON[verb]} {rest}"
