"""Whether a clause has the words with which people say what a key is about: where they live, what
they like, how old they are."""

import re
from collections.abc import Callable

from memoryapp.memory.language import languages
from memoryapp.memory.language.clauses import Clause
from memoryapp.memory.language.feelings import leaning
from memoryapp.memory.language.moods import is_denied
from memoryapp.memory.language.whose import DOES
from memoryapp.memory.language.wording import (
    FUNCTION_WORDS,
    LIGHT_WORDS,
    canonical,
    listed,
    pieces,
    stems,
    words,
)
from memoryapp.memory.operations import Operation
from memoryapp.models import Fact

Claim = Callable[[Clause, str], bool]


def any_word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)


DWELLING = any_word(
    r"liv(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|relocat\w+|based|resid\w+|settled|stay\w*|stuck|rent\w*"
    r"|bed(?:room|sit)?s?|homes?|house|flat|apartment|place|ours?|neighbou?rhood|address|here|bred"
    r"|been in|city|town|village|country|said|meant"
    r"|(?:i|we)(?:['’]m|['’]re|['’]ve been| am| are| have been)\b.{0,80}? (?:in|at|from)"
    r"|(?:wohn|leb)(?:e|en|t|st)?|gewohnt|gelebt|wohnhaft|wohnsitz|wohnort|\w*(?:zieh|zog|gezogen)\w*"
    r"|bleib\w*|zu ?hause|daheim|heimat|haus|wohnung|wg|hier|stadt|dorf|land|bei (?:uns|mir)"
    r"|unser\w*|meinte|(?:bin|sind|sitze?n?)\b.{0,80}? (?:in|aus)"
)
WORKING = any_word(
    r"\w*work\w*|jobs?|gig|trade|profession\w*|career|occupation|employ\w*|earn\w*|freelanc\w*"
    r"|living|shifts?|promoted|hired|trained|as an?|\w*arbeit\w*|\w*beruf\w*|verdien\w*|als|tätig"
    r"|angestellt\w*|selbst(?:st)?ändig\w*"
)
BIRTH = any_word(r"born|\w*birth\w*|b-?days?|turn(?:s|ed|ing)?|\w*geburt\w*|geboren|werde|wurde")
NAMING = any_word(
    r"i['’]?m|i am|me|my names?|names?|call(?:s|ed)? me|(?:it|that)['’]?s|this is|go by|known as"
    r"|spel\w+|here|(?:is|am) (?:fine|ok|enough)|meant|best|regards|cheers|lg|vg|mfg|bin"
    r"|hei(?:ß|ss)en?|nenn\w*|mich|\w*name|hier"
)
HAVING = any_word(
    r"ha(?:ve|ving|d)|['’]ve|got|get|own(?:s|ed)?|adopted|rescued?|bought|keep|kept|feed\w*|walk\w*"
    r"|my|ours?|me|us|called|named|with|hab(?:e|en)?|hatten?|besitz\w*|mein\w*|unser\w*|namens"
    r"|hei(?:ß|ss)\w*|bekommen|geholt|gekauft|fütter\w*|plus"
)
LIKING = any_word(
    r"\w*lov\w+|lik(?:es?|ing)|enjoy\w*|fan|into|crazy|nuts about|mad about|addict\w*|obsess\w*"
    r"|best|jam|beats|hooked|religion|life|happy|nerd|geek|junkie|amazing|awesome|delicious|thing"
    r"|belongs?|any ?(?:day|time)|all day|every|say no|enough|sucker|weakness|pleasure|collect\w*"
    r"|top|go-to|die for|prefer\w*|taste|\w*favou?r\w*|\w+ person|passion\w*|hobb(?:y|ies)"
    r"|interest\w*|gern\w*|mag|mög\w*|\w*lieb\w*|steh\w*|feier\w*|geil|lecker\w*|begeister\w*"
    r"|verrückt|schwärm\w*|gut|schön\w*|leben|jeden|töten"
)
DISLIKING = any_word(
    r"worst|awful|terrible|horrible|gross|disgust\w*|yuck|ew+|ugh|overrated|annoy\w*|bother\w*"
    r"|boring|everything|anything|childish|illegal|drain\w*|anxious|soap|sucks?|torture|crime"
    r"|nightmare|rather|but|except|hell|alles|eklig|furchtbar|schrecklich|schlimm\w*|nerv\w*|blöd\w*"
    r"|doof|grauenhaft|verbrechen|verboten|seife|horror|graus"
)
OF_ORIGIN = any_word(
    r"from|born|citizen\w*|passports?|\w*national\w*|half|roots|aus|geboren\w*|\w*bürger\w*|pass"
)
SUBJECT = any_word("i|we|ich|wir|bin")
HAS_SUBJECT = re.compile(
    rf"{SUBJECT.pattern}"
    rf"|^\W*(?:the|an?|der|die|das|ein|eine|his|her|their) (?:\w+ ){{1,2}}{DOES}\b",
    re.IGNORECASE,
)
VERBS = listed("is are was were s does doesn don has hat ist sind war")
IT = re.compile(r"(?<=\w )(?:it|them|him|her|that|those|ihn|es|sie|die|das|den)\b", re.IGNORECASE)
# What makes a few words more than an item of a list.
NO_FRAGMENT = re.compile(
    r"^\W*(?:in|on|at|to|from|since|with|for|am|im|um|bei|seit|mit|nach|aus|für)\b"
    r"|\b(?:i|we|my|our|your?|the|s|it|that|this|he|she|they|is|are|was"
    r"|ich|wir|mein\w*|unser\w*|ist|sind|war|hat|haben|please|pls|plz|bitte)\b",
    re.IGNORECASE,
)
# What may not stand between "I" and what one says one is.
ANOTHER = listed(
    "in on at of to from with for into by near than like my your his her their our this that"
    " mein meine meinem meinen dein sein ihr von bei mit für zu nach gegen wie recommended"
)
FOREIGN_WORDS = listed(languages.COMMON)
# Letters of neither English nor German, in what isn't a name.
FOREIGN = re.compile(r"(?<![^\W\d_])[a-zäöüßé]*(?![a-zäöüßéA-ZÄÖÜ])[^\W\d_]")
DETERMINERS = listed("the a an some any der die das den dem ein eine einen einem")
MOST_BETWEEN = 5  # words: "Ich bin seit zwölf Jahren Erzieherin"
NUMBER = r"(?<![\w.,:]){}(?![\w%:]| ?(?:[°€$%]|percent|prozent|o['’]clock|uhr))"
AGED = (
    r"(?:\b(?:i['’]?m|i am|i['’]ll be|will be|turn(?:s|ed|ing)?|aged?|bin|werde|wurde|alter|me)\b"
    r"(?:\W+(?!(?:in|on|at|like|for|of|am|um|auf)\b)\w+){{0,3}}?\W+{0}"
    r"|\b(?:at|mit) {0}(?=,? (?:i|ich)\b)"
    r"|{0}\W{{0,2}}(?:years?|yrs?|y/?o|[mfwd]|jahre?|jährig\w*|now)\b)"
)


