from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryapp.memory import ledger
from memoryapp.memory.recall import recall, search, search_archive
from memoryapp.memory.recall.choosing import Recalled, clear_of
from memoryapp.memory.recall.recalling import FEW_PREFERENCES
from memoryapp.memory.recall.withheld import Withheld
from memoryapp.models import Chat, Fact, Message
from memoryapp.tokens import num_tokens
from tests.memory.findable import TOOLS, earlier_chat, make_fact, said, texts


@pytest.fixture
def terraform(ada):
    return make_fact(ada, "deployment_tools", "Terraform through GitHub Actions")


def test_recall_finds_a_fact_by_meaning_and_says_how_well_it_fits(ada, chat, terraform):
    (memory,) = recall(ada, chat, "How do we roll out our cloud servers?").memories
    assert (memory.id, memory.kind, memory.reason) == (str(terraform.pk), "fact", "meaning")
    assert memory.text == "deployment tools: Terraform through GitHub Actions"
    assert memory.score >= memory.cosine > 0.3 > memory.words


def test_recall_finds_a_fact_by_its_words_when_it_has_no_vector(ada, chat, terraform):
    Fact.objects.update(embedding=None, embedding_model="")
    (memory,) = recall(ada, chat, "Terraform and GitHub?").memories
    assert (memory.id, memory.reason, memory.cosine) == (str(terraform.pk), "words", None)


def test_recall_never_compares_vectors_of_another_model(ada, chat, terraform):
    Fact.objects.update(embedding=[1.0, 0.0], embedding_model="other")
    (memory,) = recall(ada, chat, "Terraform and GitHub?").memories
    assert memory.cosine is None


def test_recall_survives_a_model_that_changed_its_dimensions(ada, chat, terraform):
    Fact.objects.update(embedding=[1.0, 0.0])
    (memory,) = recall(ada, chat, "Terraform and GitHub?").memories
    assert memory.cosine is None


def test_recall_goes_by_words_when_the_embedding_model_is_unavailable(
    ada, chat, terraform, settings
):
    settings.EMBEDDING_MODEL = "nowhere:model"
    assert texts(recall(ada, chat, "Terraform and GitHub?").memories) == [terraform.text]


def test_recall_leaves_out_other_users_facts_and_turns(ada, ben, chat):
    make_fact(ben, "deployment_tools", TOOLS, is_pinned=True)
    earlier_chat(ben, f"{TOOLS} Pulumi.")
    found = recall(ada, chat, TOOLS)
    assert (found.memories, found.turns, found.near_misses) == ((), (), ())


def test_a_person_with_few_memories_beside_one_with_many_gets_all_that_fit(ada, ben, chat):
    Fact.objects.bulk_create(
        Fact(user=ben, key=f"server_{n}", value="a server in Frankfurt", origin="api", actor="ben")
        for n in range(2000)
    )
    for number in range(5):
        make_fact(ada, f"server_{number}", f"a server in Frankfurt, rack {number}")
    assert len(recall(ada, chat, "Which servers are in Frankfurt?").memories) == 5
    assert len(search(ada, "Which servers are in Frankfurt?", limit=5)) == 5


def test_recall_takes_the_same_six_queries_however_much_there_is(ada, chat, terraform):
    earlier_chat(ada, *["We deploy with Terraform."] * 30)
    recall(ada, chat, TOOLS)  # the floor is looked up once a minute
    with CaptureQueriesContext(connection) as queries:
        assert recall(ada, chat, TOOLS).turns
    # What taught withheld facts and in which languages there is something, the model in use, the
    # question's words, one pass over everything, the texts shown, and whether they tell what
    # holds no longer.
    assert len(queries) == 6


def test_recall_returns_nothing_when_nothing_fits(ada, chat, terraform):
    found = recall(ada, chat, "Please write a poem about the sea")
    assert (found.memories, found.turns) == ((), ())


@pytest.mark.parametrize("switched_off", ["user", "chat"])
def test_recall_finds_nothing_while_memory_is_off(ada, chat, terraform, switched_off):
    make_fact(ada, "name", "Ada", kind="identity")
    owner = {"user": ada, "chat": chat}[switched_off]
    owner.memory_on = False
    assert recall(ada, chat, TOOLS) == Recalled()


def test_identity_pinned_and_due_facts_are_in_whatever_the_question(ada, chat):
    soon = timezone.now() + timedelta(days=2)
    make_fact(ada, "article", "Ship the Odoo article", kind="task", due_at=soon)
    make_fact(ada, "book", "Read Middlemarch", kind="task", due_at=soon + timedelta(days=30))
    make_fact(ada, "name", "Ada Lovelace", kind="identity")
    make_fact(ada, "car", "a red Fiat", is_pinned=True)
    found = recall(ada, chat, "What is the boiling point of water?").memories
    assert [(memory.kind, memory.reason) for memory in found] == [
        ("fact", "pinned"),
        ("identity", "always"),
        ("task", "due"),
    ]


