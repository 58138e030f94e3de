"""Which of the recalled facts answer a sentence, and whom they have to be about for that."""

import re
from collections.abc import Iterable, Sequence

from memoryapp.agents.offline.dictionary import in_english
from memoryapp.agents.offline.language import stem, stems
from memoryapp.agents.offline.reading import Fact
from memoryapp.agents.offline.vocabulary import EMPTY, RELATION, SAME_RELATION, SOMEBODY
from memoryapp.memory.recall.duties import asks

PETS = "dog cat horse rabbit hamster hund katze kater pferd kaninchen keeps"
# Words of a question about oneself beside the keys that may answer it.
SYNONYMS = {
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE): keys
    for words, keys in {
        r"live|(?<!for a )living|home": "city", "wohne|lebe|zuhause": "city wohnort",
        "lives|wohnt|lebt": "city wohnort", "called|hei(?:ß|ss)[et]": "name",
        "works?|job|for a living|arbeitet?": "employer occupation",
        r"(?:what|was) (?:do i do|mache ich)(?=\W*$)|beruf(?:lich)?": "occupation employer",
        "old|alt": "age", "eats?|essen|esse|isst": "allergy avoids diet likes", "mag": "likes",
        "hasse|hasst|hates?": "dislikes", "born": "birthplace birthday", "geburtstag": "birthday",
        r"where\b.*\bfrom|woher": "origin birthplace", "pets?|animals?|haustiere?|tiere?": PETS,
        "kids|children|kinder|family|familie": "kids child son daughter kinder kind sohn tochter",
        "languages?|sprachen?": "speaks", "instruments?|instrumente?": "plays",
        "hobb(?:y|ies)|hobbys": "hobby plays collects likes", "cars?|autos?|drive|fahre": "drives",
        "drink|trinke": "drinks avoids coffee tea", "study|studiere": "studies",
        "married|verheiratet": "relationship",
        r"(?:have|need|got|is there) to do|to-?do|(?:zu|muss ich\b.*) (?:tun|machen|erledigen)":
        "task",
    }.items()
}  # fmt: skip
# Keys of which there are many: one of them says nothing about another.
MANIFOLD = stems("likes dislikes avoids allergy speaks plays collects drinks keeps studies")
# "Wie heißt meine Katze?" doesn't ask for the person's own name.
CALLED = re.compile(
    r"\bhei(?:ß|ss)(?:t|en) (?:mein|unser)\w* \w"
    r"|\b(?:is|are) (?:my|our) .+ (?:called|named)\b|\b(?:my|our) \w+(?:'s|s') name\b",
    re.IGNORECASE,
)
KINDS = {
    "preference": "preference preferences vorlieben präferenzen",
    "task": "task reminder remind todo due aufgabe erinnerung",
    "project": "project projekt",
}

ONESELF = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|ich|mir|mich|wir|uns|mein\w*|unser\w*)\b", re.IGNORECASE
)
NAMED = re.compile(
    r"\b(?:does|did|is|was|has|wohnt|lebt|arbeitet|heißt|mag|isst|hat|ist) "
    r"(?!(?:My|Our|The|A|An|I|It|There|Mein\w*|Unser\w*|Der|Die|Das|Es)\b)"
    r"(?P<name>(?-i:[A-ZÀ-Þ])\w+)",
    re.IGNORECASE,
)
THEY = re.compile(r"\b(?:he|she|they|his|her|their|er|(?-i:sie)|seine?|ihre?)\b", re.IGNORECASE)
OF_SOMEBODY = re.compile(rf"{SOMEBODY}:", re.IGNORECASE)
# "Do I like hiking?" asks about hiking: another thing that is liked is no answer.
WHETHER = re.compile(
    r"(?:do|did|am|was|have|are) (?:i|we)\b|(?!(?:was|wo|wie|wann) )\w+ (?:ich|wir)\b",
    re.IGNORECASE,
)


def facts_for(facts: Sequence[Fact], wanted: Sequence[str]) -> list[str]:
    """The texts of the facts that speak of a sentence most, for each sentence.

    A question about somebody else is never answered with what is known about oneself.
    """
    found: list[str] = []
    for sentence in wanted:
        if asks(sentence):
            found += [fact.text for fact in facts if fact.kind == "task"]
            continue
        least, words = _needed(sentence)
        scores = {
            fact.text: len(words & told)
            for fact in about_whom(facts, sentence)
            if least & (told := _stems_of(fact))
        }
        best = max(scores.values(), default=0)
        found += [text for text, score in scores.items() if score == best > 0]
    return list(dict.fromkeys(found))


def _needed(sentence: str) -> tuple[set[str], set[str]]:
    """The words of which a fact must have one, and all that count."""
    keys = stems(" ".join(_synonyms(sentence)))
    words = stems(sentence) | keys
    if CALLED.search(sentence):
        return words - stems("name called heißt"), words
    if not WHETHER.match(sentence):
        return words, words
    asked = [stem(word) for word in re.findall(r"\w\w+", in_english(sentence)) if word not in EMPTY]
    return set(asked[1:] or asked) | keys - MANIFOLD, words


def _synonyms(sentence: str) -> Iterable[str]:
    if not (ONESELF.search(sentence) or _others(sentence)):
        return ()
    return (keys for words, keys in SYNONYMS.items() if words.search(sentence))


def about_whom(facts: Sequence[Fact], sentence: str) -> list[Fact]:
    """The facts about those that the sentence asks about, if it says who that is."""
    if others := _others(sentence):
        return [fact for fact in facts if others & _names(fact.text)]
    if THEY.search(sentence):
        return []
    if ONESELF.search(sentence):
        return [fact for fact in facts if not OF_SOMEBODY.match(fact.text)]
    return list(facts)


def _others(sentence: str) -> set[str]:
    """The people, or whatever else has a name, that a sentence asks about."""
    named = {match["name"].lower() for match in NAMED.finditer(sentence)}
    related = [match.group() for match in re.finditer(SOMEBODY, sentence, re.IGNORECASE)]
    return {stem(name) for name in named} | {name for text in related for name in _relations(text)}


def _names(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"\w+", text.lower())} | _relations(text)


def _relations(text: str) -> set[str]:
    """The relations that a text names, in English."""
    found = re.findall(rf"\b{RELATION}\b", text.lower())
    return {SAME_RELATION.get(relation, relation) for relation in found}


def _stems_of(fact: Fact) -> set[str]:
    return stems(f"{fact.text} {KINDS.get(fact.kind, '')}")
