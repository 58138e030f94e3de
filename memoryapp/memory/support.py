"""Whether what a person said carries what is proposed about them."""

import re
from collections.abc import Sequence

from memoryapp.memory import languages
from memoryapp.memory.operations import CLAUSE_ENDS, SENTENCE_ENDS, Operation, quote_start
from memoryapp.memory.wording import (
    FRAME_WORDS,
    FUNCTION_WORDS,
    LIGHT_WORDS,
    NEGATIONS,
    SENTENCES,
    UNSPACED_FROM,
    VERDICTS,
    content,
    said,
    words,
)

MONTHS_AND_DAYS = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|march|märz|apr(?:il)?|may|mai|june?|juni|july?|juli"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|dez(?:ember)?|mon(?:day|tag)|tuesday|dienstag|wednesday|mittwoch|thursday|donnerstag"
    r"|friday|freitag|saturday|samstag|sonnabend|sunday|sonntag"
)
# Dates are worked out from what was said, so they may be new.
DATES = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2})?|\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?|\d{1,2}:\d{2}"
    rf"|\b(?:19|20)\d{{2}}\b|\b(?:{MONTHS_AND_DAYS})\b",
    re.IGNORECASE,
)
UPPER = r"[^\W\d_a-zäöüß]"  # begins a name where there are capital letters
DOES = (
    r"(?:hates|likes|loves|lives|works|prefers|dislikes|eats|drinks|enjoys|wants"
    r"|mag|hasst|liebt|wohnt|lebt|arbeitet|isst|trinkt)"
)
# The first word of a value is capital by chance, unless it stands alone or for somebody.
FIRST_NAME = re.compile(rf"^\W*([^\W\d_]\w*)(?=\W*$|\s+{UPPER}|\s+(?:{DOES}|is|was|has|ist|hat)\b)")
LATER_NAMES = re.compile(rf"(?<=[^.!?:]\s){UPPER}\w+|\d{{2,}}")

OTHERS = re.compile(
    r"\bmy (?:\w+ ){0,2}?(?:friends?|sister|brother|siblings?|mother|mom|mum|father|dad|wife"
    r"|husband|partner|girlfriend|boyfriend|fianc\w+|son|daughter|child|kids?|children|boss|manager"
    r"|colleagues?|coworkers?|neighbou?rs?|roommate|flatmate|aunt|uncle|cousin|niece|nephew"
    r"|grand\w+|parents?|dog|cat|teacher|doctor)\b"
    r"|\bmein(?:e|em|en|er|es)? (?:\w+ ){0,2}?(?:freund(?:in)?|schwester|bruder|geschwister|mutter"
    r"|mama|vater|papa|frau|mann|partner(?:in)?|verlobte\w*|sohn|tochter|kind(?:er)?|chef(?:in)?"
    r"|kolleg\w+|nachbar\w*|mitbewohner\w*|tante|onkel|cousin\w*|nichte|neffe|oma|opa|eltern|hund"
    r"|katze|lehrer\w*|arzt|ärztin)\b"
    r"|我的?(?:朋友|妹妹|姐姐|哥哥|弟弟|妈妈|爸爸|母亲|父亲|妻子|丈夫|老婆|老公|儿子|女儿|同事|老板|邻居)"
    r"|\b(?:صديقي|صديقتي|أختي|أخي|أمي|أبي|والدي|والدتي|زوجي|زوجتي|ابني|ابنتي|زميلي|زميلتي|مديري)\b",
    re.IGNORECASE,
)
# In languages that often leave "I" out, only who stands first is spoken of.
OTHERS_FIRST = re.compile(rf"\W*(?:{languages.SOMEBODY_ELSE})", re.IGNORECASE)
# Keys and values that name the other one in their own way: spouse, pet_name.
RELATED = re.compile(
    r"spouse|wife|husband|partner|pet|dog|cat|famil|child|kid|son\b|sons|daughter|sister|brother"
    r"|sibling|mother|father|parent|friend|boss|manager|colleague|coworker|neighbo|roommate"
    r"|relative|freund|schwester|bruder|mutter|vater|eltern|kind|tochter|sohn|frau|mann|haustier",
    re.IGNORECASE,
)
PRONOUNS = re.compile(r"^\W*(?:(?:he|she|they|er)\b|他|她|هو\b|هي\b)", re.IGNORECASE)
SOMEBODY = re.compile(rf"^\W*({UPPER}\w+)(?: {UPPER}\w+)? {DOES}\b")
ONESELF = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|we|us|our|myself|ich|mich|mir|wir|uns|unser\w*)\b|我|\b(?:أنا|نحن)\b",
    re.IGNORECASE,
)
OWN_FIRST = re.compile(r"^\W*(?:my|our|mein\w*|unser\w*)\b", re.IGNORECASE)
BETWEEN = re.compile(rf"[{CLAUSE_ENDS}]|\b(?:but|and|while|aber|und|während)\b|但是?|لكن")
REQUEST = re.compile(
    r"^\W*(?:please |can you |could you |bitte |请)?(?:tell|write|translate|recommend|give|show"
    r"|explain|summari[sz]e|list|find|search|compare|draft|rewrite|correct|fix|create|generate|make"
    r"|suggest|help|sag|schreib|übersetz|empfiehl|gib|zeig|erklär|fass|such|finde|vergleich"
    r"|erstell|mach|hilf|写|翻译|推荐|告诉|给我|解释|总结|اكتب|ترجم|أخبرني|اشرح|لخص)\w*\b",
    re.IGNORECASE,
)
REQUEST_ELSEWHERE = re.compile(
    rf"^\W*{languages.REQUEST_BEGINS}\b|{languages.REQUEST_ENDS}\W*$", re.IGNORECASE
)
OWNING = re.compile(
    r"\b(?:i|we|my|our|ich|wir|mein\w*|unser\w*|أنا|نحن)\b|我(?!们?[写翻推告给解总])", re.IGNORECASE
)