def test_what_a_person_once_asked_is_no_memory_while_what_they_told_is(ada, chat):
    told = "My deployment tools? Terraform, for all of infrastructure."
    earlier_chat(ada, "Which tools do I use for infrastructure?", told)
    assert texts(recall(ada, chat, TOOLS).turns) == [told]


def test_all_open_tasks_are_in_when_they_are_asked_for(ada, chat):
    make_fact(ada, "book", "Read Middlemarch", kind="task")
    make_fact(ada, "roof", "Mend the roof", kind="task", due_at=timezone.now() + timedelta(days=90))
    make_fact(ada, "tax", "Pay the tax", kind="task", status="paused")
    found = recall(ada, chat, "What do I have to do?").memories
    assert {(memory.text.split(" (")[0], memory.reason) for memory in found} == {
        ("book: Read Middlemarch", "asked"),
        ("roof: Mend the roof", "asked"),
    }


def test_of_a_time_that_is_named_the_tasks_that_are_due_then_are_in(ada, chat):
    year = timezone.now().year + 2
    for month in (3, 4):
        due_at = datetime(year, month, 15, 12, tzinfo=UTC)
        make_fact(ada, f"bill_{month}", "Write the bill", kind="task", due_at=due_at)
    make_fact(ada, "book", "Read Middlemarch", kind="task")
    found = recall(ada, chat, f"What do I have to do in March {year}?").memories
    assert [memory.text[:6] for memory in found if memory.reason == "asked"] == ["bill 3"]


def test_tasks_of_somebody_else_are_not_asked_for(ada, ben, chat):
    make_fact(ben, "book", "Read Middlemarch", kind="task")
    assert recall(ada, chat, "What do I have to do?").memories == ()


def test_a_due_task_says_when_in_the_persons_zone(ada, chat):
    ada.timezone = "Asia/Kolkata"
    due = (timezone.now() + timedelta(days=1)).replace(hour=18, minute=30, second=0, microsecond=0)
    make_fact(ada, "article", "Ship it", kind="task", due_at=due)
    midnight = due.astimezone(ada.zone)
    (memory,) = recall(ada, chat, "hello").memories
    assert memory.text == f"article: Ship it (due {midnight:%A, %d %B %Y})"


def test_preferences_are_all_in_while_they_are_few(ada, chat):
    for number in range(FEW_PREFERENCES):
        make_fact(ada, f"taste_{number}", f"likes dish {number}", kind="preference")
    found = recall(ada, chat, "What is the boiling point of water?").memories
    assert [memory.reason for memory in found] == ["always"] * FEW_PREFERENCES


def test_of_many_preferences_those_that_fit_are_in(ada, chat):
    for number in range(FEW_PREFERENCES + 1):
        make_fact(ada, f"taste_{number}", f"likes dish {number}", kind="preference")
    make_fact(ada, "editor", "prefers dark themes in every editor", kind="preference")
    found = recall(ada, chat, "Which editor theme should I use, dark or light?").memories
    assert texts(found) == ["editor: prefers dark themes in every editor"]


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "paused"},
        {"status": "pending"},
        {"valid_to": timezone.now() + timedelta(days=1)},
        {"expires_at": timezone.now() - timedelta(days=1)},
    ],
)
def test_facts_that_do_not_hold_are_not_recalled(ada, chat, terraform, fields):
    Fact.objects.update(is_pinned=True, **fields)
    assert recall(ada, chat, TOOLS).memories == ()


def test_withholding_leaves_a_fact_out_and_what_taught_it(ada, chat):
    (source,) = said(Chat.objects.create(user=ada), "We deploy with Terraform, always have.")
    said(source.chat, "Noted: you deploy with Terraform.", role=Message.Role.ASSISTANT)
    fact = make_fact(ada, "deployment_tool", "Terraform", source_message=source)
    assert recall(ada, chat, TOOLS).memories
    found = recall(ada, chat, TOOLS, withheld=Withheld([str(fact.pk)]))
    assert (found.memories, found.turns, found.near_misses) == ((), (), ())


def test_withholding_leaves_a_turn_out(ada, chat):
    (message,) = said(Chat.objects.create(user=ada), "We deploy with Terraform.")
    assert recall(ada, chat, TOOLS, withheld=Withheld([str(message.pk)])).turns == ()


