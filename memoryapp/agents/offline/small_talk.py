"""What is said to be polite or to pass the time, and what is answered to it."""

import re

from memoryapp.agents.offline.wording import Wording

# The field of the wording that answers what matches as a whole.
REPLIES = {
    "thanks": r"(?:(?:ok(?:ay)?|great|super|perfect|prima)\W+)?"
    r"(?:many |vielen |besten |herzlichen )?"
    r"(?:thanks?|thx|danke?)(?: (?:you|a lot|so much|very much|again|schön|sehr|dir|vielmals))*"
    r"(?: (?:for|für) [^,.;:!?]{1,40})?"
    r"(?:\W+(?:bye|goodbye|good night|tschüss|gute nacht))?",
    "farewell": r"(?:good ?night|(?:good)?bye(?: bye)?|see you(?: \w+)?|gute nacht|tschü(?:ss|ß)|"
    r"auf wiedersehen|bis (?:bald|morgen|später|dann))",
    "greeting": r"(?:(?:hi|hello|hey|hallo|servus|good (?:morning|evening|day|afternoon)|"
    r"guten (?:morgen|tag|abend))(?: (?!(?:i|ich)\b)\w+)?)?\W*"
    r"(?:how are you(?: \w+)?|how's it going|how do you do|wie geht(?:'s|s| es)(?: \w+)?)?",
    "forgetting": r"(?:please |bitte )?(?:forget|delete|erase|vergiss|lösche?)(?: bitte)? "
    r"(?:everything|all|alles)(?:,? (?:(?:that )?you (?:know|remember)|about me|"
    r"i (?:said|told you)|von mir|über mich|was du(?: (?:von mir|über mich))? weißt|"
    r"please|bitte))*",
    "introduction": r"(?:who|what) are you|wer bist du|was bist du",
    "creates": r"(?:please |bitte )?(?:(?:can|could) you )?"
    r"(?:(?:tell|sing|write|erzähle?|sage?|singe?|schreibe?) (?:me |us |mir |uns )?"
    r"(?:a|an|another|some|eine?n?|noch eine?n?) (?:\w+ )?"
    r"(?:jokes?|riddle|story|poem|song|witz|rätsel|geschichte|gedicht|lied)\b.*"
    r"|(?:(?:what(?:'s| is)|how much is|was ist|was macht|wie ?viel ist|calculate|berechne) )?"
    r"\(?\d[\d\s().,]*(?:[-+*/x×÷^%][\d\s().,]+)+=?)",
}
PATTERNS = {
    field: re.compile(rf"\W*(?:{pattern})\W*", re.IGNORECASE) for field, pattern in REPLIES.items()
}


def small_talk(body: str, say: Wording) -> str:
    """The whole answer to a message that is nothing but small talk; empty for any other."""
    plain = body.replace("’", "'")
    matching = (field for field, pattern in PATTERNS.items() if pattern.fullmatch(plain))
    field = next(matching, None)
    return str(getattr(say, field)) if field else ""
