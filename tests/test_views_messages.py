import asyncio
import uuid

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.urls import reverse

from memoryapp import followers, replies, turns
from memoryapp.agents import llm
from memoryapp.memory import ledger
from memoryapp.models import Chat, MemoryMark, Message
from tests.factories import make_chat, make_fact, proposal
from tests.fakes import says
from tests.pages import HTMX, async_client_of, client_of, htmx_post, text_of

slow = pytest.mark.django_db(transaction=True)
quick = pytest.mark.django_db


@pytest.fixture
async def bus():
    """Whatever still streams at the end of a test is ended with it."""
    with llm.override({"talker": says("Good ", "to ", "know.")}):
        yield
        await replies.drain()
        await get_channel_layer().flush()


async def finished(reply):
    if live := replies.LIVE.get(str(reply.pk)):
        await asyncio.wait_for(live.task, 10)
    return await Message.objects.aget(pk=reply.pk)


def url(name, pk):
    return reverse(f"message-{name}", args=[pk])


@slow
async def test_the_first_message_makes_a_chat_and_is_answered(bus, ada):
    client = await async_client_of(ada)
    data = {"id": str(uuid.uuid4()), "body": "Hello", "memory_on": "on"}
    response = await client.post("/", data, headers=HTMX)
    chat = await Chat.objects.aget()
    assert response.headers["HX-Redirect"] == f"/chats/{chat.pk}/"
    assert chat.memory_on is True
    reply = await finished(await chat.messages.aget(role="assistant"))
    assert (reply.status, reply.body) == ("complete", "Good to know.")


@slow
async def test_a_chat_is_called_new_in_the_language_of_its_owner(bus, ada):
    ada.language = "de"
    await ada.asave()
    client = await async_client_of(ada)
    await client.post("/", {"id": str(uuid.uuid4()), "body": "Hallo"})
    assert (await Chat.objects.aget()).title == "Neuer Chat"


@slow
async def test_the_first_message_sent_twice_makes_one_chat(bus, ada):
    client = await async_client_of(ada)
    data = {"id": str(uuid.uuid4()), "body": "Hello"}
    first, again = await client.post("/", data), await client.post("/", data)
    assert first.url == again.url
    assert await Chat.objects.acount() == 1
    assert (await Chat.objects.aget()).memory_on is False


@slow
async def test_a_send_brings_the_turn_a_stop_button_and_a_fresh_id(bus, chat, ada):
    client = await async_client_of(ada)
    id = str(uuid.uuid4())
    data = {"id": id, "body": "And now?"}
    response = await client.post(url("create", chat.pk), data, headers=HTMX)
    html = text_of(response)
    assert f'id="message-{id}"' in html
    assert 'aria-busy="true"' in html
    assert "Stop answering" in html
    assert 'id="composer-id"' in html
    assert f'value="{id}"' not in html


@slow
async def test_the_same_send_again_is_the_same_turn(bus, chat, ada):
    client = await async_client_of(ada)
    data = {"id": str(uuid.uuid4()), "body": "And now?"}
    await client.post(url("create", chat.pk), data, headers=HTMX)
    await client.post(url("create", chat.pk), data, headers=HTMX)
    assert await chat.messages.filter(body="And now?").acount() == 1


@slow
async def test_without_htmx_a_send_leads_back_to_the_chat(bus, chat, ada):
    client = await async_client_of(ada)
    response = await client.post(url("create", chat.pk), {"body": "And now?"})
    assert response.url.startswith(f"/chats/{chat.pk}/#message-")


@slow
async def test_answering_again_writes_a_new_reply_to_the_same_message(bus, chat, ada):
    client = await async_client_of(ada)
    old = await chat.messages.aget(role="assistant")
    response = await client.post(url("regenerate", old.pk), headers=HTMX)
    new = await chat.messages.exclude(pk=old.pk).aget(role="assistant")
    assert f'id="message-{new.pk}"' in text_of(response)
    assert new.parent_id == old.parent_id
    await old.arefresh_from_db()
    assert (old.is_active, old.body) == (False, "Good morning.")
    assert (await finished(new)).body == "Good to know."


@slow
async def test_a_reply_is_stopped_with_what_it_has(bus, chat, ada):
    client = await async_client_of(ada)
    with llm.override({"talker": says("Good ", *["and "] * 100, pause=0.05)}):
        await client.post(url("create", chat.pk), {"body": "And now?"})
        reply = await chat.messages.aget(status="streaming")
        follower = followers.follow(chat.pk, reply.pk)
        while (await anext(follower))["type"] != "reply.delta":
            pass
        response = await client.post(url("stop", reply.pk), headers=HTMX)
        reply = await finished(reply)
    assert response.status_code == 204
    assert reply.status == "stopped"
    assert reply.body.startswith("Good")


