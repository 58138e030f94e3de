"""One fact edited over page, API and administration at the same moment: the first one counts."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from memoryapp.memory import ledger
from memoryapp.models import ApiKey, Fact, User
from tests.factories import make_fact
from tests.pages import client_of, htmx_get, htmx_post, text_of


class Fields(HTMLParser):
    """What a browser would send of the forms of a page."""

    def __init__(self, html):
        super().__init__()
        self.sent, self.text, self.choice = {}, None, None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "textarea":
            self.text = given["name"]
            self.sent[self.text] = ""
        elif tag == "select":
            self.choice = given.get("name")
        elif tag == "option" and "selected" in given and self.choice:
            self.sent[self.choice] = given["value"]
        elif tag == "input" and given.get("type") == "checkbox":
            self.sent |= {given["name"]: "on"} if "checked" in given else {}
        elif tag == "input" and "name" in given:
            self.sent[given["name"]] = given.get("value", "")

    def handle_data(self, text):
        if self.text:
            self.sent[self.text] += text.removeprefix("\n")

    def handle_endtag(self, tag):
        if tag == "textarea":
            self.text = None


class Page:
    """The person's own page: the form that opens in the place of the fact."""

    def __init__(self, fact):
        self.client, self.prefix = client_of(fact.user), f"{fact.pk}-"
        self.address = reverse("memory-edit", args=["facts", fact.pk])
        self.fields = Fields(text_of(htmx_get(self.client, self.address))).sent

    def save(self, **changes):
        changed = {self.prefix + name: value for name, value in changes.items()}
        response = htmx_post(self.client, self.address, **{**self.fields, **changed})
        return response.status_code == 200, text_of(response)


class Api:
    def __init__(self, fact):
        _, secret = ApiKey.make(user=fact.user, name="test")
        self.headers = {"Authorization": f"Bearer {secret}"}
        self.address = f"/api/v1/facts/{fact.pk}"

    def save(self, **changes):
        response = Client().patch(
            self.address, changes, content_type="application/json", headers=self.headers
        )
        return response.status_code == 200, response.json().get("detail", "")


class Administration:
    def __init__(self, fact):
        root, _ = User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)
        self.client = client_of(root)
        self.address = reverse("admin:memoryapp_fact_change", args=[fact.pk])
        self.fields = Fields(text_of(self.client.get(self.address))).sent

    def save(self, **changes):
        response = self.client.post(self.address, {**self.fields, **changes})
        return response.status_code == 302, unescape(text_of(response))


WAYS = (Page, Api, Administration)


@pytest.fixture
def fact(ada):
    return make_fact(ada, "city", "Vienna")


@pytest.mark.parametrize("first", range(3))
def test_a_stale_edit_is_refused_with_what_holds_now(fact, first):
    ways = [way(fact) for way in (*WAYS[first:], *WAYS[:first])]
    assert ways[0].save(value="Graz")[0]
    for late in ways[1:]:
        is_saved, told = late.save(value="Linz")
        assert not is_saved
        assert "This was changed meanwhile: it now says “Graz”." in told
    assert fact.user.facts.current().get().value == "Graz"


@pytest.mark.parametrize("way", [Page, Administration])
def test_a_refused_edit_keeps_what_was_typed(fact, way):
    opened = way(fact)
    ledger.edit(row=fact, actor="ada", value="Graz")
    _, told = opened.save(value="Linz on the Danube")
    assert "Linz on the Danube</textarea>" in told


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_leaves_what_others_changed_meanwhile_and_it_did_not(ada, way):
    due = datetime(2999, 1, 31, 9, 30, 12, tzinfo=UTC)
    fact = make_fact(ada, "tax", "hand in the form", kind="task", due_at=due)
    opened = way(fact)
    ledger.edit(row=fact, actor="ada", is_pinned=True, kind="project")
    assert opened.save(value="hand in the forms")[0]
    now = Fact.objects.current().get()
    assert (now.value, now.is_pinned, now.kind) == ("hand in the forms", True, "project")
    assert now.due_at == due


@pytest.mark.parametrize("way", [Page, Administration])
def test_a_switch_can_be_turned_off(ada, way):
    fact = make_fact(ada, "city", "Vienna", is_pinned=True)
    opened = way(fact)
    del opened.fields[next(name for name in opened.fields if name.endswith("is_pinned"))]
    assert opened.save()[0]
    assert not Fact.objects.get().is_pinned


def test_when_a_task_is_due_is_seen_and_changed_where_it_is_edited(ada):
    due = datetime(2999, 1, 31, 9, 30, tzinfo=UTC)
    opened = Page(make_fact(ada, "tax", "hand in the form", kind="task", due_at=due))
    assert opened.fields[f"{opened.prefix}due_at"] == "2999-01-31T09:30"
    assert opened.save(due_at="2999-02-28T12:00")[0]
    assert Fact.objects.get().due_at == datetime(2999, 2, 28, 12, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
def test_of_edits_at_the_same_moment_one_counts(fact):
    ways = [way(fact) for way in WAYS]

    def save(way):
        try:
            return way.save(value=f"as {type(way).__name__} says")
        finally:
            connection.close()

    with ThreadPoolExecutor(len(ways)) as threads:
        outcomes = list(threads.map(save, ways))
    now = Fact.objects.current().get()
    told = {type(way).__name__: saved for way, (saved, _) in zip(ways, outcomes, strict=True)}
    assert [name for name, saved in told.items() if saved] == [now.value.split()[1]]
    assert all(f"it now says “{now.value}”" in text for saved, text in outcomes if not saved)
    assert Fact.objects.count() == 2
