"""Words with which people say that something isn't so: they deny it, imagine it, or tell of the
past."""

import re
from dataclasses import dataclass

from memoryapp.memory.operations import quote_start


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
    r"\b(?:not|cannot|never|no|none|nor|neither|nobody|hardly|barely|rarely|seldom|without"
    r"|rather than|instead of|nicht|nich|nix|nimmer|kein\w*|nie|niemals|kaum|selten|weder|ohne"
    r"|(?:an)?statt|nicht\w{5,}|pas|jamais|aucune?|sans|nunca|tampoco|jamás|não|non|niet|geen|nooit|inte|ikke|не|нет"
    r"|никогда|değil|yok)\b(?!-)|\bnon-\w|n['’]t\b|\b(?:ne |n['’])\S+ plus\b"
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
    r"\b(?:not (?:only|just|to mention|bad|sure)"
    r"|(?:no|nope|nah) (?=(?:i|we|my|it|that|she|he|they)\b)|no (?:doubt|worries|matter|idea)"
    r"|no\.? ?\d+|never mind|can(?:no|['’])?t wait"
    r"|(?:don['’]?t|do not|never) (?:you |let me )?(?:forget|hesitate|worry|just|only)"
    r"|(?:\w+n['’]t|cannot|not|never|nicht|nie) (?:\w+ ){1,3}(?:without|ohne)"
    r"|couldn['’]?t be \w+er|(?:never|don['’]?t) miss|(?:must|may|should)(?: not|n['’]?t) forget"
    r"|nicht (?:nur|schlecht|vergessen|ohne)|vergiss \w*\W?nicht|keine ahnung"
    r"|(?:moro|vivo|trabalho|estou|estudo) no|pas (?:mal|seulement)|n['’]oublie pas|no olvides"
    r"|non dimenticare|не (?:только|забудь\w*))\b"
    r"|不(?:错|过|同|仅|但|只|久|好意思|得不|断|管|论)|差不多|对不起|了不起|没(?:问题|关系|事)|别忘"
    r"|لا (?:تنس\w*|بأس|شك|مشكلة)|すみません|少ない|危ない|なければ|忘れないで|잊지",
    re.IGNORECASE,
)
# What has "if" and makes nothing depend on it.
NO_CONDITION = re.compile(
    r"\b(?:unless i(?:['’]m| am) (?:mistaken|wrong)"
    r"|if (?:i(?:['’]m| am)? (?:remember|recall|not mistaken|being honest|honest)"
    r"(?: (?:right|rightly|correctly|it))?|you ask me|you must know|(?:that|it) (?:helps|matters))"
    r"|wenn (?:ich mich (?:nicht irre|recht erinnere)|du mich fragst|(?:das|es) hilft))\b",
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
    r"|sold|stolen|died|passed away|cancell?ed|divorced|split up|broke up|verkauft|gestorben"
    r"|verstorben|gestohlen|getrennt|geschieden|autrefois|antes|anteriormente|раньше|eskiden)\b"
    r"|\b(?:as an?|when i was an?) (?:\w+ )?(?:kid|child|teen\w*|boy|girl|student)\b|\bals kind\b"
    r"|\bin (?:my|our) (?:teens|twenties|thirties|forties|youth|childhood)\b"
    r"|\b(?:i|we)(?:['’]d| had)? (?:\w+ly )?(?:lived (?:in|at|with|there)|worked (?:at|for|as|in)"
    r"|were (?:married|engaged|together)|(?:was|were)(?! (?:\w+ed|born|made|given|told)\b))"
    r"|\b(?:wohnte|lebte|arbeitete)\b"
    r"|\b(?:ich|wir) waren?\b|\bwar(?:en)? (?:ich|wir)\b"
    r"|\bhaben?\b(?!.{0,120}\b(?:immer|seit|schon)\b).{0,120}\b(?:gewohnt|gelebt|gearbeitet)\b"
    r"|\b(?:жил|работал|yaşıyordum|yaşadım|çalıştım|vivía|viví|trabajaba|habitais|travaillais)\w*"
    r"|以前|曾经|从前|过去|不再|住过|工作过|当过|\b(?:سابقا|سابقًا|كنت|لم أعد|عشت|عملت|سكنت)\b"
    r"|昔は|住んでいました|働いていました|예전|살았|일했",
    r"\bex\b|former|previous|past\b|earlier|\bold\b|once|since|until|child|youth|born|grew|histor"
    r"|school|(?:first|last)\b(?! name)|left|trip|visit|been|was\b|were\b|had\b|death|dead|ehemal"
    r"|travel_?(?:led|history)|kindheit|jugend"
    r"|\b(?:lived|worked|retired|owned|played|smoked|attended|studied|used|stopped|\d{4})\b"
    r"|\b(?:bis|seit|reise|urlaub)\b|旧|童年",
)
# "If I lived in Paris", "maybe I'll buy a boat".
IMAGINED = mood(
    r"^\W*(?:(?:and|or|but|und|oder|aber) )?(?:if|unless|once i|as soon as|falls|sobald|als ob"
    r"|لو|إذا|si (?:je|j['’]|yo|nous|tu|vivo|viviera)|se io|если|eğer)(?!\w)"
    r"|^\W*(?:如果|要是|假如|倘若|もし|만약)"
    r"|\bwenn\b.{0,120}(?:würde|wäre|hätte|könnte|wohnte|lebte)"
    r"|^\W*(?:so |and |but )?what if\b|^\W*was wenn\b"
    r"|\bwish (?:that )?(?:i|we|my)\b|\bif only\b"
    r"|\b(?:like|as if|as though) (?:i|we)(?:['’]m|['’]re| am| are| was| were)\b"
    r"|\b(?:decid\w+|choos\w+|torn|undecided) between\b"
    r"|\büberleg\w*\b|\b(?:hätt|wär)(?:e|en|est|et)?\b(?! ich sagen)|\bals (?:ob|wäre|hätte)\b"
    r"|\bwünschte\b|\b(?:dreamt|dreamed) (?:that|i)\b|\b(?:might|maybe|perhaps|vielleicht|eventuell"
    r"|peut-être|quizás|tal vez|talvez|forse|misschien|возможно|может быть|belki|ربما)\b"
    r"|也许|可能|或许|かもしれ|아마",
    r"plan|\bideas?\b|option|consider|think|possib|potential|wish|dream|\bgoals?\b|future|wunsch"
    r"|traum|ziel|überleg|\bif\b|wenn\b",
)
# "I could eat sushi every day", "I should stop eating sugar": what would be, or had better be.
CONDITIONAL = mood(
    r"\b(?:i|we)(?:['’]d| would| could| should| ought to)\b(?! (?:like|love|prefer|rather die"
    r"|appreciate|better|been|had|call|describe|say|add|mention|note|tell|warn|never|not)\b)"
    r"|\b(?:ich|wir) (?:sollt|müsst|könnt)en?\b|\b(?:sollt|müsst)en? (?:ich|wir)\b"
    r"|\bwould(?:n['’]t)? (?:be|say)\b|\bdoubt\b|\bbezweifle\b",
    r"plan|\bideas?\b|consider|think|possib|potential|\bwish|dream|\bgoals?\b|resolution|should"
    r"|would|could|\blikes?\b|love|favou?rite|prefer|want|need|wunsch|traum|ziel|vorsatz|möchte",
)
# What came to nothing: "I almost bought a boat", "we were going to move".
THWARTED = mood(
    r"\b(?:almost|nearly|beinahe) (?:\w+ed|bought|got|took|went|had|did|became|made|lost|quit)\b"
    r"|\b(?:was|were) (?:\w+ )?(?:gonna|(?:going|meant|about) to)\b|\bsupposed to\b"
    r"|\bdecided (?:against|not to)\b|\bgegen\b.{0,80}\bentschieden\b"
    r"|\b(?:i|we) (?:\w+ly )?wanted to (?!say|tell|mention|ask|let|share|note|add|check|know|thank)"
    r"|\b(?:ich|wir) wollten?\b(?! (?:\w+ ){0,3}(?:sagen|fragen|wissen))|\bwollten? (?:ich|wir)\b"
    r"|\bfell through\b|\b(?:withdrawn|withdrew|rescinded)\b|\bcame to nothing\b|\bnicht geklappt\b"
    r"|\bins wasser gefallen\b",
    r"former|previous|past\b|almost|nearly|cancel|fail|regret|wanted|attempt|tried|wollte",
)
# What others believe, and what one believed oneself: "Everyone thinks I'm Italian".
BELIEVED = mood(
    r"\b(?:thought|assumed|figured) (?:that )?(?:i|we)(?: |['’](?:m|re|ve))"
    r"|\b(?:thinks|believes|assumes|claims|reckons|guesses|assuming|believing|claiming|says like)"
    r" (?:that )?(?:i|we)\b|\b(?:he|she|they) (?:goes|go|(?:was|were|is|are) like),? (?:i|you)\b"
    r"|\b(?:people|they|everyone|everybody|friends|parents|colleagues) (?:\w+ )?(?:think|believe"
    r"|assume|keep \w+ing) (?:that )?(?:i|we)\b"
    r"|\b(?:meint|glaubt|denkt|findet|behauptet),? (?:dass )?ich\b|\bich sei\b",
    r"reputation|nickname|opinion|think|view|thought|believe|called|meinung",
)
# How irony begins; what follows it in the message may be meant the other way round.
IRONY = re.compile(
    r"\b(?:oh (?:great|joy|goody|wonderful|fantastic)|yeah,? (?:right|sure)|lol,? sure|how lovely"
    r"|na (?:toll|super|klasse|prima|wunderbar)|ganz toll|ja klar)\b",
    re.IGNORECASE,
)
# From here on a message tells a story: "Imagine I am a pirate".
STORY = mood(
    r"(?:^|[.!?\n]\s*)say (?:i|we|my)\b"
    r"|\b(?:imagine|suppose|pretend|(?<!i )assume|let['’]s (?:say|pretend|assume))"
    r"\W+(?:that )?(?:i|me|you|we|my|an?)\b|\byou(?:['’]re| are) now\b"
    r"|\bdu bist (?:jetzt|nun)\b|\brole-?play\b|\bhypothetically\b|\brollenspiel\b"
    r"|(?:^|[.!?,:;\n]\s*)in (?:my|this|the|a|meine[mr]|der|dem|eine[mr]) (?:\w+ )?(?:novel|story"
    r"|book|dream|game|film|movie|poem|roman|geschichte|buch|traum|spiel|gedicht)\b"
    r"(?! club| industry)"
    r"|\bstell(?:t|en)? (?:dir|euch|sie sich) vor\b|(?:^|[.!?]\s*)angenommen\b|\bnehmen wir an\b"
    r"|\btun wir so\b|假设|想象一下|假装|角色扮演|小说里|梦见|\b(?:تخيل|لنفترض|افترض|حلمت)\b",
    r"novel|stor(?:y|ies)|book|dream|game|film|movie|play|poem|character|hero|fiction|roman|figur"
    r"|geschichte|buch|traum|spiel|held|小说|梦",
)
PLANNED = mood(
    r"\b(?:like|love) (?:to|me to) (?:live|be(?:come)?|work|move|settle)\b"
    r"|\b(?:wants?|hop(?:e|ing)|plan(?:ning)?|dream(?:ing)?|aim(?:ing)?|intend(?:ing)?|thinking"
    r"|considering|tempted|meaning) (?:me )?(?:to|of|about|on)"
    r" (?!be (?:called|addressed)|stay|keep|know|say|tell)"
    r"|\btrying to (?:understand|figure|decide|find|become|get|see)\b"
    r"|\b(?:['’]ll|gonna|will) try\b"
    r"|\bconsidering \w+ing\b|\b(?:looking|searching|saving) (?:\w+ )?for\b"
    r"|\b(?:möchte|will|würde|plane|überleg\w*|suche)\b.{0,120}\b(?:wohnen|leben|ziehen|werden|arbeiten"
    r"|kaufen|bekommen|anschaffen|auswandern|wechseln|umziehen)\b|\bwill,? dass (?:ich|wir)\b"
    r"|想(?:去|住|当|成为|搬)|希望|打算|\b(?:أريد أن|أتمنى|أود)\b"
    r"|\b(?:хочу|istiyorum|quiero|voudrais|vorrei|quero)\b|たいです",
    r"want|hope|plan|dream|aim\b|learn|look|search|saving|goal|wish|future|aspir|ambition|career|intend|would|prefer|like"
    r"|love|wunsch|traum|ziel|möchte|will\b|idea|think|consider",
)
# A trip says nothing of where one lives, nor does where one was born or longs to be.
ELSEWHERE = re.compile(
    r"\b(?:miss(?:ing)?|homesick|dream|greetings|looking for|vermiss\w*|heimweh|traum|grüße"
    r"|soy de|vengo d[ea]|je viens d\w*|originally|ursprünglich|gebürtig|aufgewachsen|grew up"
    r"|holidays?|vacation"
    r"|trip|visit\w*|travell?\w*|flying|flight|born|urlaub|besuch\w*|reise\w*"
    r"|geboren)\b|去过|旅游|旅行|出差|出生|\b(?:زرت|سافرت|ولدت)\b",
    re.IGNORECASE,
)
# What takes back what was said right before it.
KIDDING = (
    r"(?:jk|(?:just |only )?kidding|(?:just|only) joking|that was a joke"
    r"|(?:war )?(?:nur )?(?:ein )?(?:spaß|scherz))\b"
)
JEST = re.compile(rf"\W*(?:\w+\W+){{0,2}}{KIDDING}", re.IGNORECASE)
JOKED = mood(rf"(?<=\w )(?<!not )(?<!no ){KIDDING}", "humou?r|jok(?:e|ing)")
# What was meant instead: "Not on Tuesday, on Thursday".
INSTEAD = re.compile(r"\W*(?:not|nicht)(?: \w+){1,3}\W*$", re.IGNORECASE)


def is_denied(text: str) -> bool:
    return DENIED.told.search(text) is not None and BORDER.search(text) is None


def is_ironic(body: str, quote: str) -> bool:
    """Whether irony begins before the quote ends, or with it."""
    start = quote_start(body, quote) or 0
    return IRONY.search(body, 0, start + len(quote)) is not None