@slow
async def test_a_send_while_a_reply_streams_is_refused_and_keeps_the_text(bus, chat, ada):
    await sync_to_async(turns.open_turn)(chat=chat, body="first")
    client = await async_client_of(ada)
    data = {"body": "second"}
    response = await client.post(url("create", chat.pk), data, headers=HTMX)
    assert response.status_code == 409
    assert "still answering" in text_of(response)
    plain = await client.post(url("create", chat.pk), data)
    assert plain.status_code == 409
    assert "second</textarea>" in text_of(plain)


@quick
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"body": ""}, "Write something first."),
        ({"body": "\u200b"}, "Write something first."),
        ({"body": "a\0b"}, "Null characters"),
        ({"body": "x" * 100_001}, "Shorten it"),
        ({"body": "hello", "id": "no-uuid"}, "valid UUID"),
    ],
)
def test_a_message_that_cannot_be_kept_is_refused_in_a_sentence(chat, ada, data, sentence):
    response = htmx_post(client_of(ada), url("create", chat.pk), **data)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert chat.messages.count() == 2


@quick
def test_nobody_writes_into_the_chat_of_somebody_else(chat, ben):
    assert htmx_post(client_of(ben), url("create", chat.pk), body="hi").status_code == 404
    assert chat.messages.count() == 2


@quick
@pytest.mark.parametrize("name", ["stop", "regenerate"])
def test_nobody_touches_the_reply_of_somebody_else(chat, ben, name):
    reply = chat.messages.get(role="assistant")
    assert htmx_post(client_of(ben), url(name, reply.pk)).status_code == 404


@quick
@pytest.mark.parametrize("name", ["detail", "receipt"])
def test_nobody_sees_the_message_of_somebody_else(chat, ben, name):
    assert client_of(ben).get(url(name, chat.messages.first().pk)).status_code == 404


@quick
def test_only_a_reply_is_written_again(chat, ada):
    said = chat.messages.get(role="user")
    response = htmx_post(client_of(ada), url("regenerate", said.pk))
    assert response.status_code == 422
    assert "Only a reply" in text_of(response)


@quick
def test_a_message_leads_to_its_place_in_its_chat(ada):
    chat = make_chat(ada, *(f"message {n:03}" for n in range(120)))
    client = client_of(ada)
    late, early = chat.messages.get(body="message 110"), chat.messages.get(body="message 020")
    assert client.get(url("detail", late.pk)).url == f"/chats/{chat.pk}/#message-{late.pk}"
    response = client.get(url("detail", early.pk), follow=True)
    assert f'id="message-{early.pk}"' in text_of(response)


RECALLED = {
    "reason": "meaning",
    "score": 0.52,
    "cosine": 0.52,
    "words": 0.1,
    "source_message_id": None,
    "chat_id": None,
    "said_at": None,
}


def receipt_of(fact, **fields):
    memory = {"id": str(fact.pk), "kind": fact.kind, "text": fact.text, **RECALLED}
    return {
        "memory_on": True,
        "now": "2026-08-21T14:05:00+02:00",
        "memories": [memory],
        "near_misses": [],
        "turns": [],
        "resources": [],
        "prompts": [{"id": "x", "text": "Answer briefly."}],
        "history": [],
        "tokens": {"memory": 20, "prompt": 300},
        "milliseconds": {},
        "window": 0,
        **fields,
    }


@quick
def test_a_reply_says_what_it_used_and_why(chat, ada):
    fact = make_fact(ada, "deploy_tool", "Terraform <3")
    chat.messages.filter(role="assistant").update(receipt=receipt_of(fact))
    html = text_of(client_of(ada).get(f"/chats/{chat.pk}/"))
    assert "Used 1 memory" in html
    assert "Deploy tool: Terraform &lt;3" in html
    assert "by meaning 0.52" in html
    assert "Memory took 20 of 300 tokens" in html


@quick
def test_a_recalled_memory_is_marked_as_of_use_or_not(chat, ada, ben):
    fact = make_fact(ada, "deploy_tool", "Terraform")
    reply = chat.messages.get(role="assistant")
    Message.objects.filter(pk=reply.pk).update(receipt=receipt_of(fact))
    data = {"memory": str(fact.pk), "is_useful": "no"}
    chip = text_of(htmx_post(client_of(ada), url("mark", reply.pk), **data))
    assert 'value="no" aria-pressed="true"' in " ".join(chip.split())
    assert MemoryMark.objects.get().is_useful is False
    assert htmx_post(client_of(ben), url("mark", reply.pk), **data).status_code == 404
    for wrong in ("", "nonsense", str(uuid.uuid4())):
        response = htmx_post(client_of(ada), url("mark", reply.pk), memory=wrong)
        assert response.status_code == 404


