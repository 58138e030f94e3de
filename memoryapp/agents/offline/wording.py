"""What the responder says of its own, in English and German."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Wording:
    """What the responder says in one language."""

    introduction: str
    greeting: str
    thanks: str
    farewell: str
    forgetting: str
    statement: str
    everything: str
    nothing_yet: str
    memory: str
    resources: str
    archive: str
    nothing: str
    closest: str
    creates: str
    due: str
    off: str


ENGLISH = Wording(
    introduction="I am the offline responder, not a language model: I look things up in your "
    "memory and your documents. To connect a model, start Ollama on this machine (it is found "
    "within a minute), or set `TALKER_MODEL` or a provider's API key and restart.",
    greeting="Hello. Ask me something that your memory or your documents may answer.",
    thanks="You're welcome. Ask me whenever something is to be looked up.",
    farewell="Goodbye. I am here when something is to be looked up.",
    forgetting="The memory page forgets everything for good, under “Forget everything” at its end. "
    "A single thing is forgotten there too, or where it stands under a reply.",
    statement="I have read that. If memory is on, what I learn from it shows under this reply.",
    everything="This is what I recall about you here; the memory page has all of it:",
    nothing_yet="I recall nothing about you yet.",
    memory="From your memory:",
    resources="From your documents:",
    archive="From earlier chats:",
    nothing="I found nothing about that in your memory, your documents or your earlier chats.",
    closest="Nothing I know has these words. What comes closest in meaning:",
    creates="More than looking things up needs a language model.",
    due="This is due:",
    off="This chat doesn't use your memory: nothing is looked up there and nothing is learned.",
)
GERMAN = Wording(
    introduction="Ich bin der Offline-Antworter, kein Sprachmodell: Ich schlage in deinem "
    "Gedächtnis und deinen Dokumenten nach. Um ein Modell zu verbinden, starte Ollama auf diesem "
    "Rechner (es wird binnen einer Minute gefunden), oder setze `TALKER_MODEL` oder den "
    "API-Schlüssel eines Anbieters und starte neu.",
    greeting="Hallo. Frag mich etwas, das dein Gedächtnis oder deine Dokumente beantworten.",
    thanks="Gern geschehen. Frag mich, wenn etwas nachzuschlagen ist.",
    farewell="Bis bald. Ich bin da, wenn etwas nachzuschlagen ist.",
    forgetting="Alles endgültig vergisst die Gedächtnisseite, an ihrem Ende unter „Alles "
    "vergessen“. Einzelnes vergisst sie auch, oder es geschieht dort, wo es unter einer Antwort "
    "steht.",
    statement="Ich habe das gelesen. Ist das Gedächtnis an, steht unter dieser Antwort, was ich "
    "daraus lerne.",
    everything="Das weiß ich hier über dich; alles steht auf der Gedächtnisseite:",
    nothing_yet="Ich weiß noch nichts über dich.",
    memory="Aus deinem Gedächtnis:",
    resources="Aus deinen Dokumenten:",
    archive="Aus früheren Chats:",
    nothing="Ich habe dazu nichts gefunden, weder im Gedächtnis noch in deinen Dokumenten oder "
    "früheren Chats.",
    closest="Nichts, was ich weiß, enthält diese Wörter. Am nächsten kommt:",
    creates="Mehr als Nachschlagen braucht ein Sprachmodell.",
    due="Das ist fällig:",
    off="Dieser Chat nutzt dein Gedächtnis nicht: Dort wird nichts nachgeschlagen und nichts "
    "gelernt.",
)

OWN = frozenset(phrase for wording in (ENGLISH, GERMAN) for phrase in astuple(wording))


def is_own(text: str) -> bool:
    """Whether `text` is something that the responder said."""
    return any(phrase in text for phrase in OWN)
