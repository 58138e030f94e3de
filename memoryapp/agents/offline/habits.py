"""The table of what people do, have and like: their languages, instruments, animals, family.

As in `patterns`, a pattern must match a whole clause.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from memoryapp.agents.offline.dictionary import ENGLISH_FOR
from memoryapp.agents.offline.language import slug
from memoryapp.agents.offline.meanings import (
    FACT,
    IDENTITY,
    PREFERENCE,
    PROJECT,
    Statement,
    attribute,
    each,
    listed,
)
from memoryapp.agents.offline.patterns import CAPITAL, I_AM, TOWN, pattern
from memoryapp.agents.offline.vocabulary import (
    NO_FIRST_NAMES,
    NO_FIRST_NAMES_GERMAN,
    NO_HABITS,
    NUMBER,
    OFT,
    OFTEN,
    OWNED,
    PROFESSIONS,
    PROJECT_KINDS,
    TRADES,
)

HOME = rf"{TOWN}(?:, {TOWN})?"
# What one drives and is no vehicle.
DISTANCES = r"(?:hours?|minutes?|miles?|kilomet\w+|km|hard|lot|bit|stunden?|minuten?|strecke)\b"
ASIDE = r"(?: (?:in|at|for|since|with|on|every|each|as|after|before|seit|an|mit|bei|jede\w*)\b.*)?"
# Of German, with its capital letter; what the dictionary knows may go without.
NOUN = rf"(?:(?-i:[A-ZÄÖÜ])[\w'-]+|(?:{'|'.join(ENGLISH_FOR)})\b)"
SOME = r"(?:(?:fließend|etwas|ein bisschen|ein wenig) )?"
NOUNS = rf"{SOME}{NOUN}(?: {NOUN})?(?:(?:,| und|, und) {SOME}{NOUN}(?: {NOUN})?)*"
HAVE = r"(?:(?:i|we)(?: have|'ve)(?: got)?|ich habe|wir haben) "
FIRST_NAME = rf"(?!{NO_FIRST_NAMES}|{PROFESSIONS}\b)(?-i:[A-Z][a-z]+(?:-[A-Z][a-z]+)?)"
FIRST_NAME_GERMAN = rf"(?!{NO_FIRST_NAMES_GERMAN})(?-i:[A-ZÄÖÜ][a-zäöüß]+(?:-[A-ZÄÖÜ][a-zäöüß]+)?)"
# What the verb of somebody who speaks of themselves is called in a key.
KEYS = {
    "play": "plays", "practise": "plays", "practice": "plays", "spiele": "plays",
    "collect": "collects", "sammle": "collects",
    "speak": "speaks", "spreche": "speaks", "sing": "sings", "singe": "sings",
    "brew": "brews", "braue": "brews", "keep": "keeps", "grow": "grows",
    "breed": "breeds", "züchte": "breeds", "knit": "knits",
    "teach": "teaches", "unterrichte": "teaches", "study": "studies", "studiere": "studies",
    "studying": "studies", "learning": "learns", "lerne": "learns",
    "drink": "drinks", "trinke": "drinks",
    "bake": "bakes", "backe": "bakes", "mend": "mends", "repair": "repairs", "paint": "paints",
    "own": "owns", "besitze": "owns",
}  # fmt: skip


def done_often(match: re.Match[str], kind: str) -> Iterator[Statement]:
    """Each thing that is done gets a key of its own: nobody plays only one instrument."""
    yield from map(nominative, each(KEYS[match["verb"].lower()])(match, kind))


def driven(match: re.Match[str], kind: str) -> Iterator[Statement]:
    """Of what is driven the next takes the place of the last."""
    key = "rides" if match["verb"].lower() == "ride" else "drives"
    yield nominative(Statement(key, match["thing"], kind))


def had(match: re.Match[str], kind: str) -> Iterator[Statement]:
    yield from map(nominative, attribute(match, kind))


def had_all(match: re.Match[str], kind: str) -> Iterator[Statement]:
    for thing in listed(match["things"]):
        _, noun = thing.split(" ", 1)
        yield nominative(Statement(slug(noun), thing, kind))


def nominative(statement: Statement) -> Statement:
    """With "ein Hund" for "einen Hund", for it stands beside its key."""
    return replace(statement, value=re.sub(r"^einen ", "ein ", statement.value))


def done_gladly(match: re.Match[str], kind: str) -> Iterator[Statement]:
    """A German verb in the first person, filed under its infinitive: "ich koche gern"."""
    infinitive = re.sub(r"ere$", "er", match["verb"].lower()) + "n"
    yield Statement(f"likes_{slug(infinitive)}", infinitive, kind)


def worked_on(match: re.Match[str], kind: str) -> Iterator[Statement]:
    for thing in listed(match["thing"]):
        yield nominative(Statement(slug(match["kind"]), thing, kind))


WHO = [
    pattern(
        IDENTITY,
        rf"{I_AM}(?P<name>{FIRST_NAME})(?:, (?P<age>\d{{1,2}}))?"
        rf"(?:, an? (?P<occupation>(?:[\w-]+ ){{0,2}}?{PROFESSIONS}))?"
        rf"(?:,? from (?P<origin>{HOME}))?",
    ),
    pattern(IDENTITY, rf"(?:{I_AM}|i come ){OFTEN}from (?P<origin>{HOME})"),
    pattern(IDENTITY, rf"ich (?:bin|komme|stamme) {OFT}aus (?P<origin>{HOME})"),
    pattern(FACT, rf"ich bin in (?P<birthplace>{HOME}) geboren"),
    pattern(FACT, r"i was born in (?P<birth_year>(?:19|20)\d\d)"),
    pattern(FACT, r"ich (?:bin|wurde) (?P<birth_year>(?:19|20)\d\d) geboren"),
    pattern(IDENTITY, r"ich habe (?:am|im) (?P<birthday>.{3,30}) geburtstag"),
    pattern(FACT, rf"i grew up in (?P<grew_up_in>{HOME})"),
    pattern(FACT, rf"ich bin in (?P<grew_up_in>{HOME}) aufgewachsen"),
    pattern(FACT, rf"(?:{I_AM}|ich bin )(?P<height>[12][.,]?\d\d? ?(?:cm|m)?) (?:tall|groß|gross)"),
    pattern(IDENTITY, r"i was born on (?:the )?(?P<birthday>.*\d.*)"),
    pattern(IDENTITY, r"ich (?:bin|wurde) am (?P<birthday>\d.+) geboren"),
    pattern(
        FACT,
        rf"{I_AM}{OFTEN}(?P<relationship>married|single|divorced|engaged|widowed)(?: to .+)?",
    ),
    pattern(
        FACT,
        rf"ich bin {OFT}(?P<relationship>verheiratet|ledig|geschieden|verlobt|verwitwet)"
        r"(?: mit .+)?",
    ),
    pattern(IDENTITY, rf"{I_AM}{OFTEN}(?P<occupation>retired|self-employed)"),
    pattern(IDENTITY, rf"ich bin {OFT}(?P<occupation>in Rente|in Pension|selbst?ständig)"),
    pattern(
        IDENTITY,
        rf"i {OFTEN}work {OFTEN}in (?P<works_in>(?:an? )?(?:{TRADES}))",
    ),
    pattern(
        IDENTITY,
        rf"{I_AM}{OFTEN}(?P<things>lactose|gluten|fructose)[- ]intolerant",
        each("intolerance"),
    ),
    pattern(
        IDENTITY,
        rf"ich bin {OFT}(?P<things>laktose|gluten|fruktose)-?intolerant",
        each("intolerance"),
    ),
    pattern(
        FACT,
        r"(?:i was diagnosed with|i take (?:medication|pills) for) (?P<things>.{3,40}?)"
        r"(?: (?:last|this|in|when|since)\b.*)?",
        each("health"),
    ),
    pattern(
        FACT,
        r"(?:i have|ich habe) (?P<things>diabetes|asthma|epilepsy|epilepsie|adhd|adhs|migraines?|"
        r"migräne|arthritis|rheuma|celiac disease|zöliakie)",
        each("health"),
    ),
    pattern(FACT, r"ich nehme (?:medikamente|tabletten) gegen (?P<things>.{3,40})", each("health")),
]
INTRODUCTIONS = [
    pattern(
        IDENTITY,
        rf"ich bin (?:die |der )?(?P<name>{FIRST_NAME_GERMAN})"
        rf"(?:,? (?P<age>\d{{1,2}})(?: jahre(?: alt)?)?)?"
        rf"(?:, (?P<occupation>\w*{PROFESSIONS}))?"
        rf"(?: aus (?P<origin>{HOME})| in {HOME})?",
    ),
]
DOES = [
    pattern(FACT, r"i (?P<verb>sing) (?P<things>in an? [\w -]{3,30})", done_often),
    pattern(FACT, rf"ich (?P<verb>singe) (?P<things>(?:im|in einem|in einer) {NOUN})", done_often),
    pattern(
        FACT,
        rf"i {OFTEN}(?:can )?(?P<verb>play|practi[sc]e) the (?P<things>[\w][\w -]{{2,40}}?){ASIDE}",
        done_often,
    ),
    pattern(
        FACT,
        rf"i {OFTEN}(?P<verb>play|practi[sc]e|collect|speak|sing|brew|keep(?! \w+ing\b)|grow|breed|"
        rf"knit|teach|study|drink|bake|mend|repair|paint) (?:my own )?(?!the |{NO_HABITS})"
        rf"(?P<things>.{{3,60}}?){ASIDE}",
        done_often,
    ),
    pattern(
        FACT,
        rf"i {OFTEN}(?P<verb>drive|ride) "
        rf"(?P<thing>{NUMBER} (?!{DISTANCES})[\w' -]{{2,40}}?){ASIDE}",
        driven,
    ),
    pattern(
        FACT,
        rf"i {OFTEN}(?P<verb>own) (?P<things>{NUMBER} (?!of\b)[\w' -]{{2,40}}?){ASIDE}",
        done_often,
    ),
    pattern(
        FACT,
        rf"{I_AM}{OFTEN}(?P<verb>learning|studying) (?:the |how to |to )?(?!an? new |{NO_HABITS})"
        rf"(?P<things>.{{3,40}}?){ASIDE}",
        done_often,
    ),
    pattern(
        FACT,
        rf"ich (?P<verb>spiele|sammle|spreche|braue|züchte|unterrichte|studiere|lerne|trinke|"
        rf"backe) {OFT}(?P<things>{NOUNS}){ASIDE}",
        done_often,
    ),
    pattern(
        FACT,
        rf"ich (?P<verb>fahre) {OFT}(?P<thing>{NUMBER} (?!{DISTANCES}){NOUN}(?: {NOUN})?){ASIDE}",
        driven,
    ),
    pattern(FACT, rf"ich (?P<verb>besitze) {OFT}(?P<things>{NUMBER} {NOUN}){ASIDE}", done_often),
]
HAS = [
    pattern(
        FACT,
        rf"{HAVE}(?P<value>{NUMBER} (?:[\w-]+ )?(?P<thing>{OWNED})"
        rf"(?:(?:,| called| named| namens) {CAPITAL}.{{1,60}})?)",
        had,
    ),
    pattern(
        FACT,
        rf"{HAVE}(?P<things>{NUMBER} {OWNED}(?:(?:,| and| und) {NUMBER} {OWNED})+)",
        had_all,
    ),
]
LIKES = [
    pattern(
        PREFERENCE,
        rf"{I_AM}{OFTEN}(?:into|interested in|passionate about|fond of|keen on|"
        rf"an? (?:\w+ )?fan of) (?!{NO_HABITS}|the (?-i:[a-z])|"
        r"\w+ing (?:an?|the|my|more|how|about)\b)"
        r"(?P<things>.{2,60})",
        each("likes"),
    ),
    pattern(PREFERENCE, rf"ich interessiere mich {OFT}für (?P<things>.{{2,60}})", each("likes")),
    pattern(PREFERENCE, r"ich bin (?:ein )?(?:\w+ )?fan vo[nm] (?P<things>.{2,60})", each("likes")),
    pattern(
        PREFERENCE,
        rf"ich (?:höre|lese|schaue|sehe|spiele|mache) {OFT}gerne? (?P<things>{NOUNS})",
        each("likes"),
    ),
    pattern(PREFERENCE, rf"ich gehe {OFT}gerne? (?P<things>\w{{3,}}n)", each("likes")),
    pattern(
        PREFERENCE,
        r"ich (?!wüsste|möchte|gehe|habe)(?P<verb>\w{2,}e) (?:sehr )?gerne?",
        done_gladly,
    ),
    pattern(
        PREFERENCE,
        r"(?:my (?:\w+ )?hobb(?:y is|ies are)|meine? hobbys? (?:ist|sind)) (?P<things>.{2,80})",
        each("hobby"),
    ),
]
WORKS_ON = [
    pattern(
        PROJECT,
        rf"{I_AM}{OFTEN}(?:planning|preparing|writing|building|restoring|renovating|working on) "
        rf"(?P<thing>(?:an?|my) (?:[\w-]+ )?(?P<kind>{PROJECT_KINDS})\b.{{0,60}})",
        worked_on,
    ),
    pattern(
        PROJECT,
        rf"ich (?:plane|schreibe|baue|restauriere|renoviere) {OFT}(?:gerade )?"
        rf"(?P<thing>(?:eine?n?|meine?n?) (?:[\w-]+ )?(?P<kind>{PROJECT_KINDS})\b.{{0,60}})",
        worked_on,
    ),
]

HABITS = [*DOES, *HAS, *LIKES, *WORKS_ON, *WHO]
