"""The words that the patterns for English and German sentences are made of."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GERMAN = words(
    "ich du er wir ihr und oder aber nicht kein keine der die das den dem ein eine einen einer ist "
    "sind war habe hat hast bin bist mein meine meinen mir mich dich dir was wer wo wie wann warum "
    "welche welcher welches auf auch aus bei mit nach von zu zum zur über für heute morgen bitte "
    "danke hallo weißt kannst gibt mag wohne heiße arbeite unser unsere merk erinnere antworte "
    "deutsch im daran dass jetzt immer noch mal vielen dank gute nacht tschüss"
)
ENGLISH = words(
    "i you he she we they and or but not no the a an is are was am have has do does did my our me "
    "your what who where how when why which on in at by for with from to of about please thanks "
    "hello tell can could it this that know remember"
)
# Words that carry no meaning of their own.
EMPTY = (GERMAN | ENGLISH) - {"deutsch", "nacht"} | words(
    "its their his her them be been will would should any some there here also just really very "
    "again were let des sich es sie man sein seine dein deine deinen denn doch nun so als am vom "
    "ins um"
)

RELATION = (
    r"(?:sister|brother|mother|mom|mum|father|dad|wife|husband|partner|girlfriend|boyfriend|friend|"
    r"best friend|son|daughter|cousin|aunt|uncle|niece|nephew|colleague|co-?worker|boss|neighbou?r|"
    r"flatmate|roommate|grandma|grandpa|grandmother|grandfather|schwester|bruder|mutter|mama|vater|"
    r"papa|frau|mann|partnerin|freundin|freund|sohn|tochter|cousine|tante|onkel|nichte|neffe|"
    r"kollegin|kollege|chefin|chef|nachbarin|nachbar|mitbewohnerin|mitbewohner|oma|opa)"
)
# One name for one relation, whatever the word or the language.
SAME_RELATION = {
    "mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother",
    "grandpa": "grandfather", "flatmate": "roommate", "coworker": "colleague",
    "co-worker": "colleague", "neighbor": "neighbour", "schwester": "sister",
    "bruder": "brother", "mutter": "mother", "mama": "mother", "vater": "father",
    "papa": "father", "frau": "wife", "mann": "husband", "partnerin": "partner",
    "freundin": "friend", "freund": "friend", "sohn": "son", "tochter": "daughter",
    "cousine": "cousin", "tante": "aunt", "onkel": "uncle", "nichte": "niece",
    "neffe": "nephew", "kollegin": "colleague", "kollege": "colleague", "chefin": "boss",
    "chef": "boss", "nachbarin": "neighbour", "nachbar": "neighbour",
    "mitbewohnerin": "roommate", "mitbewohner": "roommate", "oma": "grandmother",
    "opa": "grandfather",
}  # fmt: skip
SOMEBODY = rf"(?:my|our|meine?|unsere?)\s+{RELATION}(?:\s+(?-i:[A-ZÀ-Þ][\w'-]*))?(?!\w|')"

# Things that count as identity also when they are said as "my X is Y".
IDENTITY_KEYS = words("name city employer occupation birthday age timezone diet")
# One key for one thing, whatever the word or the language.
SAME_KEY = {
    "wohnort": "city",
    "stadt": "city",
    "hometown": "city",
    "job": "occupation",
    "profession": "occupation",
    "beruf": "occupation",
    "company": "employer",
    "firma": "employer",
    "arbeitgeber": "employer",
    "geburtstag": "birthday",
    "time_zone": "timezone",
    "zeitzone": "timezone",
    "alter": "age",
}
# A name is written with a capital letter and doesn't begin with one of these.
NAME_KEYS = words("name city employer birthplace origin")
NO_NAMES = words(
    "a an the my our your his her their this that it here there home night fun myself not no in on "
    "at ein eine einem einer der die das dem den mein meine meiner meinem nicht zu hause"
)

# What "my X is Y" is no lasting knowledge about: the talk itself, or how something goes just now.
NO_ATTRIBUTES = (
    r"(?:\w+ )*(?:question|problem|issue|guess|point|idea|opinion|concern|understanding|impression|"
    r"feeling|fear|error|bug|code|output|mistake|answer|thought|suggestion|request|example|friend|"
    r"life|day|mood|hope|plan|frage|problem|meinung|idee|eindruck|fehler|vorschlag|antwort|"
    r"beispiel|leben|tag|plan)"
)
NO_VALUES = (
    r"(?:not|nicht|kein\w*|never|too|so|very|sehr|zu|broken|kaputt|slow|down|late|here|there|hier|"
    r"weg|gone|tomorrow|today|next|heute|morgen|ok|okay|fine|good|bad|great|gut|that|this|it|dass|"
    r"how|what|why|if|whether|about|to|like|\w+ing)\b"
)
# What is no thing to like or use, because it points at something said elsewhere.
NO_THINGS = (
    r"(?:not|nicht|it|that|this|these|those|you|your|him|her|them|his|how|what|when|where|why|"
    r"who|which|"
    r"the (?:way|idea|first|second|third|last|latter|former|one|answer|sound|look|plan|draft|text)|"
    r"es|das|dies\w*|dich|dein\w*|ihn|sie|ihm|euch|wie|was|wenn)\b"
)
PROFESSIONS = (
    r"(?:engineer|developer|dev|programmer|designer|architect|scientist|researcher|analyst|"
    r"consultant|"
    r"manager|nurse|doctor|physician|surgeon|dentist|pharmacist|teacher|professor|lecturer|student|"
    r"lawyer|accountant|journalist|writer|author|editor|translator|artist|musician|photographer|"
    r"chef|cook|baker|carpenter|electrician|plumber|mechanic|technician|pilot|driver|farmer|admin|"
    r"administrator|sysadmin|freelancer|founder|entrepreneur|physicist|chemist|biologist|economist|"
    r"mathematician|psychologist|therapist|librarian|paramedic|firefighter|cto|ceo|midwife|"
    r"veterinarian|vet|optician|carer|caretaker|waiter|waitress|barista|butcher|hairdresser|tailor|"
    r"gardener|florist|painter|sculptor|actor|actress|dancer|singer|composer|judge|notary|soldier|"
    r"secretary|receptionist|cashier|geologist|historian|linguist|statistician|"
    r"ingenieur|entwickler|programmierer|architekt|wissenschaftler|forscher|berater|"
    r"pfleger|arzt|ärztin|apotheker|lehrer|lektor|anwalt|anwältin|buchhalter|"
    r"autor|übersetzer|künstler|musiker|fotograf|koch|köchin|bäcker|tischler|elektriker|mechaniker|"
    r"mechatroniker|techniker|fahrer|landwirt|informatiker|physiker|chemiker|biologe|"
    r"psychologe|psychologin|therapeut|krankenschwester|verkäufer|hebamme|friseur|gärtner|maler|"
    r"schreiner|maurer|polizist|schauspieler|sänger|tänzer|richter|notar|kellner|metzger|erzieher|"
    r"sekretär|optiker|historiker)(?:in)?"
)
# What nobody does for long: a way, a place, a moment, or something pointed at.
NO_HABITS = (
    rf"(?:{NO_THINGS}|(?:with|without|around|along|into|in|on|at|to|for|from|up|down|out|off|by|"
    r"like|as|well|hard|much|more|less|only|again|home|fast|often|every|each|some|any|all|too|so|"
    r"very|not|never|no|none|here|there|back|away|over|through|tired|old|weary|dumb|dead|fair|"
    r"safe|\w+ly|devil's|track|calm|busy|quiet|fit|still|my|me|myself|our|us|its|"
    r"their|an? (?:lot|bit|little|few|role|part|trick|copy|record|secret|eye|case|point))\b)"
)
NUMBER = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|eine?n?|zwei|drei|vier|fünf|"
    r"sechs|sieben|acht|neun|zehn)"
)
# Of "I have a ..." what one has for long; an idea, a question or a cold is something else.
OWNED = (
    r"(?:kids?|child(?:ren)?|sons?|daughters?|brothers?|sisters?|siblings|twins|grandchildren|"
    r"dogs?|cats?|pupp(?:y|ies)|kittens?|horses?|pon(?:y|ies)|rabbits?|hamsters?|guinea pigs?|"
    r"parrots?|budgies?|canar(?:y|ies)|hens?|chickens?|goats?|sheep|cows?|donkeys?|tortoises?|"
    r"snakes?|garden|allotment|motorbike|motorcycle|bike|bicycle|car|van|boat|house|flat|"
    r"apartment|piano|guitar|violin|cello|"
    r"kind(?:er)?|söhne|sohn|töchter|tochter|brüder|bruder|schwestern?|geschwister|zwillinge|"
    r"enkel(?:kinder)?|hunde?|katzen?|kater|pferde?|hasen?|kaninchen|meerschweinchen|"
    r"papagei(?:en)?|wellensittiche?|hühner|ziegen?|schafe?|kühe?|esel|schildkröten?|schlangen?|"
    r"garten|motorrad|fahrrad|auto|boot|haus|wohnung|klavier|gitarre|geige)"
)
TRADES = (
    r"marketing|sales|finance|banking|insurance|education|health ?care|retail|construction|"
    r"logistics|tourism|hospitality|agriculture|research|publishing|advertising|consulting|it|"
    r"hr|human resources|software|tech|law|politics|media|government|manufacturing|accounting|"
    r"hospital|school|bank|library|restaurant|bakery|shop|factory|kindergarten|nursery|lab|"
    r"laboratory|museum|hotel|pharmacy|warehouse|call cent(?:er|re)"
)
# Of what somebody is at work on, what takes weeks.
PROJECT_KINDS = (
    r"(?:trip|holiday|vacation|wedding|party|novel|book|thesis|dissertation|memoir|blog|play|"
    r"screenplay|album|house|cabin|shed|boat|robot|app|website|game|compiler|startup|garden|"
    r"marathon|exhibition|reise|urlaub|hochzeit|feier|roman|buch|masterarbeit|bachelorarbeit|"
    r"doktorarbeit|dissertation|haus|hütte|boot|roboter|spiel)"
)
# What an English sentence writes with a capital letter after "I'm" and is no first name.
NO_FIRST_NAMES = (
    r"(?:(?:american|british|english|scottish|welsh|irish|german|austrian|swiss|french|italian|"
    r"spanish|portuguese|dutch|belgian|danish|swedish|norwegian|finnish|polish|czech|slovak|"
    r"hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|chinese|japanese|korean|indian|"
    r"pakistani|iranian|persian|iraqi|syrian|lebanese|egyptian|moroccan|nigerian|ghanaian|kenyan|"
    r"south|african|brazilian|mexican|argentinian|chilean|colombian|peruvian|canadian|australian|"
    r"european|asian|arab|kurdish|israeli|vietnamese|thai|filipino|indonesian|croatian|serbian|"
    r"bosnian|slovenian|estonian|latvian|lithuanian|catholic|protestant|christian|muslim|jewish|"
    r"hindu|buddhist|sikh|orthodox|sorry|sure|happy|fine|okay|ok|glad|afraid|lost|confused|bored|worried|stuck|tired|back|done|new|"
    r"here|ready|late|sick|ill|hungry|busy|not|so|very|just|still|also|now|really|in|on|at|from|"
    r"about|out|off|the|an?|vegan|vegetarian|pescatarian|english|team)\b)"
)
# What a German sentence writes with a capital letter after "ich bin" and is no first name.
NO_FIRST_NAMES_GERMAN = (
    rf"(?:(?:\w*{PROFESSIONS}|\w*(?:chef|mann|frau|händer|steher|schläfer|raucher|arbeiter|"
    r"meister|leiter|trinker|esser|liebhaber|besitzer|anfänger|diabetiker|allergiker|freund|"
    r"schüler|mensch|typ|fan)(?:in)?|[\w-]*(?:reicher|länder|deutscher|deutsche|schweizer|wiener|"
    r"grazer|linzer|berliner|münchner|hamburger|kölner|salzburger|tiroler|steirer|kärntner|"
    r"italiener|spanier|engländer|amerikaner|pole|franzose|türke|grieche|ungar|kroate|serbe)(?:in)?|"
    r"veganer(?:in)?|vegetarier(?:in)?|student(?:in)?|studierende|rentner(?:in)?|"
    r"pensionist(?:in)?|azubi|lehrling|single|vater|mutter|papa|mama|oma|opa|tante|onkel|neuling|"
    r"christ(?:in)?|muslim(?:a)?|jude|jüdin|atheist(?:in)?|boss|nerd|profi|gast|admin|meinung|"
    r"ansicht|überzeugung|zeit|hause|urlaub|team|teil|neue|alte|beste|erste|letzte|jüngste|"
    r"älteste|nächste|gleiche|selbe|widder|stier|zwilling|krebs|löwe|jungfrau|waage|skorpion|"
    r"schütze|steinbock|wassermann|fisch|krank|müde|neu|hier|wieder|da)\b)"
)
OFTEN = (
    r"(?:(?:really|absolutely|actually|currently|now|still|also|always|usually|just|both|especially|"
    r"particularly|severely|very|highly|mostly|recently) )*"
)
OFT = (
    r"(?:(?:jetzt|derzeit|gerade|aktuell|momentan|auch|sehr|wirklich|besonders|total|stark|schwer|"
    r"immer|vor allem|seit [\w.]+(?: (?:jahren|monaten|wochen))?) )*"
)
