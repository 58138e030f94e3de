import pytest
from django.urls import reverse

from memoryapp.memory import ledger
from memoryapp.memory.taught import learned_from
from memoryapp.models import Fact, MemoryEvent
from tests.factories import make_chat, make_fact, proposal
from tests.pages import client_of

LOG = reverse("memory-log")


@pytest.fixture
def moved(ada):
    """The log's entry of a change."""
    home = ledger.remember(
        user=ada, table="fact", key="city", value="Berlin", actor="ada", origin="user"
    )
    ledger.edit(row=home, actor="ada", value="Vienna")
    return MemoryEvent.objects.first()


def learn_of_the_brother(user, quote, city):
    chat = make_chat(user, f"{quote}.", "Noted.")
    operation = proposal("city", city, quote, subject="my brother")
    ledger.apply(user=user, operations=[operation], messages=list(chat.archive), model="scripted")


def undo(user, event):
    return client_of(user).post(reverse("memory-undo", args=[event.pk]), follow=True)


def cities(user):
    return list(Fact.objects.for_user(user).in_use().values_list("value", flat=True))


def test_a_change_is_undone_from_the_log_with_one_press(ada, moved):
    page = client_of(ada).get(LOG).content.decode()
    assert page.count(">Undo</button>") == 1
    assert reverse("memory-undo", args=[moved.pk]) in page
    response = undo(ada, moved)
    assert response.redirect_chain == [(LOG, 302)]
    assert cities(ada) == ["Berlin"]
    assert "Restored" in response.content.decode()


def test_the_log_says_whom_a_line_is_about(ada, ben):
    learn_of_the_brother(ada, "My brother lives in Wien", "Wien")
    learn_of_the_brother(ada, "My brother flies", "Linz")  # refused
    page = client_of(ada).get(LOG).content.decode()
    assert page.count("<strong>my brother: City</strong>") == 2
    assert "my brother" not in client_of(ben).get(LOG).content.decode()


def test_what_was_closed_for_one_isnt_undone_by_what_holds_for_another(ada):
    make_fact(ada, "city", "Linz", subject="my brother")
    make_fact(ada, "city", "Graz")
    chat = make_chat(ada, "I no longer live in Graz.", "Noted.")
    quote = "I no longer live in Graz"
    ended = proposal("city", "", quote, action="retract")
    ledger.apply(user=ada, operations=[ended], messages=list(chat.archive), model="scripted")
    [closed] = learned_from(ada, MemoryEvent.objects.for_user(ada).learned())
    assert (closed.event.action, closed.standing) == ("closed", "holds")


def test_the_undo_is_undone_in_the_same_way(ada, moved):
    undo(ada, moved)
    undo(ada, MemoryEvent.objects.first())
    assert cities(ada) == ["Vienna"]


def test_a_change_that_another_one_followed_says_why_it_stays(ada, moved):
    undo(ada, moved)
    response = undo(ada, moved)
    assert "changed again meanwhile" in response.content.decode()
    assert cities(ada) == ["Berlin"]


def test_nobody_else_undoes_it(ben, moved, ada):
    assert undo(ben, moved).status_code == 404
    assert cities(ada) == ["Vienna"]


def test_undoing_needs_a_login(client, moved, ada):
    response = client.post(reverse("memory-undo", args=[moved.pk]))
    assert response.status_code == 302
    assert cities(ada) == ["Vienna"]


def test_a_refusal_cannot_be_undone(ada, moved):
    MemoryEvent.objects.filter(pk=moved.pk).update(action="refused")
    assert undo(ada, moved).status_code == 404


def test_what_imported_chats_proposed_is_listed_by_itself(ada, ben):
    learn_of_the_brother(ada, "My brother lives in Wien", "Wien")
    assert "?from=import" not in client_of(ada).get(LOG).content.decode()
    chat = make_chat(ada, "I live in Graz.", "Noted.")
    chat.messages.update(is_imported=True)
    operation = proposal("city", "Graz", "I live in Graz")
    ledger.apply(user=ada, operations=[operation], messages=list(chat.archive), model="scripted")

    page = client_of(ada).get(LOG).content.decode()
    assert "Wien" in page
    assert "Graz" not in page
    assert "?from=import" in page
    page = client_of(ada).get(LOG, {"from": "import"}).content.decode()
    assert "Graz" in page
    assert "Wien" not in page

    ledger.approve(row=Fact.objects.get(value="Graz"), actor="ada")
    assert "Graz" in client_of(ada).get(LOG).content.decode()
    assert "Nothing was proposed" in client_of(ben).get(LOG, {"from": "import"}).content.decode()
