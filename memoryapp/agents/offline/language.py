"""How English and German text divides: sentences, clauses, and the words that carry meaning."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.text import slugify

from memoryapp.agents.offline.dictionary import in_english
from memoryapp.agents.offline.spelling import AFTER_IM
from memoryapp.agents.offline.vocabulary import EMPTY, ENGLISH, GERMAN, SOMEBODY

# Same length on both sides, so that a place in the plain text is the place in the original.
PLAIN = str.maketrans({"’": "'", "‘": "'", "\u00a0": " ", "\t": " "})
ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})

ABBREVIATED = "".join(
    rf"(?<!\b{word})"
    for word in ("e.g", "i.e", "z.B", "z. B", "Dr", "Mr", "Ms", "Mrs", "St", "ca", "bzw", "etc")
)
# A full stop before a month is a German ordinal: "am 3. Dezember".
MONTH_BEGINS = r"(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])"
# So is one before a small letter: "am 15. an die Miete", "on 24.12. to call".
ORDINAL = "|".join(
    rf"(?<=\b{before}{day}\.)"
    for before in ("am ", "zum ", "den ", r"\d\.", r"\d\d\.")
    for day in (r"\d", r"\d\d")
)
SENTENCE_END = re.compile(
    rf"(?:{ABBREVIATED}\.(?!\s*{MONTH_BEGINS})(?!(?:{ORDINAL})\s(?-i:[a-zäöü]|Geburtstag))|[!?])+"
    r"(?=[\s\"')\]]|$)|[\n;]+",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"(?!\w+n't)(?:(?:and|so|but|now|also|und|aber)\s+)?"
    r"(?:what|which|who|whose|where|when|how|why|can|could|should|would|"
    r"will|is (?:there|it|this|that|the)|are (?:there|you|these|the)|do you|does|did|was|"
    r"welche\w*|wer|wo|wann|wie|warum|"
    r"kannst|kann|könntest|soll|sollte|gibt|hast|weißt)\b",
    re.IGNORECASE,
)

# What a clause of its own begins with, after a comma or an "and".
THING_OF_OURS = (
    r"(?:my|our|meine?|unsere?)\s[\w' -]{1,60}?\s(?:is|are|runs?|lives?|works?|has|likes?|loves?|"
    r"hates?|prefers?|drives|plays|speaks|fährt|spielt|spricht|ist|sind|heißt|heißen|läuft|"
    r"laufen|wohnt|arbeitet|hat|mag|liebt|hasst)\b"
)
OPENS = (
    rf"(?:(?:(?:now|jetzt|nun)\s)?(?:i|i'm|i've|we|we're|ich|wir)\s|"
    rf"(?:jetzt|nun)\s\w+\s(?:ich|wir)\s|im\s{AFTER_IM}|(?:he|she|they|er)(?:'s)?\s|{THING_OF_OURS}|"
    r"(?:remember|remind|please|call me|bitte|merk|erinner\w*|nenn)\s)"
)
# What goes on with the subject of the clause before: "I live in Graz and work at Siemens".
GOES_ON = (
    r"(?:live|lives|work|works|like|likes|love|loves|hate|hates|enjoy|prefer|prefers|use|don't|"
    r"doesn't|do not|am|is allergic|have|moved|wohne|wohnt|lebe|lebt|arbeite|arbeitet|mag|liebe|"
    r"liebt|hasse|hasst|hab|habe|hat|wohn|arbeit|spiel|lese|höre|koche|bevorzuge|bevorzugt|"
    r"nutze|nutzen|verwende|verwenden|bin|heiße|esse|trinke|"
    r"play|plays|speak|speaks|collect|collects|drive|drives|spiele|spielt|spreche|spricht|sammle|"
    r"sammelt|komme|kommt)\s"
)
AND = r"(?:and|but|und|aber|sowie)"
CLAUSE_BORDER = re.compile(
    rf"(?:\s*[,:–—]\s*(?:{AND}\s+)?|\s+-\s+|\s+{AND}\s+)(?=(?:also\s+|auch\s+)?{OPENS})|"
    rf"(?:\s*,\s*{AND}?\s*|\s+{AND}\s+)(?=(?P<goes_on>{GOES_ON}))",
    re.IGNORECASE,
)
SUBJECT = re.compile(rf"(?:I|we|ich|wir|{SOMEBODY})\b", re.IGNORECASE)
LEAD_IN = re.compile(
    r"(?:(?:also|and|but|so|well|oh|actually|btw|by the way|fyi|note that|nowadays|now|sorry|oops|"
    r"correction|hi|hello|hey|hallo|servus|moin|übrigens|außerdem|und|aber|naja|auch|ups|"
    r"korrektur|eigentlich)[\s,!:]+|(?:no|nope|nein|ne)(?:[,!:]\s*|\s(?=(?:i|ich|my|mein\w*)\b)))+",
    re.IGNORECASE,
)
# What may follow a clause and is no part of it; "C++" and "20 %" end as they do.
TRAILING = re.compile(r"(?:\s+[:;]-?[()DP]|[^\w+#%)\]\"'€$])+$")
SENTENCE_MAX_CHARS = 1000
LIST_ITEM = re.compile(r"\s*(?:[-*•>|]|\d+[.)]\s|\s{4})")


@dataclass(frozen=True)
class Clause:
    """One statement of a message."""

    quote: str  # letter for letter
    text: str  # the same to be matched: plain apostrophes, the subject carried over
    before: str  # what stands before it in its sentence
    is_asked: bool


def clauses(body: str) -> Iterator[Clause]:
    """The clauses of what a person wrote themselves, in order.

    Code, lists, tables, quoted lines and endless sentences are left out: what is pasted says
    nothing about them.
    """
    plain = _own_words(body.translate(PLAIN))
    for start, end in _sentences(plain):
        if end - start <= SENTENCE_MAX_CHARS:
            asks = start + _asked_from(plain[start:end])
            yield from _clauses_of(body, plain[start:asks], start, is_asked=False)
            yield from _clauses_of(body, plain[asks:end], asks, is_asked=True)


def sentences(text: str) -> list[str]:
    return [found for start, end in _sentences(text) if (found := text[start:end].strip())]


def _own_words(plain: str) -> str:
    """`plain` with what is not running text blanked out; no character changes its place."""
    lines, is_code = [], False
    for line in plain.splitlines(keepends=True):
        is_fence = line.lstrip().startswith("```")
        is_code ^= is_fence
        left_out = is_code or is_fence or LIST_ITEM.match(line)
        lines.append(re.sub(r"[^\n]", " ", line) if left_out else line)
    return "".join(lines)


def _sentences(plain: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in SENTENCE_END.finditer(plain):
        yield start, match.end()
        start = match.end()
    yield start, len(plain)


def _clauses_of(body: str, sentence: str, start: int, *, is_asked: bool) -> Iterator[Clause]:
    """The clauses of a sentence that begins at `start` of `body`."""
    begin, subject, goes_on = 0, "", False
    for border in [*CLAUSE_BORDER.finditer(sentence), None]:
        first, last = _trimmed(sentence, begin, border.start() if border else len(sentence))
        text = sentence[first:last]
        if not goes_on:
            subject = match.group() if (match := SUBJECT.match(text)) else ""
        if border and border["goes_on"] and not subject:
            continue
        yield Clause(
            quote=body[start + first : start + last],
            text=f"{subject} {text}" if goes_on else text,
            before=sentence[:first],
            is_asked=is_asked,
        )
        if border:
            begin, goes_on = border.end(), bool(border["goes_on"])


def _asked_from(sentence: str) -> int:
    """Where the sentence begins to ask: "I live in Graz," is said, "what's on tonight?" asked."""
    if not sentence.rstrip().endswith("?"):
        return len(sentence)
    turn = re.search(rf",\s*(?={ASKS.pattern})", sentence, re.IGNORECASE)
    return turn.start() if turn else 0


def _trimmed(sentence: str, begin: int, stop: int) -> tuple[int, int]:
    """The clause without spaces, punctuation, smileys and "by the way" around it."""
    begin += len(sentence[begin:stop]) - len(sentence[begin:stop].lstrip(" \n,.:"))
    if lead_in := LEAD_IN.match(sentence, begin, stop):
        begin = lead_in.end()
    return begin, max(begin, begin + len(TRAILING.sub("", sentence[begin:stop])))


def is_german(text: str) -> bool:
    """Whether German words outnumber the English ones; what has neither counts as English."""
    words = re.findall(r"\w+", text.lower())
    return sum(word in GERMAN for word in words) > sum(word in ENGLISH for word in words)


def stems(text: str) -> set[str]:
    """The words that carry meaning, cut so that "deployment" and "deployments" are one.

    What the dictionary knows is one in both languages.
    """
    words = re.findall(r"\w\w+", in_english(text))
    return {stem(word) for word in words if word not in EMPTY}


def stem(word: str) -> str:
    return re.sub(r"(?:e[ns]?|s|n)$", "", word)[:5] or word


def slug(text: str, num_words: int = 4) -> str:
    """A key in snake_case from the first words of `text` that carry meaning."""
    text = in_english(text).replace("++", "pp").replace("#", "sharp")
    words = re.findall(r"\w+", text)
    words = [word for word in words if word not in EMPTY] or words
    ascii_text = " ".join(words[:num_words]).translate(ASCII)
    return slugify(ascii_text, allow_unicode=True).replace("-", "_")