def test_what_only_local_models_may_see_is_withheld_from_others_with_its_source(ada, chat):
    (source,) = said(Chat.objects.create(user=ada), "We deploy with Terraform, always have.")
    make_fact(ada, "deployment_tool", "Terraform", source_message=source, local_only=True)
    assert recall(ada, chat, TOOLS).memories
    found = recall(ada, chat, TOOLS, withheld=Withheld(local_only=True))
    assert (found.memories, found.turns, found.near_misses) == ((), (), ())
    assert search_archive(ada, TOOLS)
    assert search_archive(ada, TOOLS, withheld=Withheld(local_only=True)) == []


def test_what_waits_for_approval_is_not_told_by_the_message_that_taught_it(ada, chat):
    (source,) = said(Chat.objects.create(user=ada), "We deploy with Terraform, always have.")
    fact = make_fact(ada, "tool", "Terraform", source_message=source, status="pending")
    assert recall(ada, chat, TOOLS).turns == ()
    fact.delete()
    assert recall(ada, chat, TOOLS).turns


def test_what_the_offline_responder_said_is_not_recalled(ada, chat):
    (reply,) = said(Chat.objects.create(user=ada), "Tools: Terraform.", role="assistant")
    assert recall(ada, chat, "Which tools, Terraform?").turns
    Message.objects.filter(pk=reply.pk).update(receipt={"is_offline": True})
    assert recall(ada, chat, "Which tools, Terraform?").turns == ()


def test_recall_finds_turns_of_other_chats_with_their_source(ada, chat):
    ada.timezone = "Europe/Vienna"
    other = earlier_chat(ada, "Our production cluster runs in eu-west-1.")
    earlier_chat(ada, "Lunch was good.")
    (turn,) = recall(ada, chat, "Where does our production cluster run?").turns
    message = other.messages.get(body__startswith="Our")
    assert (turn.id, turn.kind, turn.chat_id) == (str(message.pk), "turn", str(other.pk))
    assert turn.said_at == message.created_at.astimezone(ada.zone).isoformat(timespec="seconds")


def test_turns_that_stand_in_this_chats_prompt_are_not_recalled_and_evicted_ones_are(ada, chat):
    first, second = said(chat, "The cluster runs in eu-west-1.", "The cluster has four nodes.")
    question = "Where does the cluster run, and with how many nodes?"
    assert recall(ada, chat, question).turns == ()
    summary = chat.add_message(Message.Role.SUMMARY, "The cluster runs in eu-west-1.")
    Message.objects.filter(pk=first.pk).update(evicted_by=summary)
    assert [turn.id for turn in recall(ada, chat, question).turns] == [str(first.pk)]
    assert second.evicted_by is None


@pytest.mark.parametrize(
    "fields", [{"is_recallable": False}, {"is_active": False}, {"body": "", "role": "assistant"}]
)
def test_turns_that_were_forgotten_or_replaced_or_are_empty_are_not_recalled(ada, chat, fields):
    other = earlier_chat(ada, "The cluster runs in eu-west-1.")
    other.messages.update(**fields)
    assert recall(ada, chat, "Where does the cluster run?").turns == ()


def test_turns_of_a_chat_without_memory_are_not_recalled(ada, chat):
    earlier_chat(ada, "The cluster runs in eu-west-1.", memory_on=False)
    assert recall(ada, chat, "Where does the cluster run?").turns == ()


def test_a_reply_that_still_streams_is_not_recalled(ada, chat):
    other = Chat.objects.create(user=ada)
    other.add_message(Message.Role.ASSISTANT, "The cluster runs in", status="streaming")
    assert recall(ada, chat, "Where does the cluster run?").turns == ()


def test_the_same_question_asked_before_is_no_memory_but_its_answer_is(ada, chat):
    question = "Where does the cluster run?"
    other = earlier_chat(ada, question)
    said(other, "In eu-west-1.", role=Message.Role.ASSISTANT)
    assert texts(recall(ada, chat, question).turns) == ["In eu-west-1."]


def test_a_question_that_tells_something_is_recalled_and_a_mere_one_is_not(ada, chat):
    earlier_chat(ada, "Where should the cluster run?")
    earlier_chat(ada, "The cluster runs in eu-west-1, is that near Graz?")
    found = recall(ada, chat, "Where does our cluster run?")
    assert texts(found.turns) == ["The cluster runs in eu-west-1, is that near Graz?"]


def test_a_fact_stands_for_the_message_that_taught_it(ada, chat):
    (source,) = said(Chat.objects.create(user=ada), "We deploy with Terraform, always have.")
    make_fact(ada, "deployment_tool", "Terraform", source_message=source)
    found = recall(ada, chat, TOOLS)
    assert [memory.source_message_id for memory in found.memories] == [str(source.pk)]
    assert found.turns == ()


