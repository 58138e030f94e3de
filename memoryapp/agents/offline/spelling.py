"""How people type in a hurry, spelled as the patterns expect it."""

import re

from memoryapp.agents.offline.vocabulary import RELATION

# English words after which a bare "im" is no German "in dem".
AFTER_IM = (
    r"(?:an?|from|not|\d+|allergic|vegan|vegetarian|married|single|called|learning|living|planning|"
    r"writing|building|working|training|studying|into|really|also|based|left-handed)\b"
)
WITHOUT_E = (
    r"hab|wohn|leb|arbeit|hei(?:ß|ss)|spiel|ess|trink|lern|studier|fahr|komm|hass|lieb|hör|les|"
    r"schau|koch|back|sing|sprech|plan|schreib|nehm|nutz|benutz|mach|geh|bau"
)
SPELLED = [
    (re.compile(rf"\b{typed}", re.IGNORECASE), meant)
    for typed, meant in (
        (r"(i|we)ve\b(?= \w)", r"\1've"),
        (r"(do|does|ca|is|are)nt\b", r"\1n't"),
        (r"luv\b", "love"),
        (r"bday\b", "birthday"),
        (r"fav(?= \w)", "favourite"),
        (r"al+erg(ic|isch)\b", r"allerg\1"),
        (rf"im (?={AFTER_IM})", "I'm "),
        (rf"(my (?:{RELATION}|dog|cat))s (?=name\b)", r"\1's "),
        (rf"ich ({WITHOUT_E})\b(?!['’])", r"ich \1e"),
        (r"(ich \w+e )['’]?n(en|e)?\b", r"\1ein\2"),
        (r"grad\b", "gerade"),
    )
]


def spelled_out(text: str) -> str:
    """`text` with "im from Graz" as "I'm from Graz", and "ich hab nen Hund" with its endings."""
    for typed, meant in SPELLED:
        text = typed.sub(meant, text)
    return text
