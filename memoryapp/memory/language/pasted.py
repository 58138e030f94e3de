"""Which parts of a message are somebody else's text, told by how they are set.

What looks like it is asked about before it takes effect, so a doubt costs a decision, no memory.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from memoryapp.memory.language.phrases import is_instruction
from memoryapp.memory.language.support import OWNING, REQUEST, REQUEST_ELSEWHERE
from memoryapp.memory.language.wording import pieces, words
from memoryapp.memory.operations import QUESTION_ENDS, SENTENCE_ENDS

# Nobody types this much at once; what people write themselves stands before or after it.
PASTED_CHARS = 1500
# So many words between quotation marks are no title or name any more, and with a sentence that
# ends among them, or somebody who speaks of themselves, fewer.
WORDS_OF_SPEECH, WORDS_OF_SENTENCES = 6, 3

QUOTED = re.compile(
    r"„[^„“”\"]+[“”\"]|“[^“”]+”|«[^«»]+»|»[^«»]+«|‹[^‹›]+›|›[^‹›]+‹|「[^「」]+」|『[^『』]+』"
    r"|(?<!\w)[\"”][^\"”]+[\"”](?!\w)"
    r"|(?<!\w)['‘](?=\w)(?:[^'‘’]|(?<=\w)['’](?=\w))+['’](?!\w)"
)
SENTENCE_WITHIN = re.compile(rf"[{SENTENCE_ENDS}]\s*\w")
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
LAST_SENTENCE = re.compile(rf"[^{SENTENCE_ENDS}]*[{SENTENCE_ENDS}\W]*$")
COLONS = (":", "：")

# How a letter begins, whoever it is to.
LETTER = re.compile(
    r"\W*(?:(?:dear|to whom it may concern|sehr geehrte[nrs]?|chère?s?|estimad[oa]s?|querid[oa]s?"
    r"|prezad[oa]s?|gentile|egregio|geachte|beste|sayın|уважаем\w+)\b[^\n,!:.]{0,60}[,!:\n]"
    r"|(?:(?:from|to|cc|subject|date|sent|von|an|betreff|datum|gesendet):[^\n]*(?:\n|$)){2}"
    r"|尊敬的|拝啓|عزيزي|السيد المحترم)",
    re.IGNORECASE,
)
# And one that begins as one greets: at the beginning of a message that may be the assistant.
GREETING = re.compile(
    r"\W*(?:(?:hi|hello|hey|hallo|guten (?:tag|morgen|abend)|liebe[rs]?|moin|servus|bonjour|salut"
    r"|hola|ciao|olá|hej|привет)[ \t]+(?!there\b|again\b|i\b|ich\b|gr(?:ü|ue)(?:ß|ss)e)"
    r"\w+(?:[ \t]\w+){0,2}[ \t]*(?:[,!:\n]|$)"
    r"|(?:亲爱的|你好)\w{1,10}[,，:：!！\n]|مرحبا \w+[،,:\n])",
    re.IGNORECASE,
)
# What is handed over to be worked on: "Translate to German: I live in Graz".
HANDED_OVER = re.compile(
    r"(?:^|[.!?\n])[ \t*-]{0,4}(?:please |can you |could you |bitte |kannst du )?(?:translate"
    r"|rewrite|rephrase|paraphrase|proofread|correct|fix|improve|shorten|summari[sz]e|übersetze?|korrigiere?"
    r"|verbessere|formuliere?|fasse?)\b[^:\n]{0,80}:"
    r"|(?:^|[.!?\n])[^:.!?\n]{0,80}\b(?:übersetzen|korrigieren|verbessern|umformulieren"
    r"|zusammenfassen)\b[^:.!?\n]{0,20}:",
    re.IGNORECASE,
)
CODE = re.compile(
    r"^\s*(?:const|var|function|public|private|import|#include)\b.*[={(;<]|\blet \w+ =|\bdef \w+\("
    r"|[{}]\s*$|\);\s*$|=>|\bSELECT .+ FROM\b|\bINSERT INTO\b"
)
# Words that point to a text that follows.
POINTING = re.compile(
    r"\b(?:this|these|that|following|below|text|e-?mail|mail|letter|message|article|review|post"
    r"|das|dies\w*|folgend\w*|unten|brief|nachricht|artikel|beitrag|ceci|suivant\w*|esto|siguiente"
    r"|questo|seguente|это|следующ\w+)\b|这|此|以下|下面|これ|次の|هذا|هذه|التالي",
    re.IGNORECASE,
)
# Words with which one leads up to what one says oneself.
OF_ONESELF = re.compile(
    r"\b(?:about (?:me|us|myself)|remember|memori[sz]e|note that|über (?:mich|uns)|merk\w*)\b"
    r"|记住|关于我|تذكر|عني",
    re.IGNORECASE,
)


def is_pasted(body: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` in a message is somebody else's text.

    Quoted lines (">") and code are; in a very long message everything but its first and its last
    paragraph; what is said between quotation marks; what is handed over to be worked on; a letter,
    and what follows a blank line after an introduction, to the end.
    """
    line = body[body.rfind("\n", 0, start) + 1 :].partition("\n")[0][:PASTED_CHARS]
    if line.lstrip().startswith(">") or CODE.search(line) or body.count("```", 0, start) % 2:
        return True
    inner = "\n" in body[:start].strip() and "\n" in body[start:].strip()
    if len(body) > PASTED_CHARS and inner:
        return True
    return any(first < end and start < last for first, last in others_text(body, start))


