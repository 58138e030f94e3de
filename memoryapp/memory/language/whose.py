"""Whom the words of a person are about: themselves, or somebody else."""

import re
from collections.abc import Iterator

from memoryapp.memory.language import languages
from memoryapp.memory.language.feelings import leaning
from memoryapp.memory.language.support import UPPER, sentence_to
from memoryapp.memory.language.wording import LIGHT_WORDS, content, flat, is_same_key, said, words
from memoryapp.memory.operations import CLAUSE_ENDS, Operation, quote_start

PEOPLE = (
    r"friends?|sisters?|brothers?|siblings?|mother|mom|mum|father|dad|wife|husband|partner"
    r"|girlfriend|boyfriend|ex|fianc\w+|sons?|daughters?|child|kids?|children|boss|manager"
    r"|colleagues?|coworkers?|neighbou?rs?|roommate|flatmate|aunt|uncle|cousin|niece|nephew"
    r"|grand\w+|parents?|dog|cat|teacher|doctor|landlord|client|customer|in-laws?|mates?|pals?"
    r"|buddy|buddies|sis|bro|coach|trainer|therapist|dentist|class ?mates?"
    r"|team ?mates?|gf|bf|hubby"
)
LEUTE = (
    r"freund(?:in)?|schwester|bruder|geschwister|mutter|mama|vater|papa|frau|mann|ex|partner(?:in)?"
    r"|verlobte\w*|sohn|tochter|kind(?:er)?|chef(?:in)?|kolleg\w+|nachbar\w*|mitbewohner\w*|tante"
    r"|onkel|cousin\w*|nichte|neffe|oma|opa|eltern|hund|katze|lehrer\w*|arzt|ärztin|kunde\w*"
    r"|vermieter\w*"
)
OTHERS = re.compile(
    rf"\b(?:my|our) (?:[\w-]+[ -]){{0,2}}?(?:{PEOPLE})\b"
    rf"|\b(?:mein|unser)(?:e|em|en|er|es|s)? (?:[\w-]+[ -]){{0,2}}?(?:{LEUTE})\b"
    r"|\b(?:a|an|the|this|that|some|another|one) (?:\w+ ){0,2}?(?:friends?|colleagues?|neighbou?rs?"
    r"|customers?|clients?|guys?|m[ae]n|wom[ae]n|girls?|boys?|lady|person|people|students?|patients?"
    r"|somebody|mates?|pals?|couple|intern|dude|bloke|kids?|family|coach|trainer|professor|boss)\b"
    r"(?: of (?:mine|ours)\b"
    r"| (?:that |who )?(?:i|we) (?:kn[eo]w|met|work\w*|saw|date\w*|like|love)\b)?"
    r"|\b(?:ein|eine|einer|einem|einen|der|die|dem|den) (?:\w+ )?(?:freund(?:in|e)?|kolleg\w+"
    r"|nachbar\w*|bekannte\w*|kunde\w*|mann|frau|junge|mädchen|person|patient\w*)\b"
    r"(?: von (?:mir|uns)\b)?"
    r"|\b(?:someone|somebody|everyone|everybody|jemand|(?:one|some|most) of (?:my|the|our))\b"
    r"|^\W*(?:wife|husband|hubby|gf|bf|girlfriend|boyfriend|roomie|boss|sis|bro|mom|mum|mummy|mama|mami|dad|daddy|papa|papi|grandma|grandpa|granny|oma|opa)\b"
    r"|我的?(?:女|男)?(?:朋友|妹妹?|姐姐?|哥哥?|弟弟?|妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|妻子|丈夫|老婆"
    r"|老公|儿子|女儿|同事|老板|邻居|同学|室友|狗|猫)|我?(?:有个|有一个|一个|一位)(?:朋友|同事|人|邻居)"
    r"|^\W*(?:[小老阿]\w|(?!我)\w{1,3}(?:先生|女士|老师|小姐|同学|经理))"
    r"|\b(?:صديقي|صديقتي|صديق لي|أختي|أخي|أمي|أبي|والدي|والدتي|زوجي|زوجتي|ابني|ابنتي|زميلي|زميلتي"
    r"|مديري|جاري|جارتي|قطتي|كلبي)\b",
    re.IGNORECASE,
)
# In languages that often leave "I" out, only who stands first is spoken of.
OTHERS_FIRST = re.compile(rf"\W*(?:{languages.SOMEBODY_ELSE})", re.IGNORECASE)
# In some of them it is the verb that says so: "yaşıyor" is he or she.
THIRD_PERSON = re.compile(
    r"\w(?:ıyor|iyor|uyor|üyor)(?:lar)?\W*$"
    r"|(?<!أنا )\b[يت](?:عيش|سكن|عمل|حب|كره|درس|فضل|ملك|لعب|قيم)(?:ون|ان)?\b"
)
# Keys and values that name the other one in their own way: spouse, pet_name.
RELATED = re.compile(
    r"\b(?:spouse|wife|husband|partner|famil|child|daughter|sister|brother|sibling|mother|father"
    r"|parent|(?:girl|boy)?friend|fianc|boss|manager|colleague|coworker|neighbo|roommate|flatmate|relative|client"
    r"|customer|landlord|team|contact|grand|aunt|uncle|cousin|niece|nephew|freund|schwester|bruder"
    r"|mutter|vater|eltern|kinder|tochter|sohn|frau|haustier|kunde|kolleg|nachbar"
    r"|(?:pet|dog|cat|kid|son|ex|mann|hund|katze)(?:s|s?name)?\b)"
    r"|[宠狗猫妻夫父母妹姐哥弟]|儿子|女儿|孩子|朋友|同事|老板|邻居|同学|室友",
    re.IGNORECASE,
)
# Of people of one kind nothing follows for another: a sister's children are no `children`.
KINDS = [
    re.compile(rf"(?:\b|_)(?:{kind})", re.IGNORECASE)
    for kind in (
        r"pets?\b|dogs?\b|cats?\b|hund|katze|haustier",
        "child|kids?\\b|sons?\\b|daughter|kind(?:er)?\\b|sohn|söhne|tochter|töchter",
        r"spouse|wife|husband|hubby|partner|(?:girl|boy)?friend|[gb]f\b|fianc|ex\b|mann\b|frau\b"
        r"|freund",
        r"sister|brother|sibling|sis\b|bro\b|schwester|bruder|geschwister",
        r"mother|father|mom|mum|dad|parent|mutter|vater|eltern|mama|papa",
        r"grand|oma\b|opa\b",
        "boss|manager|colleague|coworker|team|chef|kolleg",
        r"neighbo|nachbar|couple|guy|man\b|woman|client|customer|kunde|landlord|vermieter",
    )
]
ANY_KIND = re.compile(r"famil|relative|in[-_ ]?law|contact", re.IGNORECASE)
PRONOUNS = re.compile(
    r"^\W*(?:that |dass )?(?:(?:he|she|they|his|her|their|er|sie(?= \w+t\b)|seine?|ihre?|who|whose"
    rf"|you|your|you['’](?:re|ve)|du|deine?|{languages.HE_OR_SHE})\b|他|她|你|彼女?(?=[はがもの])|彼ら|그[는녀]|(?:هو|هي|أنت)\b)",
    re.IGNORECASE,
)
# "I'm someone who loves tea", "the one who cooks": who is the person.
WHO_I_AM = re.compile(r"\b(?:i['’]m|i am|ich bin)\b[^,]*$", re.IGNORECASE)
I_OR_WE = re.compile(r"\b(?:i|we|ich|wir)\b", re.IGNORECASE)
WHO = re.compile(r"\W*who\b", re.IGNORECASE)
DOES = (
    r"(?:is|was|has|had|does|can|will|lived|worked|played|bought|sold|moved|studied|taught|joined"
    r"|drove|wrote|got|started|married|owned|hate[ds]|like[ds]|love[ds]|lives|works|prefer(?:s|red)"
    r"|dislikes|eats|drinks|enjoys|wants|plays|speaks|owns|studies|teaches|runs|drives|rides|cooks"
    r"|makes|reads|writes|collects|knows|needs|uses|keeps|wears|sings|earns|votes|takes"
    r"|ist|war|hat|mag|kann|will|hasst|liebt|wohnt|lebt|arbeitet|isst|trinkt|spielt|spricht|fährt"
    r"|studiert|heißt|kommt|zog|kauft|besitzt|verdient|wählt)"
)
DO = r"(?:are|have|live|like|love|hate|work|own|play|moved|sind|haben|wohnen|leben|mögen|arbeiten)"
NAME = rf"{UPPER}\w+"
SOMEBODY = re.compile(
    r"^\W*(?:that |dass )?"
    r"(?:(?i:yesterday|today|(?:last|this|next|letzte[ns]?) \w+|gestern|heute)\W+)?"
    rf"({NAME})(?:(?: {NAME})? {DOES}\b| (?:and|und) {NAME} {DO}\b"
    rf"|['’]s (?!{DOES})|(?<=s) (?:Lieblings\w+|Name|Geburtstag|Hobby|Hund|Katze|Beruf)\b)"
    r"|^\W*(\w{1,6})(?:さん|くん|君|ちゃん|先生)[はがもの]"
)
# "The inspector is called Ines": what only people do.
DOER = re.compile(
    r"^\W*((?:the|an?|der|die|das|ein|eine) (?:\w+ )?\w+) (?:lives|works|loves|likes|hates"
    r"|hei(?:ß|ss)t|lebt|wohnt|arbeitet|liebt|hasst|mag)\b",
    re.IGNORECASE,
)
# Words that begin a sentence about oneself as names do: "Just moved to Graz", "Home is Graz".
NOBODY = LIGHT_WORDS | {
    "today", "tomorrow", "yesterday", "recently", "finally", "already", "only", "never", "once",
    "everything", "nothing", "home", "work", "base", "life", "city", "job", "age", "let", "there",
    "heute", "morgen", "gestern", "zuhause", "arbeit", "alles", "nichts", "beruf", "alter",
}  # fmt: skip
ONESELF = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|we|us|ours?|mine|myself|ich|mich|mir|wir|uns|unser\w*)\b"
    r"|\b(?:is|are|was|ist|sind|war) (?:my|mein\w*)\b|我|咱"
    r"|\b(?:أنا|نحن|أ(?:عيش|سكن|عمل|حب|كره|درس|فضل|ملك|لعب))\b",
    re.IGNORECASE,
)
OWN_FIRST = re.compile(r"^\W*(?:my|our|mein\w*|unser\w*)\b", re.IGNORECASE)
# A clause about somebody who was named begins with "who" or a pronoun, too.
BETWEEN = re.compile(
    rf"[{CLAUSE_ENDS}]|\b(?:but|while|aber|während)\b|\b(?:and|und)\b(?! {NAME} {DO})|但是?|لكن"
    r"|(?=\b(?i:who|whose|(?:that |how )?(?:he|she|they))\b)|(?=\b(?:that|dass) [A-Z])"
)
# "I call her Bea": the name is hers.
NAMES_ANOTHER = re.compile(
    r"\b(?:call(?:ed|s)?|named?|nenn\w*|tauft\w*|getauft)\b(?! (?:me|mich)\b)"
    r".*?\b(?:him|her|it|them|ihn|sie|es)\b"
    r"|\b(?:call(?:ed)?|named?|nenn\w*)\W+(?:my|our|mein\w*|unser\w*|the|den|die|das)\b",
    re.IGNORECASE,
)
AS_SAID = re.compile(
    r"\w (?:it|them|neither|either|too|as well|auch|ihn|es|das|sie)\b"
    r"|\b(?:me|ich) (?:neither|too|auch)\b|\bso (?:do|am|have) i\b|也",
    re.IGNORECASE,
)
VERB = re.compile(rf"\W*{DOES}\s+", re.IGNORECASE)
# What one thinks of somebody is about them: "I think my neighbour is a teacher".
MATRIX = re.compile(
    r"\b(?:i|ich) (?:\w+ )?(?:think|guess|believe|know|heard|hope|bet|glaub\w*|denk\w*|weiß|hoffe"
    r"|vermute),? (?:that |dass )?(?=(?:my|our|mein\w*|unser\w*|he|she|they|er|sie) )",
    re.IGNORECASE,
)
# "Fridays are for the kids" speaks of Fridays.
BEHIND = re.compile(r"\w\W+(?:for|with|from|to|at|by|für|mit|bei|von)\s+$", re.IGNORECASE)
RELATIVE = re.compile(r"^\W*(?:der|die|das|deren|dessen) ", re.IGNORECASE)