def has_word(pattern: re.Pattern[str]) -> Claim:
    return lambda told, value: pattern.search(whole(told)) is not None


def whole(told: Clause) -> str:
    """The clause with what it leans on, if it has no subject of its own."""
    return told.text if HAS_SUBJECT.search(told.text) else f"{told.lead} {told.text}"


def likes(told: Clause, value: str) -> bool:
    said = with_anaphora(told)
    return leaning(said) > 0 or LIKING.search(said) is not None


def dislikes(told: Clause, value: str) -> bool:
    said = with_anaphora(told)
    return leaning(said) < 0 or is_denied(said) or DISLIKING.search(said) is not None


def with_anaphora(told: Clause) -> str:
    """The clause with what is said of "it" right after: "She swears by keto but I hate it"."""
    return f"{whole(told)} {told.follow if IT.search(told.follow) else ''}"


def is_aged(told: Clause, value: str) -> bool:
    numbers = re.findall(r"\d+", value)
    ages = (AGED.format(NUMBER.format(each)) for each in numbers)
    return not numbers or any(re.search(each, told.text, re.IGNORECASE) for each in ages)


def is_it(told: Clause, value: str) -> bool:
    """Whether the person says that they are, or do, what the value says."""
    spoken = words(told.text)
    carried = stems(value)
    found = [i for i, word in enumerate(spoken) if not carried.isdisjoint(pieces(word))]
    first, last = (found[0], found[-1]) if found else (len(spoken), len(spoken))
    before, after = spoken[:first], spoken[last + 1 : last + 2]
    subjects = [i for i, word in enumerate(before) if SUBJECT.fullmatch(word)]
    if not subjects and VERBS.intersection(after):
        return False
    between = before[subjects[-1] + 1 :] if subjects else before
    others = ANOTHER if subjects or SUBJECT.search(told.lead) else ANOTHER | DETERMINERS
    return between == ("m", "in") or (len(between) <= MOST_BETWEEN and others.isdisjoint(between))


def works(told: Clause, value: str) -> bool:
    return WORKING.search(whole(told)) is not None or is_it(told, value)


def comes_from(told: Clause, value: str) -> bool:
    return OF_ORIGIN.search(told.text) is not None or is_it(told, value)


def by_key(*claims: tuple[str, Claim]) -> dict[str, Claim]:
    return {key: claim for keys, claim in claims for key in keys.split()}


# What people say in more ways than can be listed, and what they hardly do.
OPEN = by_key(
    ("city country state region home", has_word(DWELLING)),
    ("name first_name nickname", has_word(NAMING)),
    ("pet pets dog dogs cat cats haustier", has_word(HAVING)),
    ("likes like loves favourite_food favorite_food interests", likes),
    ("dislikes dislike hates", dislikes),
)
CLOSED = by_key(
    ("birthday", has_word(BIRTH)),
    ("age", is_aged),
    ("job", works),
    ("nationality", comes_from),
    ("trait personality", is_it),
)


def may_be_so(operation: Operation, told: Clause) -> bool:
    """Whether a clause may say what the key is about, in words that aren't known here."""
    return canonical(operation.key) not in CLOSED or is_claimed(operation, told)


def is_claimed(operation: Operation, told: Clause) -> bool:
    """Whether a clause says of the person what the key is about, as far as its words are known.

    What stands alone, as in a list of what one is, says what it says.
    """
    claim = (OPEN | CLOSED).get(canonical(operation.key))
    of_the_person = operation.table == "fact" and not operation.subject
    if claim is None or not of_the_person or operation.kind in (Fact.Kind.TASK, Fact.Kind.PROJECT):
        return True
    if not is_read(f"{told.lead} {told.text}") or stands_alone(told, operation.value):
        return True
    return claim(told, operation.value)


def stands_alone(told: Clause, value: str) -> bool:
    is_sentence = NO_FRAGMENT.search(told.text) is not None or told.border.isalpha()
    return not is_sentence and stems(told.text, LIGHT_WORDS) <= stems(value)


def is_read(sentence: str) -> bool:
    """Whether it is in one of the languages whose words are known here: English or German."""
    if FOREIGN.search(sentence):
        return False
    spoken = {*words(sentence)}
    return len(spoken & FOREIGN_WORDS) <= len(spoken & FUNCTION_WORDS - FOREIGN_WORDS)
