"""The talker's work without a language model: to look up, to quote, and to say what it is."""

import re
from collections.abc import Iterable, Sequence

from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters

from memoryapp.agents.offline.language import ASKS, is_german, sentences, stems
from memoryapp.agents.offline.matching import about_whom, facts_for
from memoryapp.agents.offline.reading import Question, question
from memoryapp.agents.offline.small_talk import small_talk
from memoryapp.agents.offline.wording import ENGLISH, GERMAN, Wording, is_own
from memoryapp.agents.portions import shortened

MOST_THINGS = 6
EXCERPT_BYTES = 400
# Much is said with one word in common; what a document says was put there to be found.
WORDS_OF_TURN = 2
SEARCHES = RESOURCES, ARCHIVE = "search_resources", "search_archive"

ABOUT_ME = re.compile(
    r"\b(?:(?:know|remember|learned|learnt) about me|who am i|about myself|"
    r"weißt du (?:alles |noch |so )?(?:über|von) mich|weißt du von mir|wer bin ich|über mich)\b",
    re.IGNORECASE,
)
WANTS = re.compile(
    r"(?:and |und )?(?:please |bitte )?(?:tell|show|list|give|find|search|look|explain|describe|"
    r"help|write|draft|make|plan|create|translate|summari[sz]e|compare|sage?|zeige?|"
    r"nenne?(?! mich)|gib|suche?(?! an?\b)|finde|erkläre?|beschreibe?|hilf|schreibe?|mache?|plane|"
    r"erstelle?|übersetze?|fasse?|vergleiche?)\b",
    re.IGNORECASE,
)
# What takes more than looking things up.
CREATES = re.compile(
    r"\b(?:explain|help|write|draft|plan|create|translate|summari[sz]e|compare|why|erklär\w*|hilf|"
    r"schreib\w*|plane\w*|erstell\w*|übersetz\w*|fasse?|vergleich\w*|warum)\b",
    re.IGNORECASE,
)
DOCUMENTS = re.compile(
    r"\b(?:document|file|pdf|resource|handbook|manual|notes?|contract|report|page|dokument|datei|"
    r"unterlage|handbuch|anleitung|vertrag|bericht|seite|notiz)(?:s|e|en|n)?\b",
    re.IGNORECASE,
)
POINTS = re.compile(r"\b(?:bullet|list|point|stichpunkt|aufzähl)", re.IGNORECASE)

# Kinds that are recalled only when they fit, unlike identity and preferences.
ASKED_FOR = ("project", "task", "fact")
MOMENT = re.compile(r"^(\d{4}-\d\d-\d\d)T[^\s,]+")


def reply(
    messages: list[ModelMessage], parameters: ModelRequestParameters
) -> TextPart | ToolCallPart:
    """A search if one is needed, else the whole reply, or what it still lacks."""
    asked = question(messages, parameters)
    say = GERMAN if _is_german(asked) else ENGLISH
    polite = small_talk(asked.body, say)
    wanted = [] if polite else _wanted(asked.body)
    if (tool := _next_search(asked, wanted)) is not None:
        return ToolCallPart(tool, {"query": " ".join(wanted)})
    introduction = [say.introduction] if asked.is_first else []
    answer = [polite] if polite else _answer(asked, wanted, say)
    text = "\n\n".join(dict.fromkeys([*introduction, *answer]))
    return TextPart(text.removeprefix(asked.begun))