def is_about_somebody_else(operation: Operation, body: str) -> bool:
    """Whether the quote's own clause is about another person than the value is stated of.

    "My friend hates olives" says nothing of the person, but "my sister's name is Maria" supports
    `sister_name`: there the other one is named in what is stored. Nor does "I live in Graz" say
    anything of a subject that isn't spoken of there.
    """
    sentence = MATRIX.sub("", sentence_to(operation.quote, body) + turned_around(operation, body))
    if operation.table == "prompt":
        return OTHERS.match(BETWEEN.split(sentence)[-1].strip()) is not None
    who, clauses = whom_of(sentence, operation.value)
    if operation.subject:
        return who == "" and not said(operation.subject, clauses)
    if is_same_key(operation.key, "name") and NAMES_ANOTHER.search(clauses):
        return True
    return is_other_than_stated(operation, who, clauses)


def is_other_than_stated(operation: Operation, who: str | None, clauses: str) -> bool:
    """Whether they are about somebody whom the key and the value don't name or imply; what one
    likes is never about another."""
    key = operation.key.replace("_", " ")
    stated = f"{key} {operation.value}".replace("_", " ")
    if not is_other(who, stated) or is_own(key, clauses):
        return False
    return leaning(key) != 0 or not is_related(who or "", stated)


