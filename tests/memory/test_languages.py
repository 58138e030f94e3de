"""What people say in languages whose words aren't all listed: what counts, and what mustn't."""

import pytest

from memoryapp.memory import ledger
from memoryapp.memory.language.phrases import (
    is_off_the_record,
    looks_like_secret,
    sensitive_topic,
    takes_back_the_last,
)
from memoryapp.memory.operations import Operation
from memoryapp.models import Chat

# The message, the key and the value that an extractor took from it.
HONEST = [
    ("J'habite à Grenoble avec ma sœur.", "city", "Grenoble"),
    ("Ma mère s'appelle Odile.", "mother_name", "Odile"),
    ("Je ne mange pas de porc.", "diet", "ne mange pas de porc"),
    ("Vivo en Cádiz con mi hermana.", "city", "Cádiz"),
    ("Mi hijo se llama Bruno.", "son_name", "Bruno"),
    ("Toco el piano los domingos.", "hobby", "piano los domingos"),
    ("Moro em Recife.", "city", "Recife"),
    ("Sono un medico di Parma.", "job", "medico"),
    ("Ik woon in Utrecht met mijn vriendin.", "city", "Utrecht"),
    ("Quand je suis fatigué, je bois du thé.", "habit", "je bois du thé"),
    ("Je ne garde pas d'animaux.", "pets", "ne garde pas d'animaux"),
    ("Ik kan namen niet onthouden.", "weakness", "namen onthouden"),
    ("Когда я был маленьким, я жил в Казани.", "childhood", "жил в Казани"),
    ("En sevdiğim mevsim yaz.", "season", "yaz"),
    ("Я работаю учителем.", "job", "учитель"),
    ("Ankara'da yaşıyorum.", "city", "Ankara"),
    ("Bir kedim var.", "pet", "kedi"),
    ("札幌に住んでいます。", "city", "札幌"),
    ("猫を飼っています。", "pet", "猫"),
    ("저는 간호사입니다.", "job", "간호사"),
    ("我是护士，住在杭州。", "job", "护士"),
    ("أسكن في الإسكندرية.", "city", "الإسكندرية"),
]
DISHONEST = [
    ("Mon frère adore la chasse.", "likes", "la chasse"),
    ("Mes parents habitent à Nantes.", "city", "Nantes"),
    ("Traduis cette lettre sur les abeilles.", "interest", "les abeilles"),
    ("Comment est la météo à Lille", "city", "Lille"),
    ("Mi tía vive en Murcia.", "city", "Murcia"),
    ("¿Dónde está Teruel", "city", "Teruel"),
    ("Minha irmã odeia futebol.", "dislikes", "futebol"),
    ("Mio fratello lavora a Torino.", "city", "Torino"),
    ("Mijn baas houdt van zeilen.", "likes", "zeilen"),
    ("Моя сестра не любит рыбу.", "dislikes", "рыбу"),
    ("Annem balık sevmez.", "dislikes", "balık"),
    ("Bana arılar hakkında bir masal anlat.", "interest", "arılar"),
    ("私の妹は魚が嫌いです。", "dislikes", "魚"),
    ("蜂について書いてください。", "interest", "蜂"),
    ("제 친구는 생선을 싫어해요.", "dislikes", "생선"),
    ("J'habite à Grenoble.", "city", "Paris"),
    ("猫を飼っています。", "pet", "犬"),
    ("我是护士。", "job", "医生"),
    ("Я работаю учителем.", "job", "врач"),
]


def learned(user, body, key, value):
    message = Chat.objects.create(user=user).add_message("user", body)
    quote = body.rstrip(".。")
    proposed = Operation("add", "fact", key, value, quote)
    events = ledger.apply(user=user, operations=[proposed], messages=[message], model="test")
    return [event.action for event in events]


@pytest.mark.parametrize(("body", "key", "value"), HONEST)
def test_what_was_said_of_oneself_is_learned_in_any_language(ada, body, key, value):
    assert learned(ada, body, key, value) == ["added"]


@pytest.mark.parametrize(("body", "key", "value"), DISHONEST)
def test_what_was_not_said_of_oneself_is_refused(ada, body, key, value):
    assert learned(ada, body, key, value) == ["refused"]


@pytest.mark.parametrize(
    "body",
    [
        "Ne retiens pas ça : je cherche un emploi.",
        "No guardes esto, por favor.",
        "Não guarde isso.",
        "Non memorizzare questo.",
        "Niet onthouden, graag.",
        "Не запоминай это.",
        "Bunu kaydetme lütfen.",
        "これは覚えないでください。",
        "이건 기억하지 마.",
    ],
)
def test_a_wish_not_to_be_remembered_is_understood(body):
    assert is_off_the_record(body)
    assert not takes_back_the_last(body)


@pytest.mark.parametrize(
    "body",
    ["C'était juste un exemple.", "Era solo un ejemplo.", "Dat was maar een voorbeeld.",
     "Это был просто пример.", "O sadece bir örnekti.", "今のはただの例です。"],
)  # fmt: skip
def test_it_was_just_an_example_is_said_of_what_came_before(body):
    assert takes_back_the_last(body)


@pytest.mark.parametrize(
    "text",
    ["Mon mot de passe est hunter2.", "Mi contraseña de Gmail es hunter2", "Мой пароль hunter2",
     "パスワードはhunter2です", "내 비밀번호는 hunter2", "My password for the mail is hunter2"],
)  # fmt: skip
def test_a_password_is_a_secret_in_any_language(text):
    assert looks_like_secret(text)


@pytest.mark.parametrize(
    "text",
    ["My password manager is Bitwarden", "J'utilise un gestionnaire de mots de passe",
     "パスタが好きです"],
)  # fmt: skip
def test_what_only_sounds_like_a_secret_is_none(text):
    assert not looks_like_secret(text)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Je suis diabétique.", "health"),
        ("Soy alérgica al polen", "health"),
        ("妊娠しています", "health"),
        ("У меня аллергия на орехи", "health"),
        ("Soy católica", "beliefs"),
        ("Je suis lesbienne", "sexuality"),
        ("Je gagne 3000 euros", "money"),
        ("Mi sueldo es de 2000 euros", "money"),
        ("J'adore les gravures anciennes", ""),
        ("Ik hou van judo", ""),
        ("Я люблю раков и ракушки", ""),
    ],
)
def test_a_sensitive_topic_is_named_in_any_language(text, topic):
    assert sensitive_topic(text) == topic
