import pytest

from memoryapp.memory.recall.names import named_in
from memoryapp.memory.recall.ranking import Speaker
from memoryapp.models import Message
from tests.factories import make_chat

GREETINGS = ["Hey Robin! How was it?", "Wow, Robin, really?", "Thanks, Robin.", "So Robin said."]


def chat_with_robin(ada, replies=("Fine, Ada!",)):
    """Ada calls the other side Robin."""
    chat = make_chat(ada)
    for body in GREETINGS:
        chat.add_message(Message.Role.USER, body)
    for body in replies:
        chat.add_message(Message.Role.ASSISTANT, body)
    return chat


def test_the_persons_own_name_is_taken_out_and_names_them(ada):
    assert named_in("When was Ada's last holiday?", ada) == ("When was last holiday?", Speaker.OWN)


def test_the_other_side_is_known_by_how_it_is_addressed(ada):
    chat_with_robin(ada)
    assert named_in("What did Robin cook?", ada) == ("What did cook?", Speaker.OTHER)


def test_the_person_is_known_by_how_they_are_addressed(ada):
    chat_with_robin(ada, ["Hi Countess!", "Sure, Countess.", "Of course, Countess, at once."])
    assert named_in("Where does the Countess live?", ada).speaker == Speaker.OWN


def test_who_names_both_prefers_neither(ada):
    chat_with_robin(ada)
    named = named_in("What did Ada tell Robin?", ada)
    assert named == ("What did tell ?", Speaker.BOTH)


def test_somebody_who_is_only_spoken_of_is_no_speaker(ada):
    make_chat(ada, "Maria came by.", "How is Maria?", "Maria is well, and so is Maria's cat.")
    question = "What is the name of Maria's cat?"
    assert named_in(question, ada) == (question, Speaker.NOBODY)


def test_a_name_in_a_draft_or_two_names_nobody(ada):
    make_chat(
        ada, "Write to Maria", "Hi Maria, I hope you are well.", "Again", "Dear Maria, hello."
    )
    assert named_in("When did I write to Maria?", ada).speaker == Speaker.NOBODY


def test_how_others_are_addressed_elsewhere_says_nothing(ada, ben):
    chat_with_robin(ben)
    assert named_in("What did Robin cook?", ada).speaker == Speaker.NOBODY


def test_a_chat_with_memory_off_is_not_read_for_names(ada):
    chat = chat_with_robin(ada)
    type(chat).objects.update(memory_on=False)
    assert named_in("What did Robin cook?", ada).speaker == Speaker.NOBODY


@pytest.mark.parametrize("question", ["Ada?", "Ada", "", "?", "(((", "[Ada"])
def test_a_question_never_becomes_empty(ada, question):
    assert named_in(question, ada).question == question


def test_an_ordinary_question_asks_the_database_nothing(ada, django_assert_num_queries):
    with django_assert_num_queries(0):
        named_in("What tools do I use for infrastructure deployments?", ada)
