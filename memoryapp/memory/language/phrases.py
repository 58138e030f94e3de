"""What words give away: a secret, a sensitive matter, an instruction, a wish not to be remembered.

Lists in English, German and, where a few words say much, Chinese and Arabic. They decide only what
a person is asked about or what is left out, never what is true.
"""

import re

from django.utils.translation import gettext_noop

from memoryapp.memory.language import languages
from memoryapp.memory.language.wording import unmarked

SECRETS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"-----BEGIN [A-Z ]*PRIVATE KEY",
        r"\b(sk|pk|rk|ma)[-_][A-Za-z0-9_-]{16,}",
        r"\b(ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf)[-_][A-Za-z0-9_-]{10,}",
        r"\bAKIA[0-9A-Z]{16}\b",
        r"\bAIza[0-9A-Za-z_-]{30,}",
        r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.",
        r"\b(pin|secret (?:number|code|word)|geheim(?:zahl|nummer|code|wort))\b"
        r"\W*(is|ist|lautet|=|:)",
        r"\b(password|pw|pwd|passwort|passcode|kennwort|passphrase|api[ _-]?key|secret[ _-]?key"
        r"|access[ _-]?token|كلمة المرور)\b(?!\W*(?:manager|policy))(\W+\w+){0,4}?\W*"
        r"(\bis\b|\bist\b|\blautet\b|=|:|是)",
        r"\b(password|passwort|passphrase|kennwort)\W+(?=\S*\d)\S{6,}",
        r"\b(door|gate|alarm|access|security|entry|tür|zugangs)[ -]?code\W+(is |ist |=|:)?\W*\d",
        r"\b(login|zugangsdaten)\b\W*(is |are |sind |ist |:)?\W*(?!http)\S+ ?/ ?\S+",
        r"\b\d{3}-\d{2}-\d{4}\b",
        r"密码\W*(是|为|：|:)",
        languages.SECRET,
    )
]
CARD_NUMBER = re.compile(r"\b(?:\d[ -]?){12,18}\d\b")


HEALTH, BELIEFS = gettext_noop("health"), gettext_noop("beliefs")
SEXUALITY, MONEY = gettext_noop("sexuality"), gettext_noop("money")
# What one is asked about before it is kept, in the words people use for it.
SENSITIVE = {
    topic: re.compile(
        rf"{pattern}|(?<!\w){languages.any_of(languages.SENSITIVE[topic])}", re.IGNORECASE
    )
    for topic, pattern in {
        HEALTH: r"\b(allerg|bipolar|migr(ä|ai)ne|antidepress|autis|dementia|schizo"
        r"|prozac|diagnos|disease|illness|depress|anxiety disorder|diabet|cancer|hiv\b"
        r"|medication|therap|pregnan|disabilit|asthma|epilep|adhd|surgery|psychiatr|krank"
        r"|schwanger|behinder|medikament|krebs\b)|过敏|怀孕|癌|抑郁|حساسية|مرض|حامل",
        BELIEFS: r"\b(christian|muslim|jewish|hindu|buddhist|catholic|protestant|atheis|religio"
        r"|(i|we|he|she|they) (always )?vote[sd]?\b|vot(e|es|ed|ing) for"
        r"|republican|democrat|communis|socialis|trade union|christ(in)?\b"
        r"|moslem|jüdisch|katholisch|evangelisch|ich wähle|wählt (immer )?(die|den)\b"
        r"|gewerkschaft)|基督徒|穆斯林|佛教|مسلم|مسيحي",
        SEXUALITY: r"\b(gay|lesbian|bisexual|homosexual|transgender|queer|asexual|sexual"
        r"|schwul|lesbisch)|同性恋|مثلي",
        MONEY: r"\b((my|his|her|their|\w+['’]s) (salary|income|debt|mortgage|net worth|savings)"
        r"|(i|he|she|they) (earn|owe)s?\b|earns \W?\d|bankrupt|iban\b"
        r"|credit score|\d+ (euros? )?schulden|owes? (my|his|her|the) (bank|landlord)"
        r"|(mein|sein|ihr) (gehalt|einkommen|lohn)|(meine|seine|ihre) schulden"
        r"|(ich verdiene|verdient \d))|工资|负债|راتبي",
    }.items()
}
# Text that wants to steer an assistant rather than tell something.
INSTRUCTION = re.compile(
    r"\b(ignore|disregard|forget) (all |any |the |your )*"
    r"(previous|prior|above|earlier|instructions)"
    r"|\b(system prompt|you are now|act as|from now on|always (answer|reply|respond|say)"
    r"|never (mention|tell|say|reveal)|do not (mention|tell|reveal))\b"
    r"|\b(ignoriere|vergiss) (alle|die|deine)|\bdu bist (jetzt|nun)\b|\bab (jetzt|sofort)\b"
    r"|\bantworte (immer|nur)\b|忽略(之前|以上|所有)|从现在起|تجاهل",
    re.IGNORECASE,
)
# "Don't remember this": said of the message it stands in, or of the one before.
NOT_THIS = re.compile(
    r"\b(don'?t|do not|please don'?t|never) "
    r"(remember|save|store|memori[sz]e|keep) (this|that|it|any)"
    r"|\boff the record\b|\b(just|only) (an? )?(example|hypothetical)|\bfor the sake of argument\b"
    r"|\b(merk|merke|speicher|speichere) (dir )?(das|dies|es) (bitte )?nicht"
    r"|\b(bitte )?nicht (merken|speichern)|\bnur (ein|als) beispiel"
    r"|(不要|别|請勿|请勿)(记住|記住|保存)|只是(一个|个)?例子|لا تتذكر|لا تحفظ|مجرد مثال"
    rf"|{languages.OFF_THE_RECORD}",
    re.IGNORECASE,
)
NOT_THE_LAST = re.compile(
    r"\b(that|this|it) was (just|only)\b|\b(don'?t|do not) (remember|save|store|keep) (that|what i)"
    r"|\bdas war nur\b|\bdas eben\b|那只是|刚才(说的)?只是|كان ذلك مجرد"
    rf"|{languages.ABOUT_THE_LAST}",
    re.IGNORECASE,
)


def looks_like_secret(text: str) -> bool:
    """Whether `text` holds a password, a key, a token or a payment card's number."""
    return any(secret.search(text) for secret in SECRETS) or any(
        is_card_number(match.group()) for match in CARD_NUMBER.finditer(text)
    )


def is_card_number(text: str) -> bool:
    """The Luhn check (ISO/IEC 7812-1) over the digits of `text`."""
    digits = [int(char) for char in reversed(text) if char.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def sensitive_topic(text: str) -> str:
    """The sensitive topic that `text` touches, such as "health"; empty if it touches none."""
    text = f"{text}\n{unmarked(text)}"
    return next((topic for topic, words in SENSITIVE.items() if words.search(text)), "")


def is_instruction(text: str) -> bool:
    """Whether `text` is written to steer an assistant."""
    return INSTRUCTION.search(text) is not None


def is_off_the_record(body: str) -> bool:
    """Whether the message asks not to be remembered, or says that it is only an example."""
    return NOT_THIS.search(body.replace("’", "'")) is not None


def takes_back_the_last(body: str) -> bool:
    """Whether the message says that about what was said before it."""
    body = body.replace("’", "'")
    return is_off_the_record(body) and NOT_THE_LAST.search(body) is not None
