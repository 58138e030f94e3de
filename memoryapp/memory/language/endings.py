"""Whether words say that what is known has ended, is done, or never was."""

import re
from collections.abc import Iterable, Set
from typing import Protocol

from memoryapp.memory.language import languages
from memoryapp.memory.language.moods import DENIED, IMAGINED, NO_DENIAL
from memoryapp.memory.language.support import sentence_to
from memoryapp.memory.language.whose import is_other, is_related, whom_of
from memoryapp.memory.language.wording import (
    LIGHT_WORDS,
    canonical,
    listed,
    pieces,
    stems,
    words,
)
from memoryapp.memory.operations import CLAUSE_ENDS, Operation
from memoryapp.models import Fact

# What says of all that its sentence tells that it is over, or isn't true.
OVER_AT_ALL = re.compile(
    r"\b(?:no longer|any ?more|any longer|former(?:ly)?|ex|instead|scratch that|disregard"
    r"|ignore what|tak(?:e|ing) (?:it |that |this )?back|(?:^\W*|please |just )forget"
    r"|(?:that|it|this)(?:['’]?s| is| was)? (?:all )?(?:wrong|false)|untrue|not true|jok(?:e|ing)"
    r"|kidding|(?:i|we) used to|nicht mehr|nimmer|kein\w* \w* ?mehr|ehemalig\w*|falsch"
    r"|stimmt nicht|doch nicht|vergiss|witz|scherz|früher|"
    rf"{languages.OVER})\b"
    r"|不\w{1,4}了|停止|取消|辞|分手|不再|离开|离职|卖|忘了|忘掉|去世|死了|丢了|结束|戒|退了|搬走|没了|完成了"
    r"|\b(?:لم أعد|توقفت|تركت|بعت|انس|مات|توفي|فقدت|انفصلت|استقلت|انتهيت?|ألغيت)\b"
    rf"|{languages.OVER_UNSPACED}",
    re.IGNORECASE,
)
# What says it of what it is tied to: "sold my Golf", not "sold my bike in Berlin".
OVER = re.compile(
    r"\b(?:(?:went|gone|i m|i am) (?:off|over)|stop(?:ped)?|quit|left(?! the house)|leave|gone"
    r"|over|history|moved? (?:away|out|from)|sold|stolen|nicked|robbed|cancel\w*|finish\w*|done"
    r"|dropped|broke|split up|died|dead|passed away|lost(?! (?:at|to|against)\b)|rid|ended|expired"
    r"|decided against|resigned|retired|fired|laid off|made redundant|broken up"
    r"|let (?:me |us )?go|between jobs|notice|divorced|separated|recovered|healed|cured|changed"
    r"|put (?:\w+ )?(?:down|to sleep)|ran away|last day|unemployed|jobless|crashed|wrecked"
    r"|totall?ed|abandoned|switched|replaced|deleted|removed"
    r"|closed|sorted|settled|thrown|threw|ditched|swapped|traded"
    r"|g[ai]ven? (?:\w+ ){0,3}?(?:up|away|back)"
    r"|arbeitslos|eingeschläfert|entlaufen|weggelaufen|letzter tag|aufgehört|gekündigt|kündigung"
    r"|entlassen|verkauft|verschenkt|verloren|gestohlen|geklaut|abgegeben|abgesagt|abgeschafft"
    r"|abgebrochen|erledigt|gestorben|verstorben|getrennt|geschieden|beendet|vorbei|\w*gezogen"
    r"|verlassen|hinter mir|schluss|entschieden)\b"
)
# "I will not leave Berlin", "I never quit".
GOES_ON = re.compile(
    r"(?:\b(?:not|never|nicht|nie)|n['’]t)\W+(?:\w+\W+){0,3}?(?:leav|left|quit|stop|sell|sold|giv"
    r"|mov|end|drop|cancel|aufhör|kündig|verkauf|verlass|aufgeb)\w*\b(?!.*\bany ?more)"
    r"|\bstill (?:liv|work|hav|lov|lik|play|own|go|in\b|at\b|with\b)\w*"
    r"|\b(?:we|i)(?:['’]re|['’]m)? stay\w*"
    r"|\b(?:he|she|it|they)(?:['’]s|['’]re| is| are| came) back\b|\bbleib\w*|\bimmer noch\b"
    r"|(?:不会|不想|没有?)(?:离开|停止|卖|辞|搬)|\b(?:لن|لم) (?:أترك|أبع|أتوقف)",
    re.IGNORECASE,
)
# What ends that needn't be named: "I got laid off" is about the employer.
OF_ITSELF = {
    re.compile(
        r"\b(?:laid off|(?:got|was|were|been) fired|let me go|made redundant|unemployed|jobless"
        r"|between jobs|resigned|retired|my notice|(?:quit|lost) my job|arbeitslos"
        r"|(?:mir|wurde|job|stelle) gekündigt|meine kündigung|(?:wurde|bin) (?:\w+ )?entlassen)\b",
        re.IGNORECASE,
    ): ("employer", "job"),
    re.compile(
        r"\b(?:broke up|broken up|we split up|(?:got|getting|are|['’]m|am) divorced"
        r"|(?:uns|mich) (?:\w+ ){0,3}(?:getrennt|scheiden)|schluss gemacht)\b",
        re.IGNORECASE,
    ): ("partner", "girlfriend", "boyfriend"),
}
# It was so of somebody else, whatever else is said, or if nothing is said to be over.
NOT_OF_ME = re.compile(
    r"\b(?:it|that)(?:['’]s| is| was)\b.{0,120}\bwho\b|\b(?:i meant|not me|ich meinte|nicht ich)\b"
    r"|不是我",
    re.IGNORECASE,
)
PUTS_RIGHT = re.compile(
    r"\b(?:actually|in fact|eigentlich|en fait|en realidad"
    r"|na verdade|in realtà|eigenlijk|на самом деле|aslında)\b"
    r"|其实|实际上|في الواقع|本当は|実は|사실",
    re.IGNORECASE,
)
# That a task is done is told like anything that has happened, or by saying no more than that.
HAPPENED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have)? (?:\w+ )?\w*(?:ed|id|ent|ought|ade|ook|ept|ang|rote|one|et)\b"
    r"|(?:\b(?:is|are|was|were|got|been)|['’]s) (?:\w+ )?(?:\w+ed|paid|sent|made|bought|booked)\b"
    r"|^\W*(?:just )?(?:got|did|made|paid|sent|bought|called|booked) (?:the|my|it|them|mum|mom)\b"
    r"|(?:^|,)\W{0,3}(?:\w+ ){1,3}(?<!be )(?:\w+ed|done|paid|sent|made|bought)\W*$"
    r"|\b(?:habe|hab|haben|ist|sind|wurden?)\b.{0,120}\b(?:\w*ge\w+|(?:ver|be|er)\w+t|über\w+en)\b"
    r"|了|\b(?:لقد|تم)\b|ました|\w(?:d[ıiuü]m|t[ıiuü]m)\b",
    re.IGNORECASE,
)
# Words beside those of the row that a denial may have.
BESIDE = LIGHT_WORDS | listed(
    "not no never longer more any anymore since days day weeks week months month years year today"
    " lately actually sadly unfortunately finally at all after nicht kein keine keinen keinem nie"
    " mehr heute leider endlich gar eigentlich seit tagen wochen monaten jahren"
)
# And those that may stand between an ending and what ends.
BETWEEN = BESIDE | listed(
    "got off job jobs position post place course class classes club subscription membership"
    " contract account mind thing getting last ago yesterday recently officially totally completely"
    " another new old both all because sich hab vertrag stelle letzte letzten woche monat jahr"
    " gestern zum glück komplett"
)
CLAUSES = re.compile(f"[{CLAUSE_ENDS}]")
NEW_OBJECT = listed("a an the his her their ein eine einen")


