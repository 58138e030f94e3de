"""What stands around a clause and goes for it, too."""

import re

from memoryapp.memory.language.clauses import Clause

# What takes back in the next clause what was said: "I started the piano, gave it up".
TAKEN_BACK = re.compile(
    r"\b(?:gave (?:it|that|them) up|(?:sold|quit|dropped|lost) (?:it|them)|dropped out"
    r"|changed my mind|backed out|(?:es|ihn|sie|das) (?:wieder )?(?:verkauft|aufgegeben))\b",
    re.IGNORECASE,
)
# Days gone by that are spoken of after it: "As a kid I hated olives".
FRAME = re.compile(
    r"\W*(?:as an? (?:\w+ )?(?:kid|child|teen\w*|boy|girl|student)|back (?:then|in the day)"
    r"|als kind|in (?:my|our) (?:teens|twenties|thirties|forties|youth|childhood)|früher|damals"
    r"|before (?:the|my|our) \w+)\W*",
    re.IGNORECASE,
)
# Verbs whose "to" or "would" goes for what is joined to it by "and", unless that has its own.
GOVERNING = re.compile(
    r"\b(?:to (?:\w+ly |just )?\w+|(?:would|could|should|might|may|['’]d|let['’]?s)(?: \w+)?)\b",
    re.IGNORECASE,
)
# And conditions that go for what is said to come: "If I win the lottery, I'm buying a boat".
CONDITION = re.compile(r"\W*(?:if|once|as soon as|unless|falls|sobald)\b", re.IGNORECASE)
TO_COME = re.compile(
    r"\b(?:['’]ll|will|gonna|going to|(?:i|we)(?:['’]m|['’]re| am| are) (?!being)\w+ing|werden?)\b",
    re.IGNORECASE,
)
OWN_VERB = re.compile(
    r"\W*(?:\w+ )?(?:i|we|am|have|had|was|i['’]\w+|you|ich|wir|bin|habe?|war|he|she|it|they|my"
    r"|mein\w*)\b"
    r"|\W*\w+(?:ed|ing)\b",
    re.IGNORECASE,
)
JOINING = ("and", "or", "und", "oder", "just", "only", "always", "rather", "nur", "immer")


def in_its_scope(told: Clause) -> str:
    """The clause, with what governs it: a condition, or the verb that "and" joins it to."""
    is_conditional = CONDITION.match(told.lead) and TO_COME.search(told.text)
    is_joined = told.border.casefold() in JOINING and not OWN_VERB.match(told.text)
    is_governed = is_conditional or (is_joined and GOVERNING.search(told.lead))
    return f"{told.lead} {told.text}" if is_governed else told.text


def is_gone_by(told: Clause) -> bool:
    """Whether what stands before it or after it says that it is over."""
    return FRAME.fullmatch(told.lead) is not None or TAKEN_BACK.search(told.follow) is not None