def is_related(who: str, stated: str) -> bool:
    """Whether what is stated is about people, or animals, such as the one who is spoken of."""
    if ANY_KIND.search(stated):
        return True
    kinds = [(kind.search(who), kind.search(stated)) for kind in KINDS]
    spoken_of, meant = (any(each) for each in zip(*kinds, strict=True))
    is_same = any(one and other for one, other in kinds)
    return RELATED.search(stated) is not None and (is_same or not (spoken_of and meant))


def is_other(who: str | None, stated: str) -> bool:
    """Whether it is about somebody whom what is stated doesn't name."""
    return bool(who) and content(who or "") != said(who or "", stated)


def is_own(key: str, sentence: str) -> bool:
    """Whether what the key names is said to be one's own: "my home town" for `home_town`."""
    named = re.escape(" ".join(words(key)))
    return re.search(rf"\b(?:my|our|mein\w*|unser\w*) {named}\b", flat(sentence)) is not None


def turned_around(operation: Operation, body: str) -> str:
    """Who does it, if that follows the quote: "Zwei Kinder hat meine Schwester"."""
    start = quote_start(body, operation.quote)
    rest = "" if start is None else body[start + len(operation.quote) :]
    verb = VERB.match(rest)
    other = OTHERS.match(rest, verb.end()) if verb else None
    return rest[: other.end()] if other else ""


