"""The table of what is understood: each plain form of an English or German self-statement.

A pattern must match a whole clause. Its kind is the fact's kind; without a meaning of its own,
the names of its groups are the keys, and the group `was` is the value that no longer holds.
"""

import re

from memoryapp.agents.offline.meanings import (
    FACT,
    IDENTITY,
    PREFERENCE,
    PROJECT,
    Meaning,
    attribute,
    by_name,
    done,
    each,
    preferred,
    used,
)
from memoryapp.agents.offline.vocabulary import (
    NO_ATTRIBUTES,
    NO_VALUES,
    OFT,
    OFTEN,
    PROFESSIONS,
)

WORD = r"[^\W\d_][\w'.-]*"
NAME = rf"{WORD}(?: {WORD}){{0,3}}"
PLACE = rf"{NAME}(?:, {NAME})?"
CAPITAL, SMALL = r"(?-i:[^\W\d_a-zß-ÿ])", r"(?-i:[^\W\d_A-ZÀ-Þ]|['.-])"  # letters of any script
CALLED = rf"{CAPITAL}[\w'-]*"
# A capital letter and small ones: people move from Berlin to Vienna, but from CDK to GitHub too.
TOWN = rf"{CAPITAL}{SMALL}+(?:[ -]{CAPITAL}{SMALL}+){{0,2}}"
HOUSING = r"(?:(?:an?|my|einer?|einem|meiner?|meinem) (?:[\w-]+ ){1,3}?in )?"
SINCE = r"(?: (?:since|for|seit|again|alone|together|with my|mit mein\w*|allein)\b.*)?"
WHEN = r"(?: (?:last|this|for|in|on|from|two|a|some)\b.*)?"
MORE = r"(?: (?:in|from|by|with|and|who|at|an|am|im|aus|und)\b.*)?"
I_AM = r"i(?:'m| am) "
I_HAVE = r"(?:i|i've|i have) "
REALLY = r"(?: (?:actually|really|now|eigentlich|jetzt))?"
A = r"(?:an? |the |eine? )?"
FIRM = rf"(?P<employer>{CALLED}(?: {CALLED}){{0,3}})"
THE = rf"(?:the (?={CAPITAL}))?"
I_WORK = rf"i(?: {OFTEN}work|(?:'m| am) {OFTEN}working) "
THERE = rf"(?: in {TOWN})?"
AT = rf"(?: (?:at|for) {THE}(?P<employer>{NAME}?){THERE})?"
BEI = rf"(?: (?:beim?|für|[ia]m) (?P<employer>{NAME}?){THERE})?"
AS = rf"(?: as {A}(?P<occupation>.+?))?"
ALS = rf"(?: als {A}(?P<occupation>.+?))?"
NONE = r"kein(?:e[nr]?)? "
DIET = r"(?P<diet>vegan|vegetarian|pescatarian|vegetarisch|vegetarier(?:in)?|veganer(?:in)?)"
IS = r"(?:is|are|ist|sind|lautet)"
DEPLOY = "deploy|build|test|monitor|host|manage|provision|store|track|document|ship"
DEPLOYEN = "deployen|bauen|testen|überwachen|hosten|verwalten|speichern|betreiben"
RUNS = "runs?|lives?|sits?|uses?|läuft|laufen|liegt|liegen|nutzt|nutzen"

Pattern = tuple[str, re.Pattern[str], Meaning]


def pattern(kind: str, clause: str, meaning: Meaning = by_name) -> Pattern:
    return kind, re.compile(clause, re.IGNORECASE), meaning


