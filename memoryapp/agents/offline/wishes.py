"""What plain English and German sentences ask to be remembered, reminded of, dropped or done."""

import re
from datetime import datetime

from memoryapp.agents.offline import dates
from memoryapp.agents.offline.language import slug

PLEASE = (
    r"(?:(?:please|bitte|can you|could you|i want you to|i'd like you to|you should|du sollst),? )*"
)
REMINDS = (
    re.compile(
        rf"{PLEASE}(?:remind me|remember|don't forget|do not forget|don't let me forget)"
        r"(?P<when>\b.{0,40}?),? (?:to|about|that) (?P<what>.+)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{PLEASE}(?:erinner\w* mich|vergiss nicht)"
        r"(?P<when>\b.{0,40}?),? (?:daran,?(?: dass)?|ans?|dass) (?P<what>.+)",
        re.IGNORECASE,
    ),
)
REMEMBERS = re.compile(
    rf"{PLEASE}(?:remember|note|keep in mind|don't forget|do not forget|merke? dir|notiere? dir|"
    r"vergiss nicht|denk daran)(?:,? (?:please|bitte))?"
    r"(?::|,?\s(?:that|dass)|(?=\s(?:my|our)\s.+\s(?:is|are)\s)) (?P<what>.+)",
    re.IGNORECASE,
)
FORGETS = re.compile(
    rf"{PLEASE}(?:forget|vergiss)(?:,? (?:please|bitte))?,? (?:that|dass) (?P<what>.+)",
    re.IGNORECASE,
)
FORGETS_ONE = re.compile(
    rf"{PLEASE}(?:forget|vergiss)(?: about)? (?:my|our|meine?n?|unsere?n?) (?P<what>[^,]+)",
    re.IGNORECASE,
)
NO_LONGER = re.compile(r" (?:no longer|nicht mehr|doch nicht|doch keine?n?)\b", re.IGNORECASE)
NOT_ANY_MORE = re.compile(r" (?:don't|do not|not) (?P<rest>.+) any ?more$", re.IGNORECASE)
NOT_ONE_MORE = re.compile(r"(?P<begun>.+) keine?n? (?P<rest>.+) mehr", re.IGNORECASE)
# German subordinate clauses end with the verb: "dass ich in Graz wohne".
VERB_LAST = re.compile(
    r"(?P<subject>ich|wir|(?:meine?|unsere?) \w+(?: (?-i:[A-ZÀ-Þ])\w+)?) "
    r"(?P<rest>.+) (?P<verb>\w+)",
    re.IGNORECASE,
)


def reminder(text: str, now: datetime) -> tuple[str, datetime | None] | None:
    """What to be reminded of and when, if `text` asks for that; "that ..." alone is no task."""
    match = next(filter(None, (pattern.fullmatch(text) for pattern in REMINDS)), None)
    if match is None or REMEMBERS.fullmatch(text):
        return None
    what, due_at = dates.due(match["what"], now)
    if due_at is None:
        _, due_at = dates.due(match["when"], now)
    return (re.sub(r",? (?:please|bitte)$", "", what), due_at) if what else None


DUTIES = (
    re.compile(
        r"(?:i|we) (?:still |also |really )?(?:need to|have to|have got to|must) (?P<what>.+)",
        re.IGNORECASE,
    ),
    re.compile(r"(?:i|we)'ve got to (?P<what>.+)", re.IGNORECASE),
    re.compile(
        r"(?:ich muss|wir müssen|muss ich|müssen wir) (?:noch |auch )?(?P<what>.+)", re.IGNORECASE
    ),
    re.compile(
        r"(?:i|we)(?:'ve| have)(?: got)? an? (?P<what>(?:[\w'-]+ )?"
        r"(?:appointment|meeting|interview|exam|deadline)\b.*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:ich habe|wir haben|habe? ich|haben wir) (?P<what>.*\b\w*(?:termin|besprechung|prüfung|"
        r"vorstellungsgespräch)\b.*)",
        re.IGNORECASE,
    ),
)
# What is denied, comes again and again, or lasts until a day is nothing to be done by that day.
NO_DUTY = re.compile(
    r"\b(?:not|never|nicht|nie|kein\w*|every|each|always|usually|jede\w*|immer|until|till|since|"
    r"seit)\b",
    re.IGNORECASE,
)


def duty(text: str, now: datetime) -> tuple[str, datetime] | None:
    """What `text` says has to be done or attended, and when; None without a day after today.

    What is due today is on their mind already: "I have to go in five minutes" is no task.
    """
    said, due_at = dates.due(text, now)
    match = next(filter(None, (pattern.fullmatch(said) for pattern in DUTIES)), None)
    if match is None or NO_DUTY.search(text):
        return None
    what = re.sub(r"^eine?n? ", "", match["what"])
    return (what, due_at) if what and due_at and due_at.date() > now.date() else None


def remembered(text: str) -> str | None:
    """The statement that `text` asks to remember, as a sentence of its own."""
    match = REMEMBERS.fullmatch(text)
    return _verb_second(match["what"]) if match else None


