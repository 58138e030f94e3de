import asyncio
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryapp.memory import embeddings, minilm
from memoryapp.memory import recall as recall_module
from memoryapp.memory.embeddings import fill
from memoryapp.memory.recall import FEW_PREFERENCES, arecall, recall, search, search_archive
from memoryapp.models import Chat, Fact, Message
from memoryapp.models.chats import num_tokens

TOOLS = "What tools do I use for infrastructure deployments?"


def make_fact(user, key, value, **fields):
    fields = {"origin": "typed", "actor": "extractor", "config": user.search_config, **fields}
    fact = Fact.objects.create(user=user, key=key, value=value, **fields)
    fill(Fact.objects.for_user(user), lambda each: each.text)
    return fact


def said(chat, *bodies, role=Message.Role.USER):
    """Messages of the person in another chat, or of `chat` itself, with their vectors."""
    messages = [chat.add_message(role, body) for body in bodies]
    fill(chat.messages.all(), lambda each: each.body)
    return messages


def earlier_chat(user, *bodies, **fields):
    chat = Chat.objects.create(user=user, **fields)
    said(chat, *bodies)
    return chat


def texts(memories):
    return [memory.text for memory in memories]


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


def test_recall_takes_one_question_to_the_database_and_one_for_the_texts(ada, chat, terraform):
    earlier_chat(ada, "We deploy with Terraform.")
    with CaptureQueriesContext(connection) as queries:
        assert recall(ada, chat, TOOLS).turns
    assert len(queries) == 2


def test_recall_returns_nothing_when_nothing_fits(ada, chat, terraform):
    found = recall(ada, chat, "Please write a poem about the sea")
    assert (found.memories, found.turns) == ((), ())


@pytest.mark.parametrize("switched_off", ["user", "chat"])
def test_recall_finds_nothing_while_memory_is_off(ada, chat, terraform, switched_off):
    make_fact(ada, "name", "Ada", kind="identity")
    owner = {"user": ada, "chat": chat}[switched_off]
    owner.memory_on = False
    assert recall(ada, chat, TOOLS) == recall_module.Recalled()


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


def test_without_leaves_a_fact_out_and_what_taught_it(ada, chat):
    (source,) = said(Chat.objects.create(user=ada), "We deploy with Terraform, always have.")
    said(source.chat, "Noted: you deploy with Terraform.", role=Message.Role.ASSISTANT)
    fact = make_fact(ada, "deployment_tool", "Terraform", source_message=source)
    assert recall(ada, chat, TOOLS).memories
    found = recall(ada, chat, TOOLS, without=[str(fact.pk)])
    assert (found.memories, found.turns, found.near_misses) == ((), (), ())


def test_without_leaves_a_turn_out(ada, chat):
    (message,) = said(Chat.objects.create(user=ada), "We deploy with Terraform.")
    assert recall(ada, chat, TOOLS, without=[str(message.pk)]).turns == ()


def test_what_only_local_models_may_see_is_withheld_from_others_with_its_source(ada, chat):
    (source,) = said(Chat.objects.create(user=ada), "We deploy with Terraform, always have.")
    make_fact(ada, "deployment_tool", "Terraform", source_message=source, local_only=True)
    assert recall(ada, chat, TOOLS).memories
    found = recall(ada, chat, TOOLS, local=False)
    assert (found.memories, found.turns, found.near_misses) == ((), (), ())
    assert search_archive(ada, TOOLS)
    assert search_archive(ada, TOOLS, local=False) == []


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
    assert 0 < facts <= 90
    assert turns > 90
    assert facts + turns <= 300


def test_recall_stays_within_its_limit(ada, chat, settings):
    settings.RECALL_LIMIT = 2
    for number in range(5):
        make_fact(ada, f"server_{number}", f"server {number} is in Frankfurt")
        earlier_chat(ada, f"Server {number} in Frankfurt is down.")
    found = recall(ada, chat, "What about the servers in Frankfurt?")
    assert (len(found.memories), len(found.turns)) == (2, 2)


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


def test_words_are_found_in_the_language_each_row_was_written_in(ada, chat):
    ada.language = "de"
    make_fact(ada, "wohnung", "Zwei Häuser am See", config="german")
    make_fact(ada, "server", "Deployments happen nightly", config="english")
    Fact.objects.update(embedding=None)
    assert texts(search(ada, "Welches Haus?"))[0] == "wohnung: Zwei Häuser am See"
    best = search(ada, "Deployments")[0]
    assert (best.text, best.words) == ("server: Deployments happen nightly", 1.0)


def test_stop_words_count_for_nothing(ada, terraform):
    assert search(ada, "what do I use the for", min_score=-1)[0].words == 0


