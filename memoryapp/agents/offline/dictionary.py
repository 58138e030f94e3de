"""One word for what has several, in German above all: keys and questions are in English."""

import re

# Without the German words that English has, too: "kind", "boot", "Roman".
OTHER_WORDS = {
    "guitar": "gitarre gitarren", "piano": "klavier", "violin": "geige violine",
    "drums": "schlagzeug", "flute": "flöte querflöte", "trumpet": "trompete",
    "accordion": "akkordeon ziehharmonika",
    "football": "fußball fussball", "chess": "schach", "cards": "karten",
    "dog": "hund", "dogs": "hunde", "cat": "katze kater", "cats": "katzen", "horse": "pferd",
    "horses": "pferde", "rabbit": "hase kaninchen", "bird": "vogel",
    "guinea_pig": "meerschweinchen",
    "kids": "kinder children", "son": "sohn", "sons": "söhne",
    "daughter": "tochter", "daughters": "töchter", "brother": "bruder", "brothers": "brüder",
    "sister": "schwester", "sisters": "schwestern", "siblings": "geschwister",
    "twins": "zwillinge", "grandchildren": "enkel enkelkinder",
    "favourite": "favorite", "colour": "farbe color", "food": "essen", "dish": "gericht speise",
    "book": "buch", "books": "bücher", "film": "movie", "songs": "lieder",
    "drink": "getränk", "season": "jahreszeit", "number": "zahl nummer",
    "phone_number": "telefonnummer handynummer",
    "shoe_size": "schuhgröße schuhgrösse", "height": "körpergröße",
    "tea": "tee", "coffee": "kaffee", "milk": "milch", "beer": "bier", "wine": "wein",
    "cheese": "käse", "meat": "fleisch", "fish": "fisch", "pork": "schweinefleisch",
    "olives": "oliven", "mushrooms": "pilze schwammerl", "nut": "nuss", "nuts": "nüsse",
    "peanut": "erdnuss", "peanuts": "erdnüsse", "eggs": "eier", "coriander": "koriander cilantro",
    "tomatoes": "tomaten", "onions": "zwiebeln", "garlic": "knoblauch", "chocolate": "schokolade",
    "wheat": "weizen", "rain": "regen", "snow": "schnee", "music": "musik", "art": "kunst",
    "german": "deutsch", "english": "englisch", "french": "französisch", "italian": "italienisch",
    "spanish": "spanisch", "russian": "russisch", "turkish": "türkisch", "polish": "polnisch",
    "physics": "physik", "maths": "mathe mathematik math", "biology": "biologie",
    "chemistry": "chemie", "law": "jus jura", "medicine": "medizin", "history": "geschichte",
    "cooking": "kochen", "reading": "lesen", "hiking": "wandern", "swimming": "schwimmen",
    "running": "laufen joggen", "dancing": "tanzen", "singing": "singen", "cycling": "radfahren",
    "travelling": "reisen traveling", "climbing": "klettern", "skiing": "skifahren",
    "trip": "reise", "holiday": "urlaub", "wedding": "hochzeit", "house": "haus",
    "animals": "tiere", "flat": "wohnung", "car": "auto", "bicycle": "fahrrad",
    "motorbike": "motorrad", "garden": "garten", "hut": "hütte", "robot": "roboter",
    "game": "spiel", "party": "feier",
}  # fmt: skip
ENGLISH_FOR = {word: english for english, words in OTHER_WORDS.items() for word in words.split()}
FAVOURITE = re.compile(r"\blieblings-?(?=\w)")


def in_english(text: str) -> str:
    """`text` in small letters, each word that is known in English; "Lieblingsfarbe" is two."""
    text = FAVOURITE.sub("favourite ", text.lower())
    return re.sub(r"\w+", lambda word: ENGLISH_FOR.get(word[0], word[0]), text)
