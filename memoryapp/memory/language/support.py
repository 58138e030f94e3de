"""Whether what a person said carries what is proposed about them."""

import re
from collections.abc import Sequence

from memoryapp.memory.language import languages
from memoryapp.memory.language.wording import (
    FRAME_WORDS,
    FUNCTION_WORDS,
    LIGHT_WORDS,
    NEGATIONS,
    SENTENCES,
    UNSPACED_FROM,
    VERDICTS,
    content,
    flat,
    has_name,
    is_named,
    said,
    spelled,
    words,
)
from memoryapp.memory.operations import SENTENCE_ENDS, Operation, quote_start
from memoryapp.memory.recall.moments import MONTH_OF, WEEKDAY_OF

MONTHS_AND_DAYS = "|".join(sorted({*MONTH_OF, *WEEKDAY_OF} - {"mar", "mär"}))  # mar: the sea
# Dates are worked out from what was said, so they may be new.
DATES = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2})?|\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?|\d{1,2}:\d{2}"
    rf"|\b(?:19|20)\d{{2}}\b|\b(?:{MONTHS_AND_DAYS})\b",
    re.IGNORECASE,
)
TIME = re.compile(r"\b(\d{1,2})[:.](\d{2})\b(?![.:])")
YEAR = re.compile(r"(?<![\d-])(?:19|20)\d{2}(?![\d-])")
# Words by which another date is worked out than the one that is named, or another time of day.
LATER = (
    r"later|before|after|ago|earlier|until|in (?:an? |\w+ )?hours?|später|vor|danach|nach|früher"
)
RELATIVE = re.compile(
    rf"\b(?:{LATER}|tomorrow|tmrw|next|following|yesterday|weekend"
    r"|(?:in|for|since) (?:\w+ ){1,2}(?:days?|weeks?|months?|years?)"
    r"|(?:über)?morgen|gestern|wochenende|darauf|nächste\w*"
    r"|(?:in|seit) (?:\w+ ){1,2}(?:tagen?|wochen?|monate?n?|jahre?n?))\b",
    re.IGNORECASE,
)
SHIFTED = re.compile(rf"\b(?:{LATER}|\d+ ?min\w*|stunden?)\b", re.IGNORECASE)
UPPER = r"[^\W\d_a-zäöüß]"  # begins a name where there are capital letters
DOES = (
    r"(?:hates|likes|loves|lives|works|prefers|dislikes|eats|drinks|enjoys|wants"
    r"|mag|hasst|liebt|wohnt|lebt|arbeitet|isst|trinkt)"
)
# The first word of a value is capital by chance, unless it stands alone or for somebody.
FIRST_NAME = re.compile(rf"^\W*([^\W\d_]\w*)(?=\W*$|\s+{UPPER}|\s+(?:{DOES}|is|was|has|ist|hat)\b)")
LATER_NAMES = re.compile(rf"(?<=[^.!?:]\s){UPPER}\w+")
NUMBER = re.compile(r"\d+")
COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "none eine both",
)
IN_WORDS = {word: str(n) for each in COUNTED for n, word in enumerate(each.split())}

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
    is_said = is_named if has_name(operation.key) else said
    unsaid = [name for name in named if name.casefold() not in light and not is_said(name, about)]
    return unsaid + unsaid_numbers(value, about) + unsaid_dates(operation.value, about)


def unsaid_numbers(value: str, about: str) -> list[str]:
    """Those without a number in digits or words that is the same; a single digit may stand for a
    word of another language, if there are no others."""
    heard = {*NUMBER.findall(flat(about))} | {IN_WORDS[w] for w in words(about) if w in IN_WORDS}
    numbers = NUMBER.findall(flat(value))
    return [each for each in numbers if each not in heard and (heard or len(each) > 1)]


def unsaid_dates(value: str, about: str) -> list[str]:
    """Weekdays, months, times and years of the value that are others than those of the message
    ("Monday" isn't "Friday"), unless it has words by which they may be worked out."""
    weekdays, months, times, years = zip(dates_of(value), dates_of(about), strict=True)
    days = () if RELATIVE.search(about) else (weekdays, months, years)
    kinds = days if SHIFTED.search(about) else (*days, times)
    return [
        name for new, heard in kinds for date, name in new.items() if heard and date not in heard
    ]


def dates_of(text: str) -> list[dict[object, str]]:
    """The weekdays, the months, the times of day and the years that a text names."""
    named: list[dict[object, str]] = [
        {numbers[w]: w for w in words(text) if DATES.fullmatch(w) and w in numbers}
        for numbers in (WEEKDAY_OF, MONTH_OF)
    ]
    times = {(int(each[1]) % 12, each[2]): each[0] for each in TIME.finditer(text)}
    return [*named, dict(times), {each: each for each in YEAR.findall(text)}]


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
    return spelled(body[begin : start + len(quote)])
