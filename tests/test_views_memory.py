from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from memoryapp import learning
from memoryapp.memory import ledger
from memoryapp.models import Fact, MemoryEvent, Message, Prompt
from tests.factories import make_chat, make_fact, make_prompt, proposal
from tests.pages import client_of, htmx_get, htmx_post, text_of

pytestmark = pytest.mark.django_db


def url(name, row, *more):
    tables = "facts" if isinstance(row, Fact) else "prompts"
    return reverse(f"memory-{name}", args=[tables, row.pk, *more])


@pytest.fixture
def taught(ada):
    """A fact that Ada's chat taught."""
    chat = make_chat(ada, "I live in Vienna.", "Nice.", title="Moving")
    said = chat.messages.get(role="user")
    operation = proposal("city", "Vienna", "I live in Vienna", kind="identity")
    ledger.apply(user=ada, operations=[operation], messages=[said], model="test")
    return ada.facts.get()


def test_a_fact_stands_with_the_words_that_taught_it_and_where(taught, ada):
    html = text_of(client_of(ada).get("/memory/"))
    assert "Vienna" in html
    assert "I live in Vienna</q>" in html
    assert "Moving</span>" in html
    assert f'href="/messages/{taught.source_message_id}/"' in html


def test_a_fact_doesnt_say_its_value_twice(ada):
    make_fact(ada, "plays_guitar", "guitar", subject="Ben")
    html = text_of(client_of(ada).get("/memory/"))
    assert "Ben: Plays</span>" in html


def test_an_empty_memory_teaches(ada):
    html = text_of(client_of(ada).get("/memory/"))
    assert "I know nothing about you yet." in html


def test_facts_of_somebody_else_are_not_shown(taught, ben):
    assert "Vienna" not in text_of(client_of(ben).get("/memory/"))


@pytest.mark.parametrize("name", ["row", "edit", "history", "forget"])
def test_a_fact_of_somebody_else_is_not_there(taught, ben, name):
    assert client_of(ben).get(url(name, taught)).status_code == 404


@pytest.mark.parametrize("name", ["edit", "restore", "forget"])
def test_nobody_else_changes_a_fact(taught, ben, name):
    assert client_of(ben).post(url(name, taught), {"value": "Graz"}).status_code == 404
    assert client_of(ben).post(url("flag", taught, "pin")).status_code == 404
    fact = Fact.objects.get()
    assert (fact.value, fact.is_pinned) == ("Vienna", False)


def test_the_persona_of_everyone_is_read_and_not_edited_here(ada):
    everyones = make_prompt(None, "tone", "Be kind.", origin="admin")
    make_prompt(ada, "length", "Be brief.")
    client = client_of(ada)
    html = text_of(client.get("/memory/persona/"))
    assert "Be kind." in html
    assert "Be brief." in html
    assert client.get(url("edit", everyones)).status_code == 404


def test_facts_are_filtered_by_kind(ada):
    make_fact(ada, "city", "Vienna", kind="identity")
    make_fact(ada, "ui", "dark", kind="preference")
    html = text_of(htmx_get(client_of(ada), "/memory/", kind="identity"))
    assert "Vienna" in html
    assert "dark" not in html


def test_an_unknown_kind_and_page_show_all(ada):
    make_fact(ada, "city", "Vienna")
    assert "Vienna" in text_of(client_of(ada).get("/memory/", {"kind": "x", "page": "99"}))


def test_search_finds_the_very_words_of_a_fact(ada):
    make_fact(ada, "host", "ip-10-42-17-203.internal")
    make_fact(ada, "city", "Vienna")
    html = text_of(htmx_get(client_of(ada), "/memory/", q="10-42-17"))
    assert "ip-10-42-17-203" in html
    assert "Vienna" not in html
    assert "<html" not in html


def test_search_says_that_nothing_fits(ada):
    assert "Nothing fits." in text_of(htmx_get(client_of(ada), "/memory/", q="zebra"))


def test_the_memory_page_asks_as_much_for_many_facts(ada, django_assert_num_queries):
    client = client_of(ada)
    chat = make_chat(ada, "said")
    make_fact(ada, "k", "v", source_message=chat.messages.get())
    client.get("/memory/")
    with django_assert_num_queries(10):
        client.get("/memory/")
    for n in range(60):
        make_fact(ada, f"key_{n}", "value", source_message=chat.messages.get())
    with django_assert_num_queries(10):
        html = text_of(client.get("/memory/"))
    assert html.count('class="fact"') == 50
    assert "Older facts" in html


ADDED = {"new-key": "Dark UI", "new-value": " yes, always ", "new-kind": "preference"}


def test_a_fact_is_added_by_hand(ada):
    response = htmx_post(client_of(ada), "/memory/facts/add/", **ADDED)
    assert response.headers["HX-Redirect"] == "/memory/"
    fact = ada.facts.get()
    assert (fact.key, fact.value, fact.kind) == ("dark_ui", "yes, always", "preference")
    assert (fact.origin, fact.actor) == ("user", "ada")


