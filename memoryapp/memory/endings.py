"""Whether words say that what is known has ended, is done, or never was."""

import re

from memoryapp.memory import languages
from memoryapp.memory.moods import DENIED, IMAGINED, NO_DENIAL
from memoryapp.memory.operations import Operation
from memoryapp.memory.support import sentence_to
from memoryapp.memory.whose import RELATED, whom_of
from memoryapp.memory.wording import LIGHT_WORDS, listed, said, stems
from memoryapp.models import Fact, Prompt

# What says by itself that something is over.
OVER = re.compile(
    r"\b(?:no longer|any ?more|any longer|stop(?:ped)?|quit|left|leave|former(?:ly)?|gone"
    r"|past|over|history"
    r"|moved? (?:away|out|from)|used to|ex|sold|stolen|cancel\w*|finish\w*|done|gave|given|dropped"
    r"|instead|forget|scratch that|tak(?:e|ing) (?:it |that |this )?back|disregard|ignore what"
    r"|wrong|untrue|not true|broke|broken up|split up|died|dead|passed away|lost|rid|ended|expired"
    r"|resigned|retired|fired|laid off|let go|my notice|divorced|separated|recovered|changed"
    r"|put (?:\w+ )?(?:down|to sleep)|ran away|last day (?:at|in|with|of)|unemployed|jobless"
    r"|crashed|wrecked|totall?ed|abandoned|(?:went|gone|i['’]m|i am) off|joke|joking|kidding"
    r"|switched|replaced|deleted|removed|closed|sorted|settled|thrown|threw|ditched|swapped|traded"
    r"|arbeitslos|eingeschläfert|entlaufen|weggelaufen|witz|scherz|letzter tag"
    r"|nicht mehr|kein\w* \w* ?mehr|aufgehört|gekündigt|entlassen|verkauft|verschenkt|verloren"
    r"|gestohlen|geklaut|abgegeben|abgesagt|abgeschafft|abgebrochen|früher|ehemalig\w*|falsch"
    r"|stimmt nicht|doch nicht|vergiss|erledigt|gestorben|verstorben|getrennt|geschieden|beendet"
    rf"|vorbei|\w*gezogen|{languages.OVER})\b"
    r"|不\w{1,4}了|停止|取消|辞|分手|不再|离开|离职|卖|忘了|忘掉|去世|死了|丢了|结束|戒|退了|搬走|没了|完成了"
    r"|\b(?:لم أعد|توقفت|تركت|بعت|انس|مات|توفي|فقدت|انفصلت|استقلت|انتهيت?|ألغيت)\b"
    rf"|{languages.OVER_UNSPACED}",
    re.IGNORECASE,
)
# "I will not leave Berlin", "I never quit".
GOES_ON = re.compile(
    r"(?:\b(?:not|never|nicht|nie)|n['’]t)\W+(?:\w+\W+){0,3}?(?:leav|left|quit|stop|sell|sold|giv"
    r"|mov|end|drop|cancel|aufhör|kündig|verkauf|verlass|aufgeb)\w*\b(?!.*\bany ?more)"
    r"|(?:不会|不想|没有?)(?:离开|停止|卖|辞|搬)|\b(?:لن|لم) (?:أترك|أبع|أتوقف)",
    re.IGNORECASE,
)
# It was so of somebody else, whatever else is said, or if nothing is said to be over.
NOT_OF_ME = re.compile(
    r"\b(?:it|that)(?:['’]s| is| was)\b.*\bwho\b|\b(?:i meant|not me|ich meinte|nicht ich)\b"
    r"|不是我",
    re.IGNORECASE,
)
PUTS_RIGHT = re.compile(
    r"\b(?:actually|in fact|eigentlich|en fait|en realidad"
    r"|na verdade|in realtà|eigenlijk|на самом деле|aslında)\b"
    r"|其实|实际上|في الواقع|本当は|実は|사실",
    re.IGNORECASE,
)
# That a task is done is told like anything that has happened.
HAPPENED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have)? (?:\w+ )?\w*(?:ed|id|ent|ought|ade|ook|ept|ang|rote|one|et)\b"
    r"|\b(?:is|are|was|were|got|been) (?:\w+ )?(?:\w+ed|paid|sent|made|bought|booked)\b"
    r"|^\W*(?:just )?(?:got|did|made|paid|sent|bought|called|booked) (?:the|my|it|them|mum|mom)\b"
    r"|\b(?:habe|hab|haben|ist|sind|wurden?)\b.*\b(?:\w*ge\w+|(?:ver|be|er)\w+t|über\w+en)\b"
    r"|了|\b(?:لقد|تم)\b|ました|\w(?:d[ıiuü]m|t[ıiuü]m)\b",
    re.IGNORECASE,
)
# Words beside those of the row that a denial may have.
BESIDE = LIGHT_WORDS | listed(
    "not no never longer more any anymore since days day weeks week months month years year today"
    " lately actually sadly unfortunately finally at all nicht kein keine keinen keinem nie mehr"
    " heute leider endlich gar eigentlich seit tagen wochen monaten jahren"
)


def says_it_ended(row: Fact | Prompt, operation: Operation, body: str) -> bool:
    """Whether the quote says that `row` holds no more, and says it of the same person.

    A mere denial counts if it denies what the row says, and nothing else.
    """
    sentence = NO_DENIAL.sub(" ", sentence_to(operation.quote, body))
    if IMAGINED.told.search(sentence) or GOES_ON.search(sentence):
        return False
    is_over = OVER.search(sentence) is not None
    if NOT_OF_ME.search(sentence):
        return True
    if is_of_another(row, sentence):
        return not is_over and PUTS_RIGHT.search(sentence) is not None
    if is_over or (getattr(row, "kind", "") == Fact.Kind.TASK and has_happened(sentence)):
        return True
    # What is only denied: "Berlin is not that big" ends no home.
    is_denied = DENIED.told.search(sentence) is not None
    return is_denied and stems(sentence, BESIDE) <= stems(f"{row.text} {row.quote}")


def is_of_another(row: Fact | Prompt, sentence: str) -> bool:
    """Whether a sentence is about somebody whom the row says nothing of."""
    who = whom_of(sentence)
    return bool(who) and not said(who or "", row.text) and not RELATED.search(row.text)


def has_happened(sentence: str) -> bool:
    return HAPPENED.search(sentence) is not None and DENIED.told.search(sentence) is None
