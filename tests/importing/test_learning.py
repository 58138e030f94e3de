"""What imported chats teach: it waits, the newest of it alone, and never against what is known."""

import pytest

from memoryapp import imported, tasks
from memoryapp.agents import llm
from memoryapp.memory import forgetting, ledger, recall
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Usage
from tests.factories import make_chat, make_fact, proposal, remember
from tests.fakes import learns, operation
from tests.importing.archive import at, bring, read_all, read_on, waiting

pytestmark = pytest.mark.django_db
GRAZ = operation("city", "Graz", "I live in Graz")


@pytest.mark.parametrize("review", ["always", "risky", "never"])
def test_what_is_found_waits_whatever_its_owner_has_set(ada, review):
    ada.review = review
    ada.save()
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    fact = Fact.objects.get()
    assert (fact.status, fact.origin) == ("pending", "import")
    assert fact.waits_because == "It comes from a file that you imported."
    assert (fact.quote, fact.source_message.body) == ("I live in Graz", "I live in Graz.")
    assert fact.valid_from == at(2023)
    assert not Fact.objects.for_user(ada).in_use().exists()
    assert Usage.objects.get().agent == "extractor"


def test_the_newest_of_what_was_said_is_proposed(ada):
    bring(ada, "I live in Graz.", year=2023)
    bring(ada, "I live in Linz.", year=2024, id="later")
    read_all(ada, learns(GRAZ, operation("city", "Linz", "I live in Linz")))
    assert waiting(ada) == {"city": "Linz"}
    outdated = MemoryEvent.objects.get(after="Graz", action="refused")
    assert outdated.reason == "Something newer is known: this was said before it."


def test_the_newest_is_proposed_whichever_file_came_first(ada):
    bring(ada, "I live in Linz.", year=2024)
    read_all(ada, learns(operation("city", "Linz", "I live in Linz")))
    bring(ada, "I live in Graz.", year=2023, id="earlier")
    read_all(ada, learns(GRAZ))
    assert waiting(ada) == {"city": "Linz"}


def test_what_is_known_from_later_is_not_questioned(ada):
    remember(ada, "city", "Vienna")
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    assert waiting(ada) == {}
    assert Fact.objects.for_user(ada).in_use().get().value == "Vienna"


def test_what_ended_since_is_not_proposed(ada):
    ledger.retract(row=remember(ada, "employer", "Siemens"), actor="ada")
    bring(ada, "I work at Siemens.")
    read_all(ada, learns(operation("employer", "Siemens", "I work at Siemens")))
    assert waiting(ada) == {}


def test_what_ended_within_the_archive_is_not_proposed(ada):
    bring(ada, "I work at Siemens.", year=2023)
    read_all(ada, learns(operation("employer", "Siemens", "I work at Siemens")))
    assert waiting(ada) == {"employer": "Siemens"}
    bring(ada, "I quit my job at Siemens.", year=2024, id="later")
    end = operation("employer", "", "I quit my job at Siemens", action="retract", replaces=1)
    read_all(ada, learns(end))
    assert waiting(ada) == {}


def test_nothing_that_takes_effect_is_ended_by_a_file(ada):
    make_fact(ada, "employer", "Siemens", recorded_at=at(2020), valid_from=at(2020))
    bring(ada, "I quit my job at Siemens.")
    end = operation("employer", "", "I quit my job at Siemens", action="retract", replaces=1)
    read_all(ada, learns(end))
    assert Fact.objects.for_user(ada).in_use().get().value == "Siemens"
    assert "would end what I know" in MemoryEvent.objects.get(action="refused").reason