WHO = [
    pattern(IDENTITY, rf"(?:my name is|my name's|{I_AM}called|i go by){REALLY} (?P<name>{NAME})"),
    pattern(IDENTITY, rf"(?:mein name (?:ist|lautet)|ich hei(?:ß|ss)e){REALLY} (?P<name>{NAME})"),
    pattern(IDENTITY, rf"(?:you can |please )?call me (?P<name>{CALLED})"),
    pattern(IDENTITY, rf"(?:bitte )?nenne? mich (?:bitte )?(?P<name>{CALLED})"),
    pattern(IDENTITY, r"(?:i'm|i am|ich bin) (?P<age>\d{1,3})(?: years old| jahre alt)?"),
]
WHERE = [
    pattern(
        IDENTITY, rf"(?:i|we) {OFTEN}(?:live|reside) {OFTEN}in {HOUSING}(?P<city>{PLACE}?){SINCE}"
    ),
    pattern(IDENTITY, rf"{I_AM}{OFTEN}(?:living|based) in (?P<city>{PLACE}?){SINCE}"),
    pattern(IDENTITY, rf"(?:i've|i have) been living in (?P<city>{PLACE}?){SINCE}"),
    pattern(IDENTITY, rf"{I_HAVE}{OFTEN}lived in (?P<city>{PLACE}?) (?:since|for) .+"),
    pattern(
        IDENTITY,
        rf"{I_HAVE}{OFTEN}(?:moved|relocated) (?:from (?P<was>{TOWN}) )?to (?P<city>{TOWN}){WHEN}",
    ),
    pattern(
        IDENTITY,
        rf"(?:ich (?:wohne|lebe)|wir wohnen) {OFT}in {HOUSING}(?P<city>{PLACE}?){SINCE}",
    ),
    pattern(
        IDENTITY,
        rf"(?:ich bin|wir sind) {OFT}(?:(?:von|aus) (?P<was>{TOWN}) )?"
        rf"nach (?P<city>{TOWN}) (?:um)?gezogen",
    ),
    pattern(FACT, rf"(?:i was born|ich wurde) in (?P<birthplace>{NAME}?)(?: geboren)?"),
]
WORK = [
    pattern(IDENTITY, rf"{I_WORK}{OFTEN}as {A}(?P<occupation>.+?){AT}{THERE}{SINCE}"),
    pattern(IDENTITY, rf"{I_WORK}{OFTEN}(?:at|for) {THE}(?P<employer>{NAME}?){AS}{THERE}{SINCE}"),
    pattern(
        IDENTITY,
        rf"{I_AM}{OFTEN}an? (?P<occupation>(?:[\w-]+ ){{0,3}}?{PROFESSIONS}){AT}{MORE}",
    ),
    pattern(
        IDENTITY,
        rf"{I_HAVE}(?:just |recently )?(?:started(?: working| a new job| work)?|joined|got a job)"
        rf"(?: (?:at|with|for))? {FIRM}{WHEN}",
    ),
    pattern(IDENTITY, rf"ich habe {OFT}bei {FIRM} angefangen"),
    pattern(IDENTITY, rf"ich arbeite {OFT}als {A}(?P<occupation>.+?){BEI}{THERE}{SINCE}"),
    pattern(IDENTITY, rf"ich arbeite {OFT}(?:beim?|für) (?P<employer>{NAME}?){ALS}{THERE}{SINCE}"),
    pattern(
        IDENTITY, rf"ich bin {OFT}(?:von beruf )?{A}(?P<occupation>\w*{PROFESSIONS}){BEI}{MORE}"
    ),
]
FOOD = [
    pattern(IDENTITY, rf"{I_AM}{OFTEN}(?:a )?{DIET}"),
    pattern(IDENTITY, rf"ich bin {OFT}{A}{DIET}"),
    pattern(IDENTITY, rf"{I_AM}{OFTEN}allergic to (?P<things>.+)", each("allergy")),
    pattern(IDENTITY, r"i have (?:an? )?(?:\w+ )?allergy to (?P<things>.+)", each("allergy")),
    pattern(IDENTITY, r"i have an? (?:severe |mild )?(?P<things>[\w-]+) allergy", each("allergy")),
    pattern(IDENTITY, rf"ich bin {OFT}allergisch (?:gegen|auf) (?P<things>.+)", each("allergy")),
    pattern(IDENTITY, r"ich habe (?:eine )?(?:\w+e )?(?P<things>\w+?)-?allergie", each("allergy")),
    pattern(
        PREFERENCE,
        rf"i {OFTEN}(?:don't|do not|never|can't|cannot) (?:eat|drink) (?P<things>.+)",
        each("avoids"),
    ),
    pattern(PREFERENCE, rf"ich (?:esse|trinke|vertrage) {OFT}{NONE}(?P<things>.+)", each("avoids")),
]
TASTE = [
    pattern(
        PREFERENCE,
        r"(?:i (?:drink|take|have|like)|ich (?:trinke|mag)) (?:my|meinen) "
        r"(?P<thing>coffee|tea|kaffee|tee) (?!with |at |in |mit |um |am |im )(?P<value>.{3,40})",
        attribute,
    ),
    pattern(PREFERENCE, rf"(?:i|we) {OFTEN}prefer (?P<things>.+)", preferred),
    pattern(PREFERENCE, rf"(?:ich bevorzuge|wir bevorzugen) {OFT}(?P<things>.+)", preferred),
    pattern(
        PREFERENCE,
        rf"i {OFTEN}(?:don't|do not) {OFTEN}(?:like|enjoy) (?P<things>.+)",
        each("dislikes"),
    ),
    pattern(
        PREFERENCE,
        rf"i {OFTEN}(?:hate|dislike|detest|can't stand|cannot stand) (?P<things>.+)",
        each("dislikes"),
    ),
    pattern(PREFERENCE, rf"i {OFTEN}(?:like|love|enjoy|adore) (?P<things>.+)", each("likes")),
    pattern(PREFERENCE, rf"ich mag {OFT}{NONE}(?P<things>.+)", each("dislikes")),
    pattern(PREFERENCE, rf"ich mag {OFT}(?P<things>.+) nicht", each("dislikes")),
    pattern(PREFERENCE, r"(?P<things>[\w-]+) mag ich (?:\w+ )?nicht", each("dislikes")),
    pattern(PREFERENCE, r"(?P<things>[\w-]+) mag ich (?:sehr|gerne?)", each("likes")),
    pattern(PREFERENCE, rf"ich hasse {OFT}(?P<things>.+)", each("dislikes")),
    pattern(PREFERENCE, rf"ich (?:mag|liebe) {OFT}(?P<things>.+)", each("likes")),
    pattern(PREFERENCE, rf"ich (?:esse|trinke) {OFT}gerne? (?P<things>.+)", each("likes")),
]
CALLS = [
    pattern(
        FACT,
        r"(?:meine?|unsere?) (?P<thing>[\w -]{2,40}?) (?P<called>hei(?:ß|ss)t) "
        rf"(?P<value>[\w'-]+(?: (?:{CAPITAL}|\d)[\w'-]*){{0,3}})(?:,? und .*)?",
        attribute,
    ),
]
PROJECTS = [
    pattern(
        PROJECT,
        rf"(?:i|we) {OFTEN}(?P<verb>{DEPLOY}) (?P<what>[^,]+?) "
        r"(?:with|using|via|through) (?P<value>.+)",
        done,
    ),
    pattern(
        PROJECT,
        r"we (?P<verb>deploy|host|run|store) (?P<what>[^,]+?) (?:on|in) (?P<value>.+)",
        done,
    ),
    pattern(
        PROJECT,
        rf"wir (?P<verb>{DEPLOYEN}) (?P<what>[^,]+?) (?:mit|über|via|bei|auf|in) (?P<value>.+)",
        done,
    ),
    pattern(PROJECT, rf"(?:i|we) {OFTEN}use (?P<tool>.+?)(?: (?:for|as) (?P<purpose>.+))?", used),
    pattern(
        PROJECT,
        rf"(?:ich|wir) (?:verwende|nutze|benutze)n? {OFT}(?P<tool>.+?)"
        r"(?: (?:für|als) (?P<purpose>.+))?",
        used,
    ),
    pattern(
        PROJECT,
        rf"(?:our|unsere?) (?!{NO_ATTRIBUTES} )(?P<thing>[\w' -]{{2,60}}?) {IS} "
        rf"(?!{NO_VALUES})(?P<value>.{{1,120}})",
        attribute,
    ),
    pattern(
        PROJECT,
        rf"(?:our|unsere?) (?P<thing>[\w' -]{{2,60}}?) (?P<value>(?:{RUNS})\b .{{1,120}})",
        attribute,
    ),
]
THINGS = [
    pattern(
        FACT,
        r"i have an? (?P<thing>\w+) (?P<called>named|called) (?P<value>[\w' -]+)",
        attribute,
    ),
    pattern(
        FACT, r"ich habe eine?n? (?P<thing>\w+) (?P<called>namens) (?P<value>[\w' -]+)", attribute
    ),
    pattern(
        FACT,
        rf"(?:my|meine?) (?!{NO_ATTRIBUTES} )(?P<thing>[\w' -]{{2,40}}?) {IS} "
        rf"(?P<called>called |named )?(?!{NO_VALUES})(?P<value>.{{1,80}})",
        attribute,
    ),
]

PATTERNS: list[Pattern] = [*WHO, *WHERE, *WORK, *FOOD, *TASTE, *CALLS, *PROJECTS, *THINGS]