def whom_of(sentence: str, value: str = "") -> tuple[str | None, str]:
    """Whom the sentence speaks of where it tells the value, or else at its end, and from where on:
    the words for somebody else, "" for the person themselves, None if it doesn't say."""
    clauses = [clause for clause in BETWEEN.split(sentence) if clause.strip()]
    last = last_that_tells(value, clauses)
    for number in reversed(range(last + 1)):
        before = clauses[number - 1] if number else ""
        who = whom(clauses[number], before)
        if who is not None:
            return who, " ".join(clauses[number : last + 1])
    return None, sentence


def last_that_tells(value: str, clauses: list[str]) -> int:
    """The last of the clauses that have most of the value, or a later one that takes it up."""
    told = [len(said(value, clause)) for clause in clauses]
    last = len(told) - 1 - told[::-1].index(max(told)) if value and told else len(clauses) - 1
    later = (n for n in range(last + 1, len(clauses)) if is_of_both(clauses[n]))
    return next(later, last)


def is_of_both(clause: str) -> bool:
    """Whether the person says of themselves what was said before: "me neither", "I hate it"."""
    return ONESELF.search(clause) is not None and AS_SAID.search(clause) is not None


def whom(clause: str, before: str) -> str | None:
    of_oneself = OTHERS.sub("", clause)
    if pronoun := PRONOUNS.match(clause):
        is_who_i_am = WHO_I_AM.search(before) and WHO.match(clause)
        oneself = I_OR_WE if WHO.match(clause) else ONESELF
        return "" if is_who_i_am or oneself.search(of_oneself) else pronoun.group()
    if ONESELF.search(of_oneself) or OWN_FIRST.match(of_oneself):
        return ""
    return next(others_in(clause, before), None)


def others_in(clause: str, before: str) -> Iterator[str]:
    """The words for whoever else a clause speaks of."""
    other = OTHERS.search(clause) or OTHERS_FIRST.match(clause)
    if other and not BEHIND.search(clause, 0, other.start()):
        yield other.group()
    if RELATIVE.match(clause) and (other := OTHERS.search(before)):
        yield other.group()
    if (somebody := SOMEBODY.match(clause)) and somebody.group(1):
        if somebody.group(1).casefold() not in NOBODY:
            yield somebody.group(1)
    elif somebody:
        yield somebody.group(2)
    if doer := DOER.match(clause):
        yield doer.group(1)
    if THIRD_PERSON.search(clause):
        yield clause.split()[0]