def test_what_is_added_among_open_tasks_is_a_task(ada):
    client, address = client_of(ada), "/memory/facts/add/?kind=task"
    assert f'href="{address}"' in text_of(client.get("/memory/tasks/"))
    form = text_of(client.get(address))
    assert "Add a task" in form
    assert '<option value="task" selected>' in form
    assert f'action="{address}"' in form
    assert client.post(address, {**ADDED, "new-kind": "task"}).url == "/memory/tasks/"


def test_a_rule_for_answering_is_added_by_hand(ada):
    data = {"new-key": "Length", "new-value": "Be brief."}
    assert client_of(ada).post("/memory/prompts/add/", data).url == "/memory/persona/"
    assert ada.prompts.get().value == "Be brief."


@pytest.mark.parametrize(
    "wrong",
    [
        {"new-value": ""},
        {"new-key": " "},
        {"new-key": "\u200b"},
        {"new-value": "\u2060 \ufeff"},
        {"new-value": "x" * 2001},
        {"new-value": "a\0b"},
        {"new-kind": "secret"},
        {"new-key": "wifi password", "new-value": "hunter22"},
        {"new-expires_at": "2001-01-01"},
        {"new-expires_at": "soon"},
    ],
)
def test_a_fact_that_cannot_be_is_refused_in_the_same_form(ada, wrong):
    response = htmx_post(client_of(ada), "/memory/facts/add/", **{**ADDED, **wrong})
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    assert not Fact.objects.exists()


def test_an_unknown_part_of_memory_is_not_there(ada):
    assert client_of(ada).get("/memory/secrets/add/").status_code == 404


def edited(fact, **changes):
    data = {"key": fact.key, "value": fact.value, "kind": fact.kind, **changes}
    return {f"{fact.pk}-{name}": value for name, value in data.items()}


def test_a_new_value_takes_the_place_of_the_old_one_which_stays_in_the_history(taught, ada):
    client = client_of(ada)
    html = text_of(htmx_post(client, url("edit", taught), **edited(taught, value="Graz")))
    now = ada.facts.current().get()
    assert (now.value, now.replaces_id) == ("Graz", taught.pk)
    assert f'id="row-{now.pk}"' in html
    history = text_of(htmx_get(client, url("history", now)))
    assert history.index("Graz") < history.index('<p class="was" dir="auto">Vienna</p>')


def test_a_day_until_which_a_fact_is_used_lasts_to_its_end_in_the_persons_zone(taught, ada):
    ada.timezone = "Asia/Kolkata"
    ada.save()
    day = (timezone.now() + timedelta(days=3)).date()
    data = edited(taught, expires_at=day.isoformat())
    client_of(ada).post(url("edit", taught), data)
    expires_at = ada.facts.current().get().expires_at
    assert expires_at.astimezone(ada.zone).isoformat().startswith(f"{day}T23:59:59")


def test_an_edit_that_cannot_be_is_refused_in_place(taught, ada):
    response = htmx_post(client_of(ada), url("edit", taught), **edited(taught, value=""))
    assert response.status_code == 422
    assert "fact--edit" in text_of(response)


def test_an_edit_of_what_was_changed_meanwhile_says_so(taught, ada):
    ledger.edit(row=taught, actor="ada", value="Graz")
    response = htmx_post(client_of(ada), url("edit", taught), **edited(taught, value="Linz"))
    assert response.status_code == 422
    assert "changed meanwhile" in text_of(response)
    assert ada.facts.current().get().value == "Graz"


@pytest.mark.parametrize(
    ("flag", "shown"), [("pin", "always used"), ("pause", "paused"), ("resume", "Pause")]
)
def test_a_fact_is_pinned_paused_and_used_again(taught, ada, flag, shown):
    assert shown in text_of(htmx_post(client_of(ada), url("flag", taught, flag)))


def test_a_flag_that_is_none_is_not_there(taught, ada):
    assert htmx_post(client_of(ada), url("flag", taught, "explode")).status_code == 404


def test_an_old_value_is_restored(taught, ada):
    ledger.edit(row=taught, actor="ada", value="Graz")
    htmx_post(client_of(ada), url("restore", taught))
    assert ada.facts.current().get().value == "Vienna"


def test_forgetting_first_lists_what_goes_and_then_holds(taught, ada):
    reply = taught.source_message.chat.messages.get(role="assistant")
    receipt = {"memories": [{"id": str(taught.pk), "text": "city: Vienna"}]}
    Message.objects.filter(pk=reply.pk).update(receipt=receipt)
    client = client_of(ada)
    asked = text_of(htmx_get(client, url("forget", taught)))
    assert "its text in 1 receipt" in asked
    assert Fact.objects.exists()
    response = htmx_post(client, url("forget", taught))
    assert response.headers["HX-Refresh"] == "true"
    assert not Fact.objects.exists()
    assert "Vienna" not in str(Message.objects.get(pk=reply.pk).receipt)