def is_supported(operation: Operation) -> bool:
    """Whether the quote has the words that carry the value: more than half of them, or one of
    two. "Yes" and its like stand for a statement that is in the key, and so does a mere date."""
    if not words(operation.value):
        return False
    value = DATES.sub(" ", operation.value)
    if not words(value) or value.casefold().strip(" .!") in VERDICTS:
        return bool(said(f"{operation.key} {operation.value}", operation.quote))
    light = LIGHT_WORDS | NEGATIONS
    if operation.table == "fact" and all(word in light for word in words(value)):
        return False
    carried = content(value)
    is_unspaced = any(ord(stem[0]) >= UNSPACED_FROM for stem in carried)
    least = len(carried) / 2 if is_unspaced or len(carried) < 3 else len(carried) // 2 + 1
    return len(said(value, operation.quote)) >= max(1, least)


def unsaid_names(operation: Operation, body: str) -> list[str]:
    """Names and numbers in the value that the message doesn't have."""
    value = DATES.sub(" ", operation.value)
    first = FIRST_NAME.match(value)
    named = ([first.group(1)] if first else []) + LATER_NAMES.findall(value)
    about = f"{body} {operation.key} {operation.subject}"
    light = FUNCTION_WORDS | FRAME_WORDS | VERDICTS
    return [name for name in named if name.casefold() not in light and not said(name, about)]


def is_about_somebody_else(operation: Operation, body: str) -> bool:
    """Whether the quote's own clause is about another person than the value is stated of.

    "My friend hates olives" says nothing of the person, but "my sister's name is Maria" supports
    `sister_name`: there the other one is named in what is stored.
    """
    if operation.subject or operation.table == "prompt":
        return False
    stated = f"{operation.key} {operation.value}".replace("_", " ")
    for clause in reversed(BETWEEN.split(sentence_to(operation.quote, body))):
        of_oneself = OTHERS.sub("", clause)
        if ONESELF.search(of_oneself) or OWN_FIRST.match(of_oneself):
            return False
        if other := OTHERS.search(clause) or OTHERS_FIRST.match(clause):
            return not RELATED.search(stated) and not said(other.group(), stated)
        if PRONOUNS.match(clause):
            return True
        if somebody := SOMEBODY.match(clause):
            return not said(somebody.group(1), stated)
    return False


def is_echo(value: str, body: str, heard: Sequence[str]) -> bool:
    """Whether the value is built from a whole sentence that the assistant said and the person
    didn't."""
    for sentence in (each for text in heard for each in SENTENCES.split(text)):
        is_in = len(words(sentence)) > 1 and quote_start(value, sentence) is not None
        if is_in and quote_start(body, sentence) is None:
            return True
    return False


def is_request(operation: Operation, body: str) -> bool:
    """Whether the quote asks for something now, and tells nothing: "Write a poem about the sea"."""
    if operation.table == "prompt" or operation.kind == "task":
        return False
    sentence = sentence_to(operation.quote, body)
    is_asked = REQUEST.match(sentence) or REQUEST_ELSEWHERE.search(sentence)
    return is_asked is not None and OWNING.search(sentence) is None


def sentence_to(quote: str, body: str) -> str:
    """The sentence that the quote stands in, up to the quote's end."""
    start = quote_start(body, quote)
    if start is None:
        return quote
    begin = max(body.rfind(end, 0, start) for end in SENTENCE_ENDS) + 1
    return body[begin : start + len(quote)]
