"""Words that tell who is spoken of, what is asked for, off the record, secret or sensitive, in
further languages: French, Spanish, Portuguese, Italian, Dutch, Russian, Turkish, Japanese, Korean.

Those of English, German, Chinese and Arabic stand with the checks that go by them.
"""


def any_of(words: str) -> str:
    """A pattern for one of these words; an underscore stands for a space."""
    return f"(?:{'|'.join(words.split())})".replace("_", " ")


# Of each that has the Latin script, the words that most sentences have some of.
COMMON = (
    "je il elle nous le la les une et est suis ai que pas pour avec mon ma mes el los las una y soy"
    " tengo vivo con mi mis por pero del muy os um uma eu meu minha moro lo gli di che sono ho ik"
    " het een mijn maar niet bir ve ben bu ama"
)

# "My" with what may stand between, the people it is said of, and what must follow.
MY_PEOPLE = (
    (
        r"(?:mon|ma|mes) (?:\w+ )?",
        "amie?s? copine? sœurs? frères? mère père maman papa femme mari fils filles? enfants?"
        " chef patronn?e? collègues? voisine?s? tante oncle cousine?s? parents? chien chat",
        r"\b",
    ),
    (
        r"mis? (?:\w+ )?",
        "amig[oa]s? herman[oa]s? madre padre padres mamá papá espos[oa] marido mujer novi[oa]"
        " hij[oa]s? jef[ea] compañer[oa]s? vecin[oa]s? tí[oa] prim[oa]s? abuel[oa]s?"
        " perr[oa] gat[oa]",
        r"\b",
    ),
    (
        r"(?:o |a )?(?:meus?|minhas?) (?:\w+ )?",
        "amig[oa]s? irmãos? irmãs? mãe pai mulher marido namorad[oa] filh[oa]s? chefe colegas?"
        " vizinh[oa]s? ti[oa] prim[oa]s? avó avô cachorro gat[oa]",
        r"\b",
    ),
    (
        r"(?:il |la |i |le )?(?:mio|mia|miei|mie) (?:\w+ )?",
        "amic[oa] amici sorella fratello madre padre mamma papà moglie marito figli[oa] capo"
        " collega vicin[oa] zi[oa] cugin[oa] nonn[oa] cane gatto",
        r"\b",
    ),
    (
        r"mijn (?:\w+ )?",
        "vriend(?:in)? zus broer moeder vader vrouw man partner zoon dochter kinderen baas collega"
        " buurman buurvrouw tante oom neef nicht oma opa hond kat",
        r"\b",
    ),
    (
        r"(?:мой|моя|мои) (?:\w+ )?",
        "друг подруга друзья сестра брат мать мама отец папа жена муж сын дочь дети начальник"
        " коллега сосед соседка тётя дядя бабушка дедушка родители собака кошка",
        r"\b",
    ),
    (
        "",
        "arkadaşım kardeşim ablam abim annem babam eşim karım kocam oğlum kızım patronum komşum"
        " teyzem amcam sevgilim iş_arkadaşım kız_arkadaşım erkek_arkadaşım",
        r"(?:[ıiuü]n)?\b",
    ),
    (
        "(?:(?:私|僕|俺)の)?",
        "友達 友人 母 父 妹 姉 兄 弟 妻 夫 息子 娘 同僚 上司 彼氏 彼女",
        "[はがもの]",
    ),
    (
        "(?:(?:제|내|우리) )?",
        "친구 엄마 아빠 어머니 아버지 언니 누나 오빠 형 동생 아내 남편 아들 딸 동료 상사",
        "[는은이가]",
    ),
)
SOMEBODY_ELSE = "|".join(f"{my}{any_of(people)}{end}" for my, people, end in MY_PEOPLE)

HE_OR_SHE = (
    r"il(?! y a| (?:me|m['’]|faut|fait))|elle|ils|elles|él|ella|ellos|ellas|ele|ela|eles|elas"
    "|lui|lei|hij|zij|он|она|они"
)

REQUEST_BEGINS = any_of(
    "écris traduis raconte explique donne résume montre trouve cherche propose rédige corrige"
    " escribe traduce cuéntame explica dame resume muestra busca recomienda escreve traduz"
    " scrivi traduci spiega schrijf vertaal напиши переведи расскажи объясни"
)
REQUEST_ENDS = (
    r"(?:ください|下さい|教えて|書いて|訳して|주세요|해줘"
    r"|\b(?:bana|bize|lütfen)\b.*\b(?:yaz|çevir|anlat|açıkla|öner|söyle)(?:ır mısın)?)"
)