LEFT_WORK = re.compile(
    r"i(?:'ve| have)? (?:just |recently )?(?:quit|left|lost|resigned from|gave up) my (?:job|work)"
    r"\b.*|"
    r"i(?:'ve| have)? (?:just |recently )?(?:resigned|retired)|i was (?:laid off|fired)|"
    r"ich (?:habe|bin) (?:\w+ )?(?:(?:meinen job|meine stelle) )?(?:gekündigt|verloren|in rente)",
    re.IGNORECASE,
)


def retracted(text: str) -> str | None:
    """The statement that no longer holds, as it was when it did."""
    if match := FORGETS.fullmatch(text):
        return _verb_second(match["what"])
    if NO_LONGER.search(text):
        return NO_LONGER.sub("", text, count=1)
    if match := NOT_ANY_MORE.search(text):
        return f"{text[: match.start()]} {match['rest']}"
    if match := NOT_ONE_MORE.fullmatch(text):
        return f"{match['begun']} {match['rest']}"
    return None


def ended(text: str) -> str:
    """The key of what has ended or is to be forgotten, where that is told without its value; empty
    if it isn't."""
    if match := FORGETS_ONE.fullmatch(text):
        return slug(match["what"])
    return "employer" if LEFT_WORK.fullmatch(text) else ""


def _verb_second(text: str) -> str:
    match = VERB_LAST.fullmatch(text)
    return f"{match['subject']} {match['verb']} {match['rest']}" if match else text


LASTING = re.compile(
    r",?\s*\b(?:from now on|in (?:the )?future|going forward|ab (?:jetzt|sofort)|künftig|"
    r"von (?:jetzt|nun) an|in zukunft)\b,?\s*",
    re.IGNORECASE,
)
ALWAYS = re.compile(r"\b(?:always|never|immer|nie|niemals)\b", re.IGNORECASE)
INSTRUCTS = re.compile(
    r"(?:always |never )?(?:answer|reply|respond|keep|be|write|use|speak|talk|avoid|stop|don't|"
    r"do not|explain|give|address|(?:no|keine) emojis?|fasse? dich|antworte|"
    r"schreibe?|sprich|rede|halte?|sei|benutze?|verwende|"
    r"nutze|erklär\w*|gib|vermeide|duze|sieze)\b(?! (?:forget|remember|worry))",
    re.IGNORECASE,
)
# What only speaks of answers is meant for all of them; "write a short poem" is not.
OF_ANSWERS = re.compile(
    r"(?:be|sei|stop using|fasse? dich|(?:(?:don't|do not) use|no|keine) emojis?|answer|reply|"
    r"respond|antworte|duze|sieze)\b"
    r"(?! (?:my|the|this|these|each|all|to)\b)|"
    r"keep (?:it|(?:your |all |the )?(?:answers|replies|responses))\b|"
    r"halte? (?:es|dich|deine|die)\b|"
    r".*\b(?:your|all|deine\w*|alle\w*) (?:answers|replies|responses|antworten)\b|"
    r"(?:speak|talk|write|sprich|rede|schreibe?)\b.* (?:with me|to me|mit mir|mir)\b",
    re.IGNORECASE,
)
LANGUAGES = (
    r"english|german|french|italian|spanish|portuguese|dutch|polish|turkish|chinese|japanese|arabic|"
    r"englisch|deutsch|französisch|italienisch|spanisch|portugiesisch|niederländisch|polnisch|"
    r"türkisch|chinesisch|japanisch|arabisch"
)
# What an instruction is about; a new one about the same takes the place of the old one.
TOPICS = {
    "answer_language": rf"\b(?:{LANGUAGES})\b",
    "answer_emojis": r"\bemoji",
    "answer_format": r"\b(?:bullet|list|table|markdown|plain text|paragraph|stichpunkt|aufzähl|"
    r"tabell|absatz|absätz)",
    "answer_length": r"\b(?:short|brief|concise|long|detail|sentence|word|kurz|kürzer|knapp|"
    r"ausführlich|länger|satz|sätze|wort|worte)",
    "answer_tone": r"\b(?:formal|informal|casual|friendly|polite|humou?r|funny|direct|simpl|"
    r"förmlich|locker|freundlich|höflich|einfach|duze|sieze|per du|per sie)",
}


def instruction(text: str) -> tuple[str, str] | None:
    """Key and words of how to answer from now on; None for what is wanted only once."""
    if ":" in text:
        return None
    is_lasting = bool(LASTING.search(text) or ALWAYS.search(text))
    wanted = re.sub(rf"^{PLEASE}", "", LASTING.sub(" ", text).strip(), flags=re.IGNORECASE)
    wanted = re.sub(r",? \b(?:please|bitte)\b", "", wanted, flags=re.IGNORECASE).strip(" ,")
    if not INSTRUCTS.match(wanted):
        return None
    topic = next((key for key, words in TOPICS.items() if re.search(words, wanted, re.I)), "")
    if not is_lasting and not (topic and OF_ANSWERS.match(wanted)):
        return None
    return topic or f"answer_{slug(wanted, 3)}", wanted[0].upper() + wanted[1:]
