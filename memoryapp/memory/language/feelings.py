"""Whether somebody speaks well or ill of something, and whether what is proposed does so too."""

import re

from memoryapp.memory.language.moods import is_denied
from memoryapp.memory.language.wording import stems

# Each with the denial that belongs to it: "can't stand" denies nothing that could be liked.
ILL = re.compile(
    r"\b(?:hat(?:e[sd]?|ing)|dislik\w+|loath\w+|detest\w*|despis\w+|aversion\w*|(?:pet )?peeves?"
    r"|(?:can(?:no|['’])?t|cannot|could(?: not|n['’]t)) (?:really )?(?:stand|bear|abide)"
    r"|avoid\w*|(?:sick|tired) of|fed up with|(?:rather|sooner) die|fears?|(?:afraid|scared) of"
    r"|phobia\w*|complain\w*|mind if|(?:am|are|['’]m|always) against|stop(?:s|ped)? (?:\w+ing|with)"
    r"|leave out|skip|(?:confus|annoy|bother|irritat|bor|scar)e?s? (?:me|us)|nerv\w* (?:mich|uns)"
    r"|hass(?:e|t|en)?|verabscheu\w*|meid\w*|vermeid\w*|ekel\w*|angst|(?:bin|etwas|was) gegen"
    r"|nicht (?:ausstehen|leiden)|satt|hör\w* auf"
    r"|détest\w*|odi[oa]|detesto|haat|ненавижу|nefret)\b"
    r"|讨厌|受不了|嫌い|苦手|싫|\b[أي]كره",
    re.IGNORECASE,
)
WELL = re.compile(
    r"\b(?:(?<!feel )(?<!feels )(?<!look )(?<!looks )(?<!sound )(?<!sounds )(?<!is )(?<!['’]s )"
    r"(?<!['’]m )(?<!things )like[sd]?"
    r"|loves?|loved|enjoy\w*|ador\w+|prefer\w*|favou?rites?|fan of|fond of|hobb(?:y|ies)|passions?"
    r"|(?<!no )\w+ person|nothing against|no problems?|fine with|(?:\w+n['’]t|not|never) mind"
    r"|mag|mögen|lieben?|gerne?|lieblings\w*|bevorzug\w*|nichts gegen|kein problem"
    r"|aime|préf[èé]r\w*|encanta|prefiero)\b"
    r"|喜欢|最爱|好き|좋아|\b[أي](?:حب|فضل)",
    re.IGNORECASE,
)
CANT_RESIST = re.compile(
    r"\b(?:can(?:no|['’])?t|could(?: not|n['’]t)|never)(?: \w+)?"
    r" (?:say no to|resist|get enough of|(?:live|do) without)\b",
    re.IGNORECASE,
)
# Who doesn't want the one wants the other: "I don't like long answers".
OPPOSITES = (
    ("long", "short"), ("detailed", "brief"), ("formal", "informal"), ("formal", "casual"),
    ("big", "small"), ("hot", "cold"), ("early", "late"), ("left", "right"), ("loud", "quiet"),
    ("expensive", "cheap"), ("dark", "light"), ("fast", "slow"), ("complicated", "simple"),
    ("lang", "kurz"), ("förmlich", "locker"), ("groß", "klein"), ("heiß", "kalt"),
    ("früh", "spät"), ("laut", "leise"), ("hell", "dunkel"), ("teuer", "billig"),
    ("north", "south"), ("east", "west"), ("nord", "süd"), ("ost", "west"),
    ("schnell", "langsam"), ("links", "rechts"), ("kompliziert", "einfach"),
)  # fmt: skip
PAIRS = [(stems(one), stems(other)) for one, other in OPPOSITES]


def leaning(text: str) -> int:
    """1 if it speaks well of something, -1 if ill, 0 if it does neither."""
    ill = ILL.search(text)
    found = ill or WELL.search(text)
    if found is None:
        return 0
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    return 1 if bool(ill) == is_denied(rest) else -1


def is_turned(value: str, text: str) -> bool:
    """Whether the value has the opposite of a word of `text`, and not the word."""
    new, given = stems(value) - stems(text), stems(text) - stems(value)
    return any(
        (one <= new and other <= given) or (other <= new and one <= given) for one, other in PAIRS
    )
