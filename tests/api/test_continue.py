import pytest

from memoryapp import replies
from memoryapp.models import Message
from tests.api.callers import told
from tests.api.test_messages import SSE, parsed, text_of

pytestmark = pytest.mark.django_db(transaction=True)
PARTLY = "Pack the books, then call the mov"


@pytest.fixture
async def cut_off(chat):
    """The id of a reply that was interrupted."""
    reply = await chat.messages.aget(role="assistant")
    await chat.messages.filter(pk=reply.pk).aupdate(status="interrupted", body=PARTLY)
    return reply.pk


async def test_a_reply_is_continued_as_a_version_beside_it(cut_off, talker, ada_now):
    reply = told(await ada_now("POST", f"/messages/{cut_off}/continue"), 201)
    assert reply["body"] == "Pack the books, then call the Good to know."
    assert reply["status"] == "complete"
    assert reply["siblings"] == [str(cut_off), reply["id"]]
    assert reply["receipt"]["continues"] == str(cut_off)


async def test_what_is_continued_is_streamed_from_its_beginning(cut_off, talker, ada_now):
    events = await parsed(await ada_now("POST", f"/messages/{cut_off}/continue", headers=SSE))
    assert text_of(events) == "Pack the books, then call the Good to know."


async def test_a_complete_reply_has_nothing_to_continue(chat, talker, ada_now):
    reply = await chat.messages.aget(role="assistant")
    problem = told(await ada_now("POST", f"/messages/{reply.pk}/continue"), 422)
    assert "This reply is complete." in problem["detail"]
    assert await chat.messages.acount() == 2


async def test_a_reply_that_streams_is_not_continued(cut_off, chat, talker, ada_now):
    await Message.objects.filter(pk=cut_off).aupdate(status="streaming")
    problem = told(await ada_now("POST", f"/messages/{cut_off}/continue"), 409)
    assert "still answering" in problem["detail"]
    assert replies.LIVE == {}
