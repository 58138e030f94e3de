"""Whether a question asks for what the person still has to do, and for when."""

import re
from collections.abc import Sequence
from datetime import datetime
from math import inf

from memoryapp.memory.recall.moments import spans_in, untimed
from memoryapp.memory.recall.ranking import Span

ANY_TIME: Span = (-inf, inf)
SENTENCE_END = re.compile(r"[!?\n]|\.(?!\d)")
WORD = re.compile(r"[^\W_]+")
# Such a question says the same without them. Times leave prepositions behind: "for next week".
FILLERS = frozenset(
    re.findall(
        r"\w+",
        """hi hey hello ok okay so and please still else also again now already then exactly all
        everything open for on in by until the of left get
        hallo und na bitte noch alles denn eigentlich jetzt sonst auch schon mal da
        offene offenen für auf in im am bis zum der die den""",
    )
)
TASKS = "(?:tasks?|to ?dos?|(?:to ?do |task )?list)"
AUFGABEN = "(?:aufgaben|to ?dos|(?:to ?do |aufgaben)?liste)"
# Whole sentences: one that goes on names a place or a purpose, "What do I have to do to move?"
ASKS = re.compile(
    "|".join(
        (
            "what (?:do i (?:have|need|want) to|must i|have i to) (?:do|done|finish)",
            "what (?:do i have|have i|is) (?:planned|due|coming up)",
            f"(?:what (?:is|are) |(?:can you )?(?:show|tell|give|list) (?:me )?)?my {TASKS}",
            f"(?:what|which|how many) {TASKS} (?:do i have|are there|is due|are due)",
            f"(?:do i have|are there|is there) (?:any )?(?:{TASKS}|anything to do)",
            "was (?:muss|habe?) ich (?:zu )?(?:tun|erledigen|machen)",
            "was (?:steht|liegt) (?:bei mir )?an",
            "was (?:ist|wird) (?:zu tun|zu erledigen|fällig)",
            f"(?:was (?:steht|ist|sind) |(?:zeige?|nenne?|sage?) (?:mir )?)?meiner? {AUFGABEN}",
            f"(?:welche|wie viele) {AUFGABEN} (?:habe? ich|stehen an|sind fällig|gibt es)",
            f"habe? ich (?:{AUFGABEN}|(?:et)?was zu (?:tun|erledigen))",
        )
    )
)


def asked_for(question: str, now: datetime) -> Sequence[Span]:
    """When those tasks are due that the question asks for, or nothing if it asks for none.

    If it names no time that is any time, and tasks without a date are asked for as well. Only a
    sentence that is nothing but this question counts.
    """
    for sentence in SENTENCE_END.split(question):
        if asks(sentence):
            return spans_in(sentence, now, ahead=True) or [ANY_TIME]
    return ()


def asks(sentence: str) -> bool:
    return ASKS.fullmatch(plain(sentence)) is not None


def plain(sentence: str) -> str:
    """The sentence's words, without times and what can be left out."""
    rest = untimed(re.sub(r"\bwhat['’]?s\b", "what is", sentence.casefold()))
    return " ".join(word for word in WORD.findall(rest) if word not in FILLERS)
