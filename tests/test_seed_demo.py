import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memoryapp.models import Chat, Fact, Message, Prompt, Resource, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(capsys):
    call_command("seed_demo")
    return User.objects.get(username="demo")


def test_the_printed_password_signs_in(client, demo, capsys):
    call_command("seed_demo", "--username", "other")
    password = capsys.readouterr().out.split()[-1]
    assert client.login(username="other", password=password)


def test_every_page_has_something_on_it(demo):
    assert Chat.objects.for_user(demo).count() == 4
    assert Fact.objects.for_user(demo).in_use().count() >= 8
    assert Prompt.objects.for_user(demo).in_use().count() == 1
    assert Fact.objects.for_user(demo).waiting().exists()
    assert Prompt.objects.for_user(demo).waiting().exists()
    assert Fact.objects.for_user(demo).exclude(valid_to=None).exists()
    assert Resource.objects.owned_by(demo).exists()
    assert Message.objects.for_user(demo).filter(status="interrupted").exists()


def test_receipts_name_memories_that_were_learned_before(demo):
    last = Chat.objects.for_user(demo).get(is_pinned=True).archive.last()
    texts = [memory["text"] for memory in last.receipt["memories"]]
    assert "name: Ada" in texts


def test_it_all_happened_in_the_past_and_in_order(demo):
    now = timezone.now()
    for chat in Chat.objects.for_user(demo):
        times = list(chat.archive.values_list("created_at", flat=True))
        assert times == sorted(times)
        assert times[-1] <= now
        assert chat.last_message_at == times[-1]
    oldest = Chat.objects.for_user(demo).order_by("created_at").first()
    assert (now - oldest.created_at).days >= 20


def test_nobody_is_overwritten(demo):
    with pytest.raises(CommandError, match="already"):
        call_command("seed_demo")