def test_a_proposal_is_dropped_when_something_newer_is_said_here(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    chat = make_chat(ada, "I moved to Vienna.", "Nice.")
    with llm.override({"extractor": learns(operation("city", "Vienna", "I moved to Vienna"))}):
        tasks.extract(str(chat.pk))
    assert waiting(ada) == {}
    assert Fact.objects.for_user(ada).in_use().get().value == "Vienna"


def test_an_accepted_proposal_holds_from_when_it_was_said_and_is_superseded_as_any_fact(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    ledger.approve(row=Fact.objects.get(), actor="ada")
    bring(ada, "I live in Linz.", year=2024, id="later")
    read_all(ada, learns(operation("city", "Linz", "I live in Linz")))
    assert waiting(ada) == {"city": "Linz"}
    ledger.approve(row=Fact.objects.waiting().get(), actor="ada")
    [linz, graz] = Fact.objects.for_user(ada).order_by("-valid_from")
    assert (graz.valid_from, graz.valid_to, linz.valid_to) == (at(2023), at(2024), None)


def test_the_same_said_in_many_chats_is_one_proposal(ada):
    for number in range(3):
        bring(ada, "I live in Graz.", year=2022 + number, id=f"c{number}")
    read_all(ada, learns(GRAZ, GRAZ))
    assert waiting(ada) == {"city": "Graz"}


def test_a_task_whose_day_is_past_and_what_has_expired_are_left_out(ada):
    bring(ada, "Remind me to call Eva on Friday.", "Until Friday I am in Rome.")
    read_all(
        ada,
        learns(
            operation(
                "call_eva", "call Eva", "Remind me to call Eva", kind="task",
                due_at="2023-05-05T09:00",
            ),
            operation("place", "Rome", "I am in Rome", expires_at="2023-05-05T09:00"),
        ),
    )  # fmt: skip
    assert waiting(ada) == {}
    reasons = set(MemoryEvent.objects.values_list("reason", flat=True))
    assert reasons == {"It has expired."}


def test_what_says_something_forgotten_is_not_read(ada):
    make_fact(ada, "city", "Graz")
    forgetting.forget(rows=Fact.objects.all(), actor="ada")
    bring(ada, "Graz is where I live.", "My town is Graz.")
    model = learns(operation("home", "Graz", "My town is Graz"))
    read_all(ada, model)
    assert model.requests == []


def test_a_forgotten_value_waits_with_a_note_of_that(ada):
    chat = bring(ada, "I live in Graz.")
    make_fact(ada, "city", "Graz")
    forgetting.forget(rows=Fact.objects.all(), actor="ada")
    said = [proposal("city", "Graz", "I live in Graz")]
    ledger.apply(user=ada, operations=said, messages=list(chat.archive), model="test")
    assert Fact.objects.get().waits_because == "You asked me to forget this."


def test_what_is_not_to_be_remembered_is_not_sent_and_takes_back_what_came_before(ada):
    bring(ada, "I live in Graz.", "Don't remember that I am ill.", "Don't remember that.")
    bring(ada, "I have a dog.", id="other")
    model = learns(GRAZ)
    read_all(ada, model)
    assert "ill" not in model.sent.split('"messages"')[1]
    assert "I have a dog." in model.sent


def test_what_is_taken_back_in_a_later_question_waits_no_longer(ada):
    bring(ada, "I live in Graz.", "Don't remember that.")
    said = Message.objects.for_user(ada).get(body="I live in Graz.")
    [event] = ledger.apply(
        user=ada, operations=[proposal("city", "Graz", "I live in Graz")], messages=[said],
        model="test",
    )  # fmt: skip
    assert event.action == "parked"
    Message.objects.filter(pk=said.pk).update(is_extracted=True)
    read_all(ada, learns())
    assert waiting(ada) == {}


def test_reading_the_same_again_changes_nothing(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    Message.objects.update(is_extracted=False)
    read_all(ada, learns(GRAZ))
    assert Fact.objects.count() == MemoryEvent.objects.count() == 1


def test_what_waits_is_shown_to_the_extractor_nearest_first(ada):
    bring(ada, "I live in Graz.", "I work at Siemens.")
    read_all(ada, learns(GRAZ, operation("employer", "Siemens", "I work at Siemens")))
    bring(ada, "I moved house.", year=2024, id="later")
    tasks.embed_missing()
    model = learns()
    read_all(ada, model)
    known = model.sent.split('"messages"')[0]
    assert '"city"' in known
    assert known.index('"city"') < known.index('"employer"')


def test_a_chat_that_is_gone_on_with_learns_from_what_is_said_here_only(ada):
    chat = bring(ada, "I live in Graz.")
    chat.add_message(Message.Role.USER, "I have a dog.")
    chat.add_message(Message.Role.ASSISTANT, "Nice.")
    model = learns(operation("pet", "dog", "I have a dog"))
    with llm.override({"extractor": model}):
        tasks.extract(str(chat.pk))
    assert "Graz" not in model.sent
    assert Fact.objects.get().status == "active"


def test_old_messages_stay_findable_while_what_they_teach_waits(ada):
    bring(ada, "I live in Graz.")
    read_all(ada, learns(GRAZ))
    tasks.embed_missing()
    found = recall.recall(ada, Chat(user=ada), "Where do I live?")
    assert any("Graz" in turn.text for turn in found.turns)


def test_it_works_with_the_offline_responder(ada):
    bring(ada, "I live in Graz.")
    imported.start(ada)
    read_on(ada)
    assert set(waiting(ada).values()) == {"Graz"}