def others_text(body: str, start: int) -> Iterator[tuple[int, int]]:
    """Where others' text begins and ends, for what begins at `start`: in a sentence of one's own,
    words between quotation marks are part of it."""
    yield letter_start(body), len(body)
    if handed_over := HANDED_OVER.search(body):
        end = BLANK_LINE.search(body, handed_over.end())
        yield handed_over.end(), end.start() if end else len(body)
    for first, last in speeches(body):
        is_introduced = body[:first].rstrip().endswith(COLONS)
        if is_introduced or first <= start:
            yield first, last


@lru_cache(maxsize=64)
def letter_start(body: str) -> int:
    """Where a letter or an introduced text begins; the end of the message if there is none."""
    before, start = "", 0
    for border in [*BLANK_LINE.finditer(body), None]:
        paragraph = body[start : border.start() if border else len(body)]
        is_later = before and (GREETING.match(paragraph) or introduces(before))
        if LETTER.match(paragraph) or is_later:
            return start
        before = paragraph.strip() or before
        start = border.end() if border else start
    return len(body)


def introduces(paragraph: str) -> bool:
    """Whether it leads up to a text of somebody else's: with a colon, or by asking about it."""
    last = paragraph[-400:]
    found = LAST_SENTENCE.search(last)
    last = (found.group() if found else last).strip()
    if OF_ONESELF.search(last):
        return False
    if last.endswith(COLONS):
        return True
    is_request = REQUEST.match(last) or REQUEST_ELSEWHERE.search(last)
    is_asked = last.endswith(tuple(QUESTION_ENDS)) or is_request
    return bool(is_asked and POINTING.search(last))


@lru_cache(maxsize=64)
def speeches(body: str) -> tuple[tuple[int, int], ...]:
    """What others say between quotation marks; names and titles are no speech."""
    return tuple(match.span() for match in QUOTED.finditer(body) if is_speech(match.group()[1:-1]))


def is_speech(quoted: str) -> bool:
    num_words = sum(1 for word in words(quoted) for _ in pieces(word))
    if num_words >= WORDS_OF_SPEECH or is_instruction(quoted):
        return True
    is_sentence = SENTENCE_WITHIN.search(quoted) or OWNING.search(quoted)
    return num_words >= WORDS_OF_SENTENCES and is_sentence is not None