@pytest.mark.parametrize(
    "question",
    ["", " ", "?", "\0", "'; drop table memoryapp_fact; --", "%s %(x)s {rows}", "\\ ' \" & | ! :*",
     "https://example.org/a?b=c&d", "word " * 30_000, "😀", "日本語", "a" * 5000],
)  # fmt: skip
def test_any_question_can_be_asked(ada, chat, terraform, question):
    earlier_chat(ada, "We deploy with Terraform.")
    recall(ada, chat, question)
    search(ada, question)
    assert search(ada, "terraform")[0].id == str(terraform.pk)


def test_search_gives_facts_best_first_with_a_least_score_and_a_kind(ada, terraform):
    make_fact(ada, "dish", "likes tools for pasta", kind="preference")
    assert texts(search(ada, TOOLS)) == [terraform.text, "dish: likes tools for pasta"]
    assert texts(search(ada, TOOLS, limit=1)) == [terraform.text]
    assert texts(search(ada, TOOLS, min_score=0.5)) == [terraform.text]
    assert texts(search(ada, TOOLS, kind="preference")) == ["dish: likes tools for pasta"]
    assert search(ada, " ") == []


def test_search_looks_through_turns_when_asked(ada, terraform):
    earlier_chat(ada, "We deploy with Terraform.")
    assert texts(search(ada, TOOLS, kind="turn")) == ["We deploy with Terraform."]


def test_search_leaves_out_other_users_facts_and_turns(ada, ben):
    make_fact(ben, "deployment_tools", TOOLS)
    earlier_chat(ben, "We deploy with Terraform.")
    assert search(ada, TOOLS) == search(ada, TOOLS, kind="turn") == []


def test_search_archive_finds_old_messages_of_all_chats_but_what_the_prompt_has(ada, ben, chat):
    earlier_chat(ada, "We deploy with Terraform.")
    earlier_chat(ada, "We deploy with Pulumi.", memory_on=False)
    earlier_chat(ben, "We deploy with Ansible.")
    said(chat, "We deploy with Chef.")
    assert set(texts(search_archive(ada, TOOLS))) == {
        "We deploy with Terraform.",
        "We deploy with Chef.",
    }
    assert texts(search_archive(ada, TOOLS, chat=chat)) == ["We deploy with Terraform."]
    assert search_archive(ada, "Who wrote Hamlet?", chat=chat) == []


def test_search_archive_finds_nothing_while_memory_is_off(ada, chat):
    earlier_chat(ada, "We deploy with Terraform.")
    chat.memory_on = False
    assert search_archive(ada, TOOLS, chat=chat) == []
    ada.memory_on = False
    assert search_archive(ada, TOOLS) == []


@pytest.mark.django_db(transaction=True)
async def test_arecall_answers_as_recall_does_and_leaves_no_connection_open(ada, settings):
    settings.RECALL_TIMEOUT_MS = 10_000

    def prepare():
        make_fact(ada, "deployment_tools", "Terraform through GitHub Actions")
        return Chat.objects.create(user=ada)

    chat = await asyncio.to_thread(with_connection_closed, prepare)
    found = await arecall(ada, chat, TOOLS)
    assert texts(found.memories) == ["deployment tools: Terraform through GitHub Actions"]
    assert found.timed_out is False
    states = await asyncio.gather(*(in_recall_thread(is_connected) for _ in range(4)))
    assert not any(states)


def with_connection_closed(work):
    try:
        return work()
    finally:
        connection.close()


def is_connected():
    return connections["default"].connection is not None


async def in_recall_thread(work):
    return await asyncio.get_running_loop().run_in_executor(recall_module.executor, work)


@pytest.mark.django_db(transaction=True)
async def test_loading_the_embedding_model_is_not_counted_as_recall(ada, settings):
    settings.RECALL_TIMEOUT_MS = 1000
    chat = await Chat.objects.acreate(user=ada)
    minilm._load.cache_clear()
    with minilm._loading:
        first = asyncio.ensure_future(arecall(ada, chat, TOOLS))
        await asyncio.sleep(1.2)
        assert not first.done()
    assert (await first).timed_out is False


async def test_arecall_goes_on_without_memory_when_time_is_up(settings, caplog):
    settings.RECALL_TIMEOUT_MS = 50
    embeddings.prepare()
    release = threading.Event()
    busy = [in_recall_thread(release.wait) for _ in range(2)]
    tasks = [asyncio.ensure_future(work) for work in busy]
    await asyncio.sleep(0)

    started = time.perf_counter()
    found = await arecall(None, None, TOOLS)
    elapsed = time.perf_counter() - started

    release.set()
    await asyncio.gather(*tasks)
    assert (found.memories, found.timed_out) == ((), True)
    assert 40 <= found.milliseconds <= 1000 * elapsed + 1
    assert elapsed < 1
