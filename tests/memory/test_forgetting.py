from threading import Thread

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memoryapp.memory import eviction, ledger, review
from memoryapp.memory.forgetting import forget
from memoryapp.memory.forgotten import GONE
from memoryapp.models import Fact, MemoryEvent, Message
from tests.factories import make_chat, make_fact, proposal, remember


@pytest.fixture
def learned(ada):
    """A chat that taught two versions of Ada's city, the first one used in a reply."""
    chat = make_chat(ada, "I live in Rotterdam.", "Noted.", "I moved to Uppsala.", "Noted.")
    messages = list(chat.archive)
    first, second = (
        proposal("city", "Rotterdam", "I live in Rotterdam"),
        proposal("city", "Uppsala", "I moved to Uppsala"),
    )
    ledger.apply(user=ada, operations=[first], messages=messages, model="scripted")
    used = {"id": str(Fact.objects.get().pk), "text": "city: Rotterdam"}
    turn = {"id": str(messages[0].pk), "text": "I live in Rotterdam."}
    receipt = {"memories": [used], "near_misses": [], "turns": [turn], "prompts": []}
    Message.objects.filter(pk=messages[3].pk).update(receipt=receipt)
    ledger.apply(user=ada, operations=[second], messages=messages, model="scripted")
    return chat


def forget_city(user):
    return forget(rows=Fact.objects.for_user(user).filter(key="city", valid_to=None), actor="ada")


def test_the_log_keeps_a_receipt_of_what_was_looked_through(ada, learned):
    forget_city(ada)
    receipt = MemoryEvent.objects.get(action="forgotten").reason
    assert receipt.startswith("Removed from: versions 2, log entries ")
    assert "receipts 1, messages 2, summaries 0, titles 0" in receipt


def test_forget_removes_every_version(ada, learned):
    report = forget_city(ada)
    assert (report.memories, report.versions, report.messages) == (1, 2, 2)
    assert not Fact.objects.exists()


def test_forget_takes_the_text_out_of_the_log(ada, learned):
    forget_city(ada)
    log = MemoryEvent.objects.values_list("action", "key", "before", "after", "quote")
    changes = ["added", "changed", "forgotten"]
    assert sorted(log) == sorted((action, GONE, "", "", "") for action in changes)


@pytest.mark.django_db(transaction=True)
def test_forget_takes_what_is_written_in_the_same_moment_too(ada):
    fact = remember(ada, "city", "Rotterdam")

    def forget_soon():
        forget_city(ada)
        connection.close()

    with transaction.atomic():
        ledger.edit(row=fact, actor="ada", value="Uppsala")
        forgetting = Thread(target=forget_soon)
        forgetting.start()
        forgetting.join(1)
        is_waiting = forgetting.is_alive()
    forgetting.join(20)
    assert is_waiting
    assert not Fact.objects.exists()
    assert not MemoryEvent.objects.exclude(before="", after="").exists()


def test_forget_takes_whom_it_was_about_out_of_the_log(ada):
    remember(ada, "city", "Vienna", subject="my brother Otto")
    assert MemoryEvent.objects.get().subject == "my brother Otto"
    forget(rows=Fact.objects.for_user(ada), actor="ada")
    assert set(MemoryEvent.objects.values_list("subject", flat=True)) == {""}


def test_forget_takes_what_a_program_said_of_it_out_of_receipts(ada, learned):
    first, second = learned.archive.filter(role="assistant")
    for reply, instructions in ((first, "The user is from Uppsala."), (second, "Be brief.")):
        Message.objects.filter(pk=reply.pk).update(
            receipt={**reply.receipt, "instructions": instructions}
        )
    forget_city(ada)
    kept = learned.archive.filter(role="assistant").values_list("receipt__instructions", flat=True)
    assert list(kept) == [GONE, "Be brief."]


def test_forget_takes_the_text_out_of_receipts(ada, learned):
    forget_city(ada)
    receipt = learned.archive.last().receipt
    assert receipt["memories"][0]["text"] == receipt["turns"][0]["text"] == GONE


def test_what_taught_it_is_no_longer_recalled(ada, learned):
    forget_city(ada)
    assert list(learned.archive.values_list("is_recallable", flat=True)) == [
        False,
        True,
        False,
        True,
    ]


def test_a_forgotten_value_waits_for_a_decision_when_it_comes_back(ada, learned):
    forget_city(ada)
    chat = make_chat(ada, "I live in Uppsala.", "Noted.")
    [event] = ledger.apply(
        user=ada,
        operations=[proposal("town", "uppsala", "I live in Uppsala")],
        messages=list(chat.archive),
        model="scripted",
    )
    assert (event.action, event.reason) == (MemoryEvent.Action.PARKED, review.FORGOTTEN)
    assert not Fact.objects.in_use().exists()


