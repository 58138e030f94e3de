"""Whether words say that something is so now: they may deny it, imagine it, or tell of the past."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryapp.memory.operations import CLAUSE_ENDS, SENTENCE_ENDS, Operation, quote_start
from memoryapp.memory.whose import RELATED
from memoryapp.memory.wording import FUNCTION_WORDS, canonical, pieces, said, stems, words


@dataclass(frozen=True)
class Mood:
    """A way of not saying that something is so, and the words with which what is stored says it
    in the same way: "doesn't like olives", `dislikes`, `former_city`."""

    told: re.Pattern[str]
    stated: re.Pattern[str]


def mood(told: str, stated: str) -> Mood:
    """`told` in a clause makes it one of this mood; `stated`, or the same, in a key or value."""
    return Mood(re.compile(told, re.IGNORECASE), re.compile(f"{stated}|{told}", re.IGNORECASE))


DENIED = mood(
    r"\b(?:not|cannot|never|no|none|nor|neither|nobody|hardly|without|nicht|kein\w*|nie|niemals"
    r"|weder|ohne|pas|jamais|aucune?|sans|nunca|tampoco|jamás|não|non|niet|geen|nooit|inte|ikke|не|нет"
    r"|никогда|değil|yok)\b(?!-)|n['’]t\b|\b(?:ne |n['’])\S+ plus\b"
    r"|\w\w(?:m[ıiuü]yor\w*|m[ae]d[ıi][mkn]?)\b"
    r"|不|没|沒|别(?=[再说讓让用叫写])|\b(?:لا|لم|لن|ليس|ليست|لست|بدون)\b"
    r"|ない|ません|なかった|않|못|\b안 |아니",
    r"\bdis(?:like|able|agree)|hate|aversi|avoid|allerg|intoleran|unable|weak|trouble|struggl|fear|peeve"
    r"|annoy|reject|oppos|restrict|constraint|limit|rule|policy|exclu|\bban(?:s|ned)?\b|free\b|off\b|skip|stop"
    r"|\bless\b|false|missing|\black|quit|hass|meid|frei\b|weniger|unverträglich"
    r"|讨厌|过敏|避免|忌|أكره|嫌い|苦手",
)
# What has such a word and denies nothing.
NO_DENIAL = re.compile(
    r"\b(?:not (?:only|just|to mention|bad|sure)|no (?:doubt|problem|worries|matter|idea)"
    r"|no\.? ?\d+|never mind|can(?:no|['’])?t wait|(?:don['’]?t|do not|never) (?:you |let me )?"
    r"(?:forget|hesitate|worry|just|only)"
    r"|(?:\w+n['’]t|cannot|not|never|nicht|nie) (?:\w+ ){1,3}(?:without|ohne)"
    r"|couldn['’]?t be \w+er|(?:never|don['’]?t) miss|(?:must|may|should)(?: not|n['’]?t) forget"
    r"|nicht (?:nur|schlecht|vergessen|ohne)|vergiss \w*\W?nicht|kein problem|keine ahnung"
    r"|(?:moro|vivo|trabalho|estou|estudo) no|pas (?:mal|seulement)|n['’]oublie pas|no olvides"
    r"|non dimenticare|не (?:только|забудь\w*))\b"
    r"|不(?:错|过|同|仅|但|只|久|好意思|得不|断|管|论)|差不多|对不起|了不起|没(?:问题|关系|事)|别忘"
    r"|لا (?:تنس\w*|بأس|شك|مشكلة)|すみません|少ない|危ない|なければ|忘れないで|잊지",
    re.IGNORECASE,
)
# A border that is named ("not before nine", "no more than two") says what is so.
BORDER = re.compile(
    r"\b(?:until|till|unless|before|except|more than|less than|erst|bevor|vor|außer|mehr als)\b",
    re.IGNORECASE,
)
ENDED = mood(
    r"(?<!['’]m )(?<!am )(?<!get )(?<!got )\bused to\b|\b(?:no longer|any ?more|formerly|früher"
    r"|ehemals|damals|nicht mehr|(?:stopped|quit|gave up|given up)|aufgehört|gekündigt"
    r"|autrefois|antes|anteriormente|раньше|eskiden)\b"
    r"|\b(?:i|we)(?:['’]d| had)? (?:\w+ly )?(?:lived (?:in|at|with|there)|worked (?:at|for|as|in)"
    r"|(?:was|were)(?! (?:\w+ed|born|made|given|told)\b))|\b(?:wohnte|lebte|arbeitete)\b"
    r"|\b(?:ich|wir) waren?\b|\bwar(?:en)? (?:ich|wir)\b"
    r"|\bhaben?\b(?!.*\b(?:immer|seit|schon)\b).*\b(?:gewohnt|gelebt|gearbeitet)\b"
    r"|\b(?:жил|работал|yaşıyordum|yaşadım|çalıştım|vivía|viví|trabajaba|habitais|travaillais)\w*"
    r"|以前|曾经|从前|过去|不再|住过|工作过|当过|\b(?:سابقا|سابقًا|كنت|لم أعد|عشت|عملت|سكنت)\b"
    r"|昔は|住んでいました|働いていました|예전|살았|일했",
    r"\bex\b|former|previous|past\b|earlier|\bold\b|once|since|until|child|youth|born|grew|histor"
    r"|school|first|left|trip|travel|visit|been|last\b|was\b|were\b|had\b|ehemal|kindheit|jugend"
    r"|\b(?:lived|worked|retired|owned|played|smoked|attended|studied|used|stopped|\d{4})\b"
    r"|\b(?:bis|seit|reise|urlaub)\b|旧|童年",
)
# "If I lived in Paris", "maybe I'll buy a boat".
IMAGINED = mood(
    r"^\W*(?:(?:and|or|but|und|oder|aber) )?(?:if|unless|falls|als ob|لو|إذا"
    r"|si (?:je|j['’]|yo|nous|tu|vivo|viviera)|se io|если|eğer)(?!\w)"
    r"|^\W*(?:如果|要是|假如|倘若|もし|만약)"
    r"|\bwenn\b.*(?:würde|wäre|hätte|könnte|wohnte|lebte)"
    r"|\bi would (?!like|love|prefer|rather|appreciate)"
    r"|\bwish (?:that )?(?:i|we|my)\b|\bif only\b"
    r"|\bwünschte\b|\b(?:dreamt|dreamed) (?:that|i)\b|\b(?:might|maybe|perhaps|vielleicht|eventuell"
    r"|peut-être|quizás|tal vez|talvez|forse|misschien|возможно|может быть|belki|ربما)\b"
    r"|也许|可能|或许|かもしれ|아마",
    r"plan|\bideas?\b|option|consider|think|possib|potential|wish|dream|\bgoals?\b|future|wunsch"
    r"|traum|ziel|überleg|\bif\b|wenn\b",
)
# From here on a message tells a story: "Imagine I am a pirate".
STORY = mood(
    r"\b(?:imagine|suppose|pretend|(?<!i )assume|let['’]s (?:say|pretend|assume))"
    r"\W+(?:that )?(?:i|you|we|my|i['’]m)\b|\brole-?play\b|\bhypothetically\b|\brollenspiel\b"
    r"|(?:^|[.!?,:;\n]\s*)in (?:my|this|the|a|meine[mr]|der|dem|eine[mr]) (?:\w+ )?(?:novel|story"
    r"|book|dream|game|film|movie|poem|roman|geschichte|buch|traum|spiel|gedicht)\b"
    r"(?! club| industry)"
    r"|\bstell(?:t|en)? (?:dir|euch|sie sich) vor\b|(?:^|[.!?]\s*)angenommen\b|\bnehmen wir an\b"
    r"|\btun wir so\b|假设|想象一下|假装|角色扮演|小说里|梦见|\b(?:تخيل|لنفترض|افترض|حلمت)\b",
    r"novel|stor(?:y|ies)|book|dream|game|film|movie|play|poem|character|hero|fiction|roman|figur"
    r"|geschichte|buch|traum|spiel|held|小说|梦",
)
PLANNED = mood(
    r"\b(?:want|like|love|hope|hoping|plan|planning|dream|dreaming|aim|thinking) (?:to|of|about) "
    r"(?:live|be(?:come)?|work|move|settle|living|being|becoming|working|moving)\b"
    r"|\b(?:möchte|will|würde|plane)\b.*\b(?:wohnen|leben|ziehen|werden|arbeiten)\b"
    r"|想(?:去|住|当|成为|搬)|希望|打算|\b(?:أريد أن|أتمنى|أود)\b"
    r"|\b(?:хочу|istiyorum|quiero|voudrais|vorrei|quero)\b|たいです",
    r"want|hope|plan|dream|aim\b|goal|wish|future|aspir|ambition|career|intend|would|prefer|like"
    r"|love|wunsch|traum|ziel|möchte|will\b|idea|think|consider",
)
# A trip says nothing of where one lives, nor does where one was born.
ELSEWHERE = re.compile(
    r"\b(?:holidays?|vacation|trip|visit\w*|travell?\w*|flying|flight|born|urlaub|besuch\w*|reise\w*"
    r"|geboren)\b|去过|旅游|旅行|出差|出生|\b(?:زرت|سافرت|ولدت)\b",
    re.IGNORECASE,
)

CONTRAST = re.compile(
    r"\b(?:but|only|just|always|rather|instead|aber|immer|sondern|nur|mais|pero|но|ama)\b|但是?|而是|只|لكن|でも",
    re.IGNORECASE,
)
# What bears a name bears it whatever else is said: "I used to have a dog called Rex".
BORDERS = re.compile(
    rf"([{CLAUSE_ENDS}]|{CONTRAST.pattern}|\b(?:and|or|und|oder|while|während|et|y|e|ve|и)\b|并且|而且"
    r"|(?=\b(?:without|ohne|called|named|namens"
    r"|(?:before|after|when|since|bevor|nachdem|als|seit) (?:i|we|my|our|ich|wir))\b))",
    re.IGNORECASE,
)
SUBJECT = re.compile(
    r"^\W*(?:i|we|my|our|you|he|she|it|they|this|that|ich|wir|mein\w*|unser\w*|er|sie|es|je|j['’]"
    r"|yo|eu|io|ik|я|мы|ben|أنا|نحن)(?!\w)|^\W*[我咱他她]",
    re.IGNORECASE,
)
RUNS_ON = 2  # words, or pairs of characters, of a clause that goes on with what the last one said


def says_so(operation: Operation, body: str) -> bool:
    """Whether the person says that what is proposed is so, and so now.

    What they deny, imagine or tell of the past supports only what says the same: "I don't like
    olives" no `likes: olives`, but `dislikes: olives`. Nor does what they say support its
    opposite. What the whole clause says counts: a quote may leave something out.
    """
    stated = f"{operation.key} {operation.value}".replace("_", " ")
    start = quote_start(body, operation.quote) or 0
    end = start + len(operation.quote)
    story = STORY.told.search(body, 0, end) if operation.table == "fact" else None
    if story and not STORY.stated.search(stated):
        return False
    telling = list(clauses_that_tell(operation, sentences_around(body, start, end)))
    if operation.table == "fact" and is_denied(operation.value):
        return any(DENIED.stated.search(clause) for clause, _ in telling)
    return not telling or any(is_so(*clause, operation, stated) for clause in telling)


def is_so(clause: str, before: str, operation: Operation, stated: str) -> bool:
    """Whether a clause says that it is so, or what is `stated` says what the clause says."""
    if canonical(operation.key) == "city" and ELSEWHERE.search(clause):
        return False
    # What is denied of a task is that it is done.
    may_be_denied = operation.kind == "task" or DENIED.stated.search(stated)
    if is_denied(f"{before} {clause}") and not may_be_denied:
        return is_named_before(clause, operation.value, stated)
    # A wish and a task may depend on something.
    is_wish = operation.table == "prompt" or operation.kind == "task"
    moods = (ENDED,) if is_wish else (ENDED, PLANNED, IMAGINED)
    return all(each.stated.search(stated) or not each.told.search(clause) for each in moods)


def is_named_before(clause: str, value: str, stated: str) -> bool:
    """Whether somebody is named, and only then something denied of them: "Mia isn't at school"."""
    denial = DENIED.told.search(clause)
    named = clause[: denial.start()] if denial else ""
    return (
        RELATED.search(stated) is not None and bool(stems(value)) and stems(value) <= stems(named)
    )


def is_denied(text: str) -> bool:
    return DENIED.told.search(text) is not None and BORDER.search(text) is None


def clauses_that_tell(operation: Operation, sentences: str) -> Iterator[tuple[str, str]]:
    """Those that tell most of the value, or else of the key; each with what it goes on with."""
    clauses = list(clauses_of(NO_DENIAL.sub(" ", sentences)))
    for text in (operation.value, operation.key):
        counts = [len(said(text, clause)) for clause, _ in clauses]
        if most := max(counts):
            found = zip(clauses, counts, strict=True)
            yield from (clause for clause, count in found if count == most)
            return


def clauses_of(sentences: str) -> Iterator[tuple[str, str]]:
    """Each clause, and what it goes on with: "I eat no apples, pears or plums"."""
    parts = BORDERS.split(sentences)
    before = ""
    for clause, border in zip(parts[::2], ["", *parts[1::2]], strict=True):
        length = sum(1 for word in words(clause) for _ in pieces(word))
        if length > RUNS_ON or not goes_on(clause, border, before):
            before = ""
        yield clause, before
        if length > 1:
            before = f"{before} {clause}"


def goes_on(clause: str, border: str, before: str) -> bool:
    """Whether a short clause after this border is part of what was said before, and not its
    counterpart ("no tables, use lists")."""
    is_of_its_own = border in ("", *SENTENCE_ENDS) or CONTRAST.match(border)
    is_counterpart = SUBJECT.match(clause) or stems(clause, FUNCTION_WORDS) & stems(before)
    return not is_of_its_own and not is_counterpart


def sentences_around(body: str, start: int, end: int) -> str:
    """The sentences in which a stretch of the body stands, whole."""
    first = max(body.rfind(each, 0, start) for each in SENTENCE_ENDS) + 1
    ends = [body.find(each, max(first, end - 1)) for each in SENTENCE_ENDS]
    last = min((found for found in ends if found >= 0), default=len(body))
    return body[first:last]