def test_without_htmx_everything_works_with_pages_of_its_own(taught, ada):
    client = client_of(ada)
    for name in ("edit", "history", "forget"):
        assert "<html" in text_of(client.get(url(name, taught)))
    assert client.post(url("flag", taught, "pin")).url == f"/memory/#row-{taught.pk}"
    assert client.post(url("forget", taught)).url == "/memory/"
    assert not Prompt.objects.exists()


def test_the_log_shows_changes_and_what_was_refused_and_why(taught, ada, ben):
    MemoryEvent.objects.create(
        user=ada, action="refused", table="fact", key="pet", after="a cat", actor="extractor",
        reason="Its quote isn't in what you wrote.",
    )  # fmt: skip
    html = text_of(client_of(ada).get("/memory/log/"))
    assert "a cat" in html
    assert "Its quote isn&#x27;t in what you wrote." in html
    assert "Vienna" in html
    assert "Nothing has changed yet." in text_of(client_of(ben).get("/memory/log/"))


@pytest.fixture
def waiting(ada):
    """A proposal about Ada's health that waits for her decision."""
    chat = make_chat(ada, "I'm allergic to sesame.", "Noted.", title="Lunch")
    operation = proposal("allergy", "sesame", "I'm allergic to sesame")
    said = chat.messages.get(role="user")
    ledger.apply(user=ada, operations=[operation], messages=[said], model="test")
    return ada.facts.get(status="pending")


def test_what_waits_stands_in_the_inbox_with_its_reason_and_not_among_the_facts(waiting, ada):
    client = client_of(ada)
    html = text_of(client.get("/memory/inbox/"))
    assert "One thing waits for your word." in html
    assert waiting.waits_because in html
    assert "allergic to sesame</q>" in html
    assert "sesame" not in text_of(client.get("/memory/"))
    chat = waiting.source_message.chat
    assert "1 waits for you" in text_of(client.get(f"/chats/{chat.pk}/"))


def test_what_waits_says_what_it_would_take_the_place_of(waiting, ada):
    client = client_of(ada)
    assert "Instead of" not in text_of(client.get("/memory/inbox/"))
    make_fact(ada, "allergy", "hazelnuts", subject="Ben")
    make_fact(ada, "allergy", "peanuts")
    now = timezone.now()
    make_fact(ada, "allergy", "walnuts", valid_from=now - timedelta(days=1), valid_to=now)
    html = text_of(client.get("/memory/inbox/"))
    assert '<dt>Instead of</dt><dd dir="auto">peanuts</dd>' in html
    assert "hazelnuts" not in html
    assert "walnuts" not in html


def test_what_waits_is_no_value_that_holds_in_the_history(waiting, ada):
    known = make_fact(ada, "allergy", "peanuts")
    html = text_of(htmx_get(client_of(ada), url("history", known)))
    assert html.count("history__item--now") == 1
    assert html.count("waits for your word") == 1


def test_the_inbox_puts_no_pasted_words_in_the_persons_mouth(waiting, ada):
    client = client_of(ada)
    assert "You said" in text_of(client.get("/memory/inbox/"))
    Fact.objects.filter(pk=waiting.pk).update(origin="pasted")
    html = text_of(client.get("/memory/inbox/"))
    assert "It says" in html
    assert "You said" not in html


def test_what_waits_is_accepted(waiting, ada):
    assert client_of(ada).post(url("approve", waiting)).url == "/memory/inbox/"
    assert ada.facts.in_use().get().value == "sesame"


def test_what_waits_is_turned_down_for_good(waiting, ada):
    client = client_of(ada)
    client.post(url("turn-down", waiting))
    assert not ada.facts.exists()
    assert "Nothing waits for you." in text_of(client.get("/memory/inbox/"))


def test_what_was_decided_in_another_window_is_said(waiting, ada):
    client = client_of(ada)
    client.post(url("approve", waiting))
    response = client.post(url("turn-down", waiting), follow=True)
    assert "decided already" in text_of(response)
    assert ada.facts.in_use().exists()


@pytest.mark.parametrize("name", ["approve", "turn-down"])
def test_nobody_else_decides_what_waits(waiting, ben, name):
    assert client_of(ben).post(url(name, waiting)).status_code == 404
    assert Fact.objects.get().status == "pending"


def test_a_reply_says_that_nothing_could_be_learned_and_why(chat, ada):
    said = chat.messages.get(role="user")
    reason = "I couldn't learn from this message: the model gave no answer."
    ada.memory_events.create(action="failed", actor="extractor", message=said, reason=reason)
    html = text_of(client_of(ada).get(f"/chats/{chat.pk}/"))
    assert "Couldn&#x27;t learn from it" in html or "Couldn't learn from it" in html
    assert "the model gave no answer" in html

    learning.mark_read([said])
    assert "the model gave no answer" not in text_of(client_of(ada).get(f"/chats/{chat.pk}/"))