def test_what_repeated_it_is_no_longer_recalled_either(ada, learned):
    echo = make_chat(ada, "Where do I live?", "You live in Uppsala, I think.")
    forget_city(ada)
    assert not echo.archive.last().is_recallable
    assert echo.archive.first().is_recallable


def test_a_summary_that_holds_it_is_dissolved_with_those_it_went_into(ada, settings):
    settings.SUMMARY_TRIGGER_MESSAGES, settings.SUMMARY_KEEP_MESSAGES = 3, 2
    chat = make_chat(ada, "I live in Uppsala.", "Noted.", "c", "d")
    ledger.remember(user=ada, table="fact", key="city", value="Uppsala", actor="ada", origin="user")
    eviction.evict(chat, eviction.due(chat), "Lives in Uppsala.")
    for body in "ef":
        chat.add_message("user", body)
    eviction.evict(chat, eviction.due(chat), "Small talk.")
    assert forget_city(ada).summaries == 2
    assert [message.body for message in chat.history] == ["I live in Uppsala.", "Noted.", *"cdef"]


def test_forget_leaves_other_people_and_other_keys_alone(ada, ben, learned):
    make_fact(ben, "city", "Uppsala")
    make_fact(ada, "name", "Ada")
    forget_city(ada)
    assert set(Fact.objects.values_list("user__username", "key")) == {
        ("ben", "city"),
        ("ada", "name"),
    }


@pytest.mark.parametrize(("language", "title"), [("en", "New chat"), ("de", "Neuer Chat")])
def test_a_title_that_tells_it_is_removed_in_its_owners_language(ada, learned, language, title):
    ada.language = language
    ada.save()
    learned.title, learned.title_source = "Moving to Uppsala", "auto"
    learned.save()
    forget_city(ada)
    learned.refresh_from_db()
    assert (learned.title, learned.title_source) == (title, "default")


def test_forgetting_many_looks_through_everything_once(ada, learned):
    def forget_all():
        with CaptureQueriesContext(connection) as queries:
            forget(rows=Fact.objects.for_user(ada), actor="ada")
        return len(queries)

    make_fact(ada, "name", "Ada Lovelace")
    few = forget_all()
    for number in range(30):
        fact = remember(ada, f"thing_{number}", f"Bicycle {number} is red")
        ledger.edit(row=fact, actor="ada", value=f"Bicycle {number} is blue")
    assert forget_all() <= few
    assert not Fact.objects.exists()
    receipts = MemoryEvent.objects.filter(action="forgotten").values_list("reason", flat=True)
    assert "versions 60, log entries 60" in receipts[0]


def test_of_several_forgotten_at_once_each_leaves_the_words_of_what_taught_it_only(ada):
    chat = make_chat(ada, "I was born in Oslo.", "Bergen is nice, too.", "I skate.", "Like Oslo!")
    make_fact(ada, "birthplace", "Oslo", source_message=chat.archive[0])
    make_fact(ada, "sport", "skating in Bergen", source_message=chat.archive[2])
    forget(rows=Fact.objects.for_user(ada), actor="ada")
    recallable = chat.archive.filter(is_recallable=True).values_list("body", flat=True)
    assert list(recallable) == ["Bergen is nice, too."]


@pytest.mark.parametrize("spelling", ["ZÜRICH", "Zu\u0308rich", "Zurich"])
def test_another_spelling_of_it_is_noticed_too(ada, spelling):
    chat = make_chat(ada, "I live in Zürich.", "Noted.", f"{spelling} is fine.", "Yes.")
    remember(ada, "city", "Zürich")
    forget_city(ada)
    assert not chat.archive.get(body=f"{spelling} is fine.").is_recallable
    message = make_chat(ada, f"I live in {spelling}.").archive.get()
    operation = proposal("home", spelling, f"I live in {spelling}")
    [event] = ledger.apply(user=ada, operations=[operation], messages=[message], model="scripted")
    assert event.reason == review.FORGOTTEN


def test_what_waits_and_says_it_too_is_dropped(ada, ben):
    for user in (ada, ben):
        remember(user, "coffee", "oat milk in my coffee", status="pending")
        remember(user, "milk", "oat milk")
    waiting = remember(ada, "tea", "black tea", status="pending")
    forget(rows=Fact.objects.for_user(ada).filter(key="milk"), actor="ada")
    assert list(Fact.objects.for_user(ada)) == [waiting]
    assert Fact.objects.for_user(ben).count() == 2