def test_recall_stays_within_its_budget_of_tokens(ada, chat, settings):
    settings.RECALL_TOKENS = 300
    for number in range(12):
        make_fact(ada, f"server_{number}", f"the server {number} is in Frankfurt " * 3)
        earlier_chat(ada, f"Server {number} in Frankfurt went down again. " * 4)
    found = recall(ada, chat, "What about the servers in Frankfurt?")
    facts, turns = (sum(map(num_tokens, texts(part))) for part in (found.memories, found.turns))
    assert 0 < facts <= 120
    assert turns > 120
    assert facts + turns <= 300


def test_recall_stays_within_its_limit(ada, chat, settings):
    settings.RECALL_LIMIT = 2
    for number in range(5):
        make_fact(ada, f"server_{number}", f"server {number} is in Frankfurt")
        earlier_chat(ada, f"Server {number} in Frankfurt is down.")
    found = recall(ada, chat, "What about the servers in Frankfurt?")
    assert (len(found.memories), len(found.turns)) == (2, 2)


def test_turns_come_in_together_when_the_best_stands_clear_of_the_floor(ada, chat, settings):
    earlier_chat(ada, "We deploy with Terraform, our tool for infrastructure.")
    earlier_chat(ada, "The deployments ran on Monday.")
    best, *_, worst = (turn.score for turn in search(ada, TOOLS, kind="turn")[:2])
    clear = clear_of(2)
    settings.RECALL_FLOOR = min(worst, best - clear) - 0.01
    assert len(recall(ada, chat, TOOLS).turns) >= 2
    assert len(search_archive(ada, TOOLS)) >= 2
    settings.RECALL_FLOOR = best - clear + 0.01
    found = recall(ada, chat, TOOLS)
    assert (found.turns, found.near_misses[0].score) == ((), best)
    assert search_archive(ada, TOOLS) == []


def test_the_more_turns_there_are_the_clearer_the_best_must_stand(ada, chat, settings):
    earlier_chat(ada, "We deploy with Terraform, our tool for infrastructure.")
    settings.RECALL_FLOOR = search(ada, TOOLS, kind="turn")[0].score - 0.2
    assert len(recall(ada, chat, TOOLS).turns) == 1
    for number in range(20):
        earlier_chat(ada, f"The cat slept for {number} hours.")
    found = recall(ada, chat, TOOLS)
    assert (found.turns, found.clear) == ((), clear_of(21))
    assert 0.3 < clear_of(21) < clear_of(10_000) < 0.61


def test_what_falls_just_under_the_floor_is_a_near_miss(ada, chat, terraform, settings):
    score = recall(ada, chat, TOOLS).memories[0].score
    settings.RECALL_FLOOR = score + 0.05
    found = recall(ada, chat, TOOLS)
    assert (found.memories, texts(found.near_misses)) == ((), [terraform.text])
    settings.RECALL_FLOOR = score + 0.5
    assert recall(ada, chat, TOOLS).near_misses == ()


def test_of_a_long_message_the_passage_that_fits_is_shown(ada, chat):
    filler = "The weather was mild and nothing else happened on that day. " * 10
    earlier_chat(ada, f"{filler}\n\nThe cluster password rotates on Sundays.\n\n{filler}")
    (turn,) = recall(ada, chat, "When does the cluster password rotate?").turns
    assert "rotates on Sundays" in turn.text
    assert num_tokens(turn.text) < 300


def test_of_facts_that_fit_equally_the_last_used_comes_first(ada, chat):
    older, newer = (make_fact(ada, "server", "a rack in Graz", subject=name) for name in "xy")
    Fact.objects.update(embedding=None)
    found = [memory.id for memory in recall(ada, chat, "server rack in Graz").memories]
    assert found == [str(newer.pk), str(older.pk)]
    Fact.objects.filter(pk=older.pk).update(last_used_at=timezone.now())
    found = [memory.id for memory in recall(ada, chat, "server rack in Graz").memories]
    assert found == [str(older.pk), str(newer.pk)]


def test_the_use_of_a_fact_is_counted_once_for_each_reply(ada, ben, chat, terraform):
    foreign = make_fact(ben, "tool", "Pulumi")
    reply = chat.history.last()
    reply.receipt = {"memories": [{"id": str(fact.pk)} for fact in (terraform, foreign)]}
    for _ in range(2):
        ledger.note_use(reply)
    terraform.refresh_from_db()
    assert (terraform.use_count, terraform.last_used_at) == (1, reply.created_at)
    foreign.refresh_from_db()
    assert foreign.use_count == 0
    ledger.note_use(chat.add_message(Message.Role.ASSISTANT, "Nothing was recalled."))
    terraform.refresh_from_db()
    assert terraform.use_count == 1