# What says that something is over.
OVER = (
    "quitté|arrêté|vendu|perdu|mort|fini|rompu|oublie|divorcé|déménagé|plus du tout|faux"
    "|dejé|dejado|vendí|vendido|perdí|murió|olvida|terminé|renuncié|rompí|ya no|falso"
    "|deixei|larguei|parei|vendi|perdi|morreu|esqueça|terminei|já não|não mais"
    "|lasciato|smesso|venduto|perso|morto|finito|dimentica|non più"
    "|gestopt|opgezegd|verkocht|verloren|overleden|vergeet|verhuisd|niet meer|niet langer"
    "|больше не|бросила?|продала?|уволил(?:ся|ась)|умерл?а?|потеряла?|забудь|переехала?"
    r"|artık|\w*ayrıldım|sattım|bıraktım|öldü|kaybettim|boşandım|taşındım|unut|bitti"
    "|längre|lenger|już"
)
OVER_UNSPACED = (
    "売|やめ|退職|別れ|死ん|亡くな|失くし|忘れて|引っ越|もう|그만|팔았|헤어|죽|잊어|퇴사|이사"
)

OFF_THE_RECORD = "|".join(
    (
        r"\bne (?:retiens|mémorise|enregistre|garde) pas (?:ça|cela|ceci)\b",
        r"\b(?:juste|seulement) un exemple",
        r"\bno (?:lo )?(?:recuerdes|guardes|memorices)\b|\bs[oó]lo (?:es )?un ejemplo",
        r"\bnão (?:lembre|guarde|memorize|salve)\b|\b(?:só|apenas) (?:é )?um exemplo",
        r"\bnon (?:ricordare|memorizzare|salvare)\b|\bsolo un esempio",
        r"^\W*niet (?:onthouden|opslaan)\b|\b(?:onthoud|bewaar) (?:dit|dat) niet\b",
        r"\b(?:maar|slechts) een voorbeeld",
        r"\bне (?:запоминай|сохраняй)|\b(?:просто|только) пример",
        r"\b(?:bunu|şunu|onu) (?:hatırlama|kaydetme|saklama)\b|\bsadece (?:bir )?örnek",
        "(?:覚え|記憶し|保存し)ないで|ただの例",
        "(?:기억하|저장하)지 ?마|(?:그냥|단지) 예시",
    )
)
ABOUT_THE_LAST = "|".join(
    (
        r"\bc'était (?:juste|seulement)|\b(?:era|fue|foi) (?:s[oóò]lo|só|apenas)",
        r"\bdat was (?:maar|slechts)|\bэто был[оа]? (?:просто|только)|\b(?:bu|o) sadece",
        "今のは|さっきのは|방금",
    )
)

# Who says the word tells the thing: "Мой пароль hunter2" has no verb to go by.
SECRET = (
    r"\b(?:mot de passe|contraseña|palavra-passe|senha|wachtwoord|пароль|şifrem|parolam)\b"
    "|パスワード|暗証番号|비밀번호"
)
# Beginnings of words, without accents.
SENSITIVE = {
    "health": "alerg allergi diabet depress depriment enceinte embarazad gravid incinta zwanger"
    " hamile malad(?:e|ie)\\b enfermedad doenca malatti ziekte hastalig handicap seropositi"
    " беремен диабет аллерг депресс болезн рак\\b 妊娠 糖尿病 アレルギー うつ病"
    " 임신 당뇨 알레르기 우울증",
    "beliefs": "catholi catolic cattolic katholiek musulman muculman moslim müslüman chretien"
    " cristian judi[oa] juif je_vote voto_(?:a|por|em|per)\\b синдикат syndicat sindicat sindacat"
    " православн мусульман христиан 仏教徒 キリスト教 불교 기독교",
    "sexuality": "lesbien lesbic lesbiana homosexue homosexua omosessual bisexue eşcinsel"
    " гей\\b лесбиян ゲイ 同性愛 게이\\b 동성애",
    "money": "mon_salaire je_gagne mes_dettes mi_(?:sueldo|salario) gano_\\d meu_salario"
    " minhas_dividas il_mio_stipendio mijn_salaris maasim моя_зарплата мои_долги 給料 年収 借金"
    " 월급 연봉 빚",
}

QUESTION_BEGINS = "|".join(
    (
        r"(?:où|comment|pourquoi|combien) (?:est|sont|ai|suis|je|tu|vous)\b|qu'est-ce que\b",
        r"(?:dónde|cuándo|cómo|quién|cuál|por qué|cuánt[oa]s?)\b",
        r"(?:onde|quem|por que) (?:eu|é|são|você)\b|(?:dove|perché|chi) (?:è|sono)\b",
        r"(?:waar|waarom|hoe) (?:is|ben|woon)\b|(?:где|почему|сколько|кто) ",
    )
)