class Known(Protocol):
    """What is known, as far as its end is told from words: a row, or an extractor's view of one."""

    @property
    def key(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def quote(self) -> str: ...


def says_it_ended(row: Known, operation: Operation, body: str) -> bool:
    """Whether the quote says that `row` holds no more, and says it of the same person.

    A mere denial counts if it denies what the row says, and nothing else.
    """
    sentence = NO_DENIAL.sub(" ", sentence_to(operation.quote, body))
    if IMAGINED.told.search(sentence) or goes_on(row, sentence):
        return False
    is_over = OVER_AT_ALL.search(sentence) is not None or is_tied(row, sentence)
    if NOT_OF_ME.search(sentence):
        return True
    if is_of_another(row, sentence):
        return not is_over and PUTS_RIGHT.search(sentence) is not None
    if is_over or (getattr(row, "kind", "") == Fact.Kind.TASK and has_happened(sentence)):
        return True
    # What is only denied: "Berlin is not that big" ends no home.
    clause = CLAUSES.split(sentence.rstrip(CLAUSE_ENDS))[-1]
    is_denied = DENIED.told.search(clause) is not None
    return is_denied and stems(clause, BESIDE) <= stems(f"{row.text} {row.quote}")


def goes_on(row: Known, sentence: str) -> bool:
    """Whether it is said to go on: its end is denied, and not the row ("I'm not moving")."""
    found = GOES_ON.search(sentence)
    return found is not None and not stems(words(found.group())[-1]) <= stems(row.text)


def is_tied(row: Known, sentence: str) -> bool:
    """Whether something is said to be over that is the row, or may be if the row isn't named."""
    known = stems(f"{row.text} {row.quote}", LIGHT_WORDS)
    text = " ".join(words(sentence))
    is_named = not known.isdisjoint(stems(text))
    for over in OVER.finditer(text):
        before, after = text[: over.start()].split(), text[over.end() :].split()
        is_last = not after or (after[0] in BETWEEN and after[0] not in NEW_OBJECT)
        is_within = not known.isdisjoint(stems(over.group()))  # "put Rex down"
        if not is_named or is_within or reaches(after, known):
            return True
        if is_last and reaches(reversed(before), known):
            return True
    return False


def reaches(others: Iterable[str], known: Set[str]) -> bool:
    """Whether the first of these words that says something is of what is known."""
    for word in others:
        if not known.isdisjoint(pieces(word)):
            return True
        if word not in BETWEEN and not word.endswith("ing"):
            return False
    return False


def ends_of_itself(row: Known, quote: str) -> bool:
    """Whether what is said ends rows like this one without naming them."""
    return any(
        canonical(row.key) in keys and ending.search(quote) for ending, keys in OF_ITSELF.items()
    )


def is_of_another(row: Known, sentence: str) -> bool:
    """Whether a sentence is about somebody whom the row says nothing of."""
    who, _ = whom_of(sentence)
    return is_other(who, row.text) and not is_related(who or "", row.text)


def has_happened(sentence: str) -> bool:
    return HAPPENED.search(sentence) is not None and DENIED.told.search(sentence) is None