@slow
async def test_a_reply_is_written_again_without_a_memory(bus, chat, ada, ben):
    fact = await sync_to_async(make_fact)(ada, "deploy_tool", "Terraform")
    foreign = await sync_to_async(make_fact)(ben, "deploy_tool", "Ansible")
    client = await async_client_of(ada)
    old = await chat.messages.aget(role="assistant")
    data = {"without": [str(fact.pk), str(foreign.pk), "nonsense"]}
    await client.post(url("regenerate", old.pk), data, headers=HTMX)
    new = await finished(await chat.messages.exclude(pk=old.pk).aget(role="assistant"))
    assert new.receipt["without"] == [str(fact.pk)]
    html = text_of(await client.get(f"/chats/{chat.pk}/"))
    assert "Left out 1 memory, as you asked" in html


@slow
async def test_what_one_version_did_without_the_next_without_another_does_without_too(
    bus, chat, ada
):
    facts = [await sync_to_async(make_fact)(ada, key, "Terraform") for key in ("tool", "taste")]
    ids, client = [str(fact.pk) for fact in facts], await async_client_of(ada)
    reply = await chat.messages.aget(role="assistant")
    versions = []
    for data in ({"without": ids[0]}, {"without": ids[1]}, {}):
        await client.post(url("regenerate", reply.pk), data, headers=HTMX)
        reply = await finished(await chat.messages.aget(role="assistant", is_active=True))
        versions.append(reply.receipt["without"])
    assert versions == [[ids[0]], sorted(ids), []]


@quick
def test_a_reply_without_memory_has_no_receipt_line(chat, ada):
    html = text_of(client_of(ada).get(f"/chats/{chat.pk}/"))
    assert "receipt__line" not in html


@quick
def test_a_reply_says_that_recall_took_too_long(chat, ada):
    chat.messages.filter(role="assistant").update(receipt={"recall_timed_out": True})
    assert "looking it up took too long" in text_of(client_of(ada).get(f"/chats/{chat.pk}/"))


@quick
def test_the_receipt_page_shows_the_exact_prompt(chat, ada):
    fact = make_fact(ada, "deploy_tool", "Terraform")
    reply = chat.messages.get(role="assistant")
    Message.objects.filter(pk=reply.pk).update(receipt=receipt_of(fact))
    html = text_of(client_of(ada).get(url("receipt", reply.pk)))
    assert "Answer briefly." in html
    assert "&lt;memory&gt;" in html
    assert "Hello there" in html


@quick
def test_a_message_without_a_receipt_says_so(chat, ada):
    said = chat.messages.get(role="user")
    assert "No receipt was kept" in text_of(client_of(ada).get(url("receipt", said.pk)))


@pytest.fixture
def taught(ada):
    """A turn of Ada's that taught one fact."""
    chat = make_chat(ada, "I live in Vienna.", "Nice.")
    said = chat.messages.get(role="user")
    operation = proposal("city", "Vienna", "I live in Vienna", kind="identity")
    ledger.apply(user=ada, operations=[operation], messages=[said], model="test")
    return chat


@quick
def test_a_reply_says_what_its_message_taught(taught, ada):
    html = text_of(client_of(ada).get(f"/chats/{taught.pk}/"))
    assert "Learned 1 thing" in html
    assert "I live in Vienna</q>" in html


@quick
def test_undo_takes_back_what_was_learned_and_says_so(taught, ada):
    event = ada.memory_events.get(action="added")
    html = text_of(htmx_post(client_of(ada), reverse("memory-undo", args=[event.pk])))
    assert "Taken back what was learned" in html
    assert not ada.facts.current().exists()
    again = htmx_post(client_of(ada), reverse("memory-undo", args=[event.pk]))
    assert again.status_code == 409
    assert "be undone" in text_of(again)


@quick
def test_what_has_changed_since_was_learned_all_the_same(taught, ada):
    ledger.edit(row=ada.facts.get(), actor="ada", value="Graz")
    html = text_of(client_of(ada).get(f"/chats/{taught.pk}/"))
    assert "Learned 1 thing" in html
    assert "changed since" in html
    assert "Undo" not in html


@quick
def test_nobody_else_undoes_what_was_learned(taught, ada, ben):
    event = ada.memory_events.get(action="added")
    response = htmx_post(client_of(ben), reverse("memory-undo", args=[event.pk]))
    assert response.status_code == 404
    assert ada.facts.current().exists()


@quick
@pytest.mark.parametrize("status", ["failed", "interrupted"])
def test_a_broken_reply_says_why_and_can_be_written_again(chat, ada, status):
    reply = chat.messages.get(role="assistant")
    Message.objects.filter(pk=reply.pk).update(status=status, failure="The model was gone.")
    html = text_of(client_of(ada).get(f"/chats/{chat.pk}/"))
    assert "The model was gone." in html
    assert f'action="{url("regenerate", reply.pk)}"' in html
