from datetime import timedelta

from django.utils import timezone

from memoryapp.memory import forgetting, ledger
from memoryapp.memory.recall import recall, search_archive
from memoryapp.memory.recall.withheld import Withheld
from memoryapp.models import Chat, Fact, Message
from tests.memory.findable import earlier_chat, said

HOME = "Where is it that I live?"


def learned(message, key, value, **fields):
    return ledger.remember(
        user=message.user,
        table="fact",
        key=key,
        value=value,
        actor="extractor",
        origin="typed",
        source_message=message,
        **fields,
    )


def told_home(user):
    """A chat in which a home was told, and what it taught."""
    (message,) = said(Chat.objects.create(user=user), "I live in Berlin, near the canal.")
    return message, learned(message, "city", "Berlin")


def moved(user, **fields):
    """What another chat taught later."""
    (elsewhere,) = said(Chat.objects.create(user=user), "Off to the Danube!")
    return learned(elsewhere, "city", "Vienna", **fields)


def turns(user, **options):
    """The turns that tell of Berlin, as they are told for a question."""
    found = recall(user, Chat.objects.create(user=user), HOME, **options).turns
    return [turn for turn in found if "Berlin" in turn.text]


def archived(user):
    return [turn for turn in search_archive(user, HOME) if "Berlin" in turn.text]


def test_a_turn_says_what_holds_since_its_fact_changed(ada):
    told_home(ada)
    now = moved(ada)
    (turn,) = turns(ada)
    assert (turn.since, turn.since_ids, turn.ended) == ("city: Vienna", (str(now.pk),), "")


def test_a_turn_whose_fact_still_holds_is_not_marked(ada):
    told_home(ada)
    (found,) = archived(ada)
    assert (found.since, found.ended) == ("", "")


def test_a_turn_says_that_nothing_holds_since_its_fact_was_taken_back(ada):
    _, home = told_home(ada)
    ledger.retract(row=home, actor="ada")
    (turn,) = turns(ada)
    assert (turn.since, turn.ended) == ("", "city")


def test_a_turn_says_that_its_fact_has_expired(ada):
    _, home = told_home(ada)
    Fact.objects.filter(pk=home.pk).update(expires_at=timezone.now() - timedelta(hours=1))
    (turn,) = turns(ada)
    assert turn.ended == "city"


def test_a_reply_with_the_former_value_is_marked_like_what_it_answers(ada):
    message, _ = told_home(ada)
    said(message.chat, "Berlin is where you live.", role=Message.Role.ASSISTANT)
    moved(ada)
    assert {turn.said_by: turn.since for turn in turns(ada)} == {
        "user": "city: Vienna",
        "assistant": "city: Vienna",
    }


def test_what_is_said_of_a_former_value_after_the_change_is_not_marked(ada):
    message, _ = told_home(ada)
    moved(ada)
    Message.objects.filter(pk=message.pk).update(is_recallable=False)
    an_hour_ago = timezone.now() - timedelta(hours=1)
    Fact.objects.filter(value="Berlin").update(valid_from=an_hour_ago, valid_to=an_hour_ago)
    earlier_chat(ada, "I used to live in Berlin, you know.")
    (turn,) = turns(ada)
    assert (turn.since, turn.ended) == ("", "")


def test_a_value_that_was_restored_is_not_marked(ada):
    _, home = told_home(ada)
    moved(ada)
    ledger.restore(row=home, actor="ada")
    (found,) = archived(ada)
    assert (found.since, found.ended) == ("", "")


def test_a_key_that_was_corrected_changes_nothing_of_what_was_said(ada):
    _, home = told_home(ada)
    ledger.edit(row=home, actor="ada", key="home_city")
    (found,) = archived(ada)
    assert (found.since, found.ended) == ("", "")


def test_what_only_local_models_may_see_is_not_told_with_a_turn_to_others(ada):
    message, _ = told_home(ada)
    moved(ada, local_only=True)
    (turn,) = turns(ada, withheld=Withheld(local_only=True))
    assert (turn.id, turn.since, turn.ended) == (str(message.pk), "", "city")


def test_what_a_reply_goes_without_is_not_told_with_a_turn(ada):
    told_home(ada)
    now = moved(ada)
    (turn,) = turns(ada, withheld=Withheld({str(now.pk)}))
    assert (turn.since, turn.ended) == ("", "city")


def test_changes_of_others_mark_nothing(ada, ben):
    told_home(ada)
    told_home(ben)
    moved(ben)
    (found,) = archived(ada)
    assert (found.since, found.ended) == ("", "")


def test_forgetting_takes_what_holds_now_out_of_the_marks_on_receipts(ada, chat):
    told_home(ada)
    now = moved(ada)
    turn = {"id": "1", "text": "I live there", "since": "city: Vienna", "ended": ""}
    reply = chat.add_message(
        "assistant", "So it is.", receipt={"turns": [{**turn, "since_ids": [str(now.pk)]}]}
    )
    report = forgetting.forget(rows=Fact.objects.filter(pk=now.pk), actor="ada")
    reply.refresh_from_db()
    assert report.receipts == 1
    assert reply.receipt["turns"][0]["text"] == "I live there"
    assert "Vienna" not in str(reply.receipt)
