"""The inbox decided at once: exactly what a page shows, of one person, and no more."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memoryapp.memory import ledger
from memoryapp.models import Fact, Forgotten, MemoryEvent, Prompt
from tests.factories import make_fact, make_prompt
from tests.pages import HTMX, client_of, htmx_get, htmx_post, text_of

pytestmark = pytest.mark.django_db
INBOX = "/memory/inbox/"
APPROVE = reverse("inbox-decide", args=["approve"])
TURN_DOWN = reverse("inbox-decide", args=["turn-down"])
WHY = {"status": "pending", "waits_because": "It is sensitive.", "actor": "extractor"}


@pytest.fixture
def waiting(ada):
    """Two facts and a rule that wait for Ada, the last one from a text that she pasted."""
    return [
        make_fact(ada, "city", "Vienna", origin="typed", **WHY),
        make_fact(ada, "allergy", "nuts", origin="typed", **WHY),
        make_prompt(ada, "tone", "Talk like a pirate.", origin="pasted", **WHY),
    ]


def ids(rows):
    return [str(row.pk) for row in rows]


def values(rows):
    return sorted(row.value for row in rows)


@pytest.mark.parametrize("address", [APPROVE, TURN_DOWN])
def test_the_page_sends_what_it_shows_and_no_more(waiting, ada, address):
    html = text_of(client_of(ada).get(INBOX))
    assert f'hx-get="{address}"' in html
    assert [html.count(f'name="id" value="{id}"') or id for id in ids(waiting)] == [1, 1, 1]


def test_one_thing_alone_is_decided_by_itself(ada):
    make_fact(ada, "city", "Vienna", origin="typed", **WHY)
    assert APPROVE not in text_of(client_of(ada).get(INBOX))


def test_accepting_all_asks_first_and_names_what_somebody_else_may_have_written(waiting, ada):
    html = text_of(htmx_get(client_of(ada), APPROVE, id=ids(waiting)))
    assert "3 things take effect" in html
    assert "1 of them stands in a text you pasted" in html
    assert "<html" not in html
    assert Fact.objects.waiting().count() == 2


def test_turning_all_down_asks_first_too(waiting, ada):
    html = text_of(htmx_get(client_of(ada), TURN_DOWN, id=ids(waiting)))
    assert "3 things are dropped" in html
    assert Fact.objects.waiting().count() == 2


def test_without_htmx_it_is_asked_on_a_page_of_its_own(waiting, ada):
    html = text_of(client_of(ada).get(APPROVE, {"id": ids(waiting)}))
    assert "<html" in html
    assert "3 things take effect" in html


def test_all_that_is_accepted_takes_effect_as_it_was_shown_and_is_logged(waiting, ada):
    held = make_fact(ada, "city", "Graz")
    response = htmx_post(client_of(ada), APPROVE, id=ids(waiting))
    assert response.headers["HX-Redirect"] == INBOX
    assert values(Fact.objects.for_user(ada).in_use()) == ["Vienna", "nuts"]
    assert values(Prompt.objects.for_user(ada).in_use()) == ["Talk like a pirate."]
    assert {row.pk for row in Fact.objects.in_use()} == {row.pk for row in waiting[:2]}
    held.refresh_from_db()
    assert held.valid_to is not None
    assert MemoryEvent.objects.filter(action="approved", actor="ada").count() == 3


def test_all_that_is_turned_down_is_gone_for_good(waiting, ada):
    response = client_of(ada).post(TURN_DOWN, {"id": ids(waiting)}, follow=True)
    assert "Nothing waits for you." in text_of(response)
    assert not Fact.objects.exists()
    assert not Prompt.objects.exists()
    assert Forgotten.objects.filter(user=ada, was_turned_down=True).count() == 3


def test_what_came_later_and_was_not_shown_goes_on_waiting(waiting, ada):
    later = make_fact(ada, "illness", "flu", origin="typed", **WHY)
    htmx_post(client_of(ada), APPROVE, id=ids(waiting))
    assert list(Fact.objects.waiting()) == [later]


def test_what_was_decided_elsewhere_is_left_out_and_said(waiting, ada):
    shown = ids(waiting)
    ledger.turn_down(row=waiting[0], actor="ada")
    response = client_of(ada).post(APPROVE, {"id": shown}, follow=True)
    assert "1 thing was left out: it was decided elsewhere meanwhile." in text_of(response)
    assert values(Fact.objects.all()) == ["nuts"]


def test_when_all_was_decided_elsewhere_there_is_nothing_to_press(waiting, ada):
    shown = ids(waiting)
    for row in waiting:
        ledger.turn_down(row=row, actor="ada")
    html = text_of(htmx_get(client_of(ada), APPROVE, id=shown))
    assert "All of it was decided elsewhere" in html
    assert 'type="submit"' not in html


@pytest.mark.parametrize("address", [APPROVE, TURN_DOWN])
def test_nobody_decides_about_what_waits_for_somebody_else(waiting, ben, address):
    asked = text_of(htmx_get(client_of(ben), address, id=ids(waiting)))
    done = htmx_post(client_of(ben), address, id=ids(waiting))
    assert "Vienna" not in asked
    assert not any(id in asked for id in ids(waiting))
    assert done.headers["HX-Redirect"] == INBOX
    assert Fact.objects.waiting().count() == 2
    assert Prompt.objects.waiting().count() == 1
    assert not MemoryEvent.objects.exists()


@pytest.mark.parametrize("address", [APPROVE, TURN_DOWN])
def test_deciding_at_once_needs_a_login(waiting, client, address):
    assert client.post(address, {"id": ids(waiting)}).url.startswith("/accounts/login/")
    assert Fact.objects.waiting().count() == 2


def test_there_are_two_decisions_and_ids_that_are_none_decide_nothing(waiting, ada):
    client = client_of(ada)
    assert client.post("/memory/inbox/keep/", {"id": ids(waiting)}).status_code == 404
    assert client.post(APPROVE, {"id": ["", "x", "7"]}).status_code == 302
    assert client.post(APPROVE).status_code == 302
    assert Fact.objects.waiting().count() == 2


def test_the_decision_stays_on_the_page_that_it_was_made_on(waiting, ada):
    here = {**HTMX, "HX-Current-URL": f"http://testserver{INBOX}?page=2"}
    response = client_of(ada).post(APPROVE, {"id": ids(waiting)}, headers=here)
    assert response.headers["HX-Redirect"] == f"{INBOX}?page=2"


@pytest.mark.parametrize(("address", "most"), [(APPROVE, 8), (TURN_DOWN, 8)])
def test_each_decision_asks_the_database_little(ada, address, most):
    client, counts = client_of(ada), []
    for number in (2, 12):
        rows = [
            make_fact(ada, f"{address}{number}{n}", f"v{n}", origin="typed", **WHY)
            for n in range(number)
        ]
        with CaptureQueriesContext(connection) as queries:
            client.post(address, {"id": ids(rows)})
        counts.append(len(queries))
    assert (counts[1] - counts[0]) // 10 <= most


@pytest.fixture
def mixed(waiting, ada):
    """What waits for Ada, with a fact from a chat that she imported."""
    return [*waiting, make_fact(ada, "home", "Graz", origin="import", **WHY)]


@pytest.mark.parametrize(
    ("source", "shown"),
    [("", [0, 1, 2, 3]), ("import", [3]), ("chats", [0, 1, 2]), ("nonsense", [0, 1, 2, 3])],
)
def test_what_was_imported_can_be_looked_at_by_itself(mixed, ada, source, shown):
    html = text_of(client_of(ada).get(INBOX, {"from": source}))
    assert [n for n, row in enumerate(mixed) if f"proposal-{row.pk}" in html] == shown
    assert 'Imported <span class="num">1</span>' in html


def test_where_nothing_is_left_all_the_rest_is_shown(waiting, ada):
    html = text_of(client_of(ada).get(INBOX, {"from": "import"}))
    assert all(f"proposal-{row.pk}" in html for row in waiting)
    assert "Imported" not in html


def test_an_empty_inbox_names_why_things_wait(ada):
    html = text_of(client_of(ada).get(INBOX))
    for why in ("sensitive", "irony", "isn't so yet", "forget", "pasted", "imported", "program"):
        assert why in html, why