def _answer(asked: Question, wanted: Sequence[str], say: Wording) -> list[str]:
    """The paragraphs of a reply."""
    if ABOUT_ME.search(asked.body):
        texts = [fact.text for fact in asked.facts]
        nothing = say.nothing_yet if asked.memory_on else say.off
        return [_shown(say.everything, texts, asked)] if texts else [nothing]
    if not wanted:
        return [say.statement if asked.memory_on else say.off]
    facts = facts_for(asked.facts, wanted)
    found = {
        say.memory: facts,
        say.resources: _found(asked, RESOURCES, wanted),
        # A fact is current, while what was said once may since have changed.
        say.archive: [] if facts else _turns(asked, wanted) or _found(asked, ARCHIVE, wanted),
    }
    if not any(found.values()):
        others = [fact for fact in asked.facts if not fact.is_due]
        closest = [fact for each in wanted for fact in about_whom(others, each)]
        near = dict.fromkeys(fact.text for fact in closest if fact.kind in ASKED_FOR)
        found = {say.closest: list(near)}
    shown = {**found, say.due: _due(asked, facts)}
    more = [say.creates] if any(CREATES.search(sentence) for sentence in wanted) else []
    return [
        *([] if more or any(found.values()) else [say.nothing if asked.memory_on else say.off]),
        *(_shown(title, texts[:MOST_THINGS], asked) for title, texts in shown.items() if texts),
        *more,
    ]


def _due(asked: Question, shown: Sequence[str]) -> list[str]:
    """What is due and isn't shown already; said once in a chat is enough."""
    due = [fact.text for fact in asked.facts if fact.is_due]
    return [text for text in due if text not in shown and text not in asked.replied]


def _wanted(body: str) -> list[str]:
    """The sentences that ask or want something."""
    return [
        sentence
        for sentence in sentences(body)
        if sentence.endswith("?") or ASKS.match(sentence) or WANTS.match(sentence)
    ]


def _next_search(asked: Question, wanted: Sequence[str]) -> str | None:
    """The search to make before answering: documents, and if they say nothing, the archive."""
    if not wanted or ABOUT_ME.search(asked.body):
        return None
    is_known = bool(facts_for(asked.facts, wanted) or _turns(asked, wanted))
    if is_known and not any(DOCUMENTS.search(sentence) for sentence in wanted):
        return None
    for tool in SEARCHES[:1] if is_known else SEARCHES:
        if tool in asked.tools and tool not in asked.found:
            return tool
        if _found(asked, tool, wanted):
            return None
    return None


def _turns(asked: Question, wanted: Sequence[str]) -> list[str]:
    return _quotes(asked.turns, wanted, least=WORDS_OF_TURN)


def _found(asked: Question, tool: str, wanted: Sequence[str]) -> list[str]:
    """What a search found. Of an old message only the day is of interest, not the second."""
    found = [text.partition(": ") for text in asked.found.get(tool, ())]
    texts = [(MOMENT.sub(r"\1", source), text) for source, _, text in found]
    return _quotes(texts, wanted, least=1 if tool == RESOURCES else WORDS_OF_TURN)


def _quotes(texts: Iterable[tuple[str, str]], wanted: Sequence[str], *, least: int) -> list[str]:
    """Of each text, given with its source, the sentence that shares most words, if enough; of
    several that which says most besides, for a heading says nothing.

    Questions answer nothing, and neither does what the responder itself said.
    """
    words = stems(" ".join(wanted))
    quotes = []
    for source, text in texts:
        said = [each for each in sentences(text) if not each.endswith("?")]
        best = max(said, key=lambda each: (len(words & stems(each)), len(stems(each))), default="")
        if len(words & stems(best)) >= min(least, len(words)) > 0 and not is_own(text):
            quotes.append(f"“{shortened(best, EXCERPT_BYTES)}” ({source})")
    return quotes


def _is_german(asked: Question) -> bool:
    if re.search(r"\b(?:german|deutsch)\b", asked.persona, re.IGNORECASE):
        return True
    if re.search(r"\b(?:english|englisch)\b", asked.persona, re.IGNORECASE):
        return False
    return is_german(asked.body)


def _shown(heading: str, texts: Sequence[str], asked: Question) -> str:
    """A heading and what belongs under it: points if there are several or the persona says so."""
    if len(texts) > 1 or POINTS.search(asked.persona):
        return "\n".join([heading, "", *(f"- {text}" for text in texts)])
    return f"{heading} {texts[0]}"
