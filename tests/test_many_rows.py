"""A year of rows: each page, fragment and list asks as much for many as for few, and pages them."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memoryapp import accounts
from memoryapp.models import (
    ApiKey,
    Chat,
    Fact,
    Forgotten,
    MemoryEvent,
    MemoryMark,
    Message,
    Passage,
    Prompt,
    Resource,
    Usage,
)
from tests.factories import failed_task
from tests.pages import HTMX, client_of, htmx_get, text_of

pytestmark = pytest.mark.django_db
SENTENCE = "The garden is behind the house, beside the old piano."
PAGES = (
    *("/", "/chats/", "/chats/?archived=1", "/chats/?q=garden", "/resources/", "/settings/"),
    *("/import/", "/memory/", "/memory/?kind=task", "/memory/?status=closed", "/memory/?q=garden"),
    *("/memory/persona/", "/memory/tasks/", "/memory/health/", "/memory/inbox/", "/memory/log/"),
    "/memory/log/?from=import",
    *("/memory/forget/", "/memory/export.json", "/memory/export.md", "/settings/delete-account/"),
)
FRAGMENTS = ("/chats/", "/chats/?q=garden", "/memory/", "/memory/?q=garden", "/memory/forget/")
LISTS = (
    *("chats", "chats?q=garden", "facts", "facts?as_of=2999-01-01T00:00:00Z", "inbox", "prompts"),
    *("recall?q=garden", "recall?q=garden&kind=turn", "resources", "resources/search?q=garden"),
    *("keys", "usage", "export", "export?format=markdown"),
)
# What takes all away, and what goes into each prompt as a whole.
UNPAGED = ("/memory/persona/", "/memory/export.json", "/memory/export.md", "/settings/")


def live(user, number):
    """So many rows more in each table, as far apart in time and as connected as life makes them."""
    rows = [row for n in range(number) for row in (*a_chat(user, n), *a_resource(user, n))]
    for table in (Chat, Message, Fact, Prompt, MemoryEvent, MemoryMark, Forgotten, Usage):
        table.objects.bulk_create([row for row in rows if type(row) is table])
    for table in (Resource, Passage):
        table.objects.bulk_create([row for row in rows if type(row) is table])


def a_chat(user, n):
    """A chat of one turn, with a receipt, and all that the question taught."""
    chat = Chat(user=user, title=f"Garden {n}", is_archived=n % 5 == 0)
    said = Message(user=user, chat=chat, role="user", body=f"{SENTENCE} {n}")
    taught = list(learned(said, n))
    fact = taught[1]
    told = {"id": str(fact.pk), "text": fact.text, "kind": "fact", "reason": "words"}
    reply = Message(
        user=user, chat=chat, role="assistant", body=f"I see. {n}", parent=said,
        receipt={"memories": [told], "turns": [], "near_misses": [], "prompts": []},
    )  # fmt: skip
    yield from (chat, said, reply, *taught)
    yield MemoryMark(user=user, message=reply, memory_id=fact.pk, is_turn=False, is_useful=True)
    yield Usage(user=user, chat=chat, agent="talker", model="test", input_tokens=n)


def learned(said, n):
    """A fact in two versions, one that waits in its place, a task, a rule and a refusal."""
    now, user = timezone.now(), said.user
    origin = {"user": user, "origin": "typed", "actor": "extractor", "source_message": said}
    place, past = f"place_{said.pk}", {"valid_from": now - timedelta(days=2), "valid_to": now}
    old = Fact(**origin, key=place, value="in the hall", **past)
    new = Fact(**origin, key=place, value=f"in the garden, {n}", replaces=old)
    why = {"status": "pending", "waits_because": "It stands in a text you pasted."}
    yield from (old, new, Fact(**origin, key=place, value=f"in the shed, {n}", **why))
    yield Fact(**origin, key=f"task_{said.pk}", kind="task", value=f"water the garden, {n}")
    yield Prompt(**origin, key=f"rule_{said.pk}", value="Answer in short sentences.")
    logged = {"user": user, "table": "fact", "key": place, "actor": "extractor", "message": said}
    yield MemoryEvent(**logged, action="changed", row_id=new.pk, after=new.value)
    yield MemoryEvent(**logged, action="refused", reason="You didn't say that there.")
    yield Forgotten(user=user, key="gone", digest=str(said.pk))


def a_browser(user):
    client = client_of(user)
    client.get("/")  # which notes where it is


def a_resource(user, n):
    resource = Resource(user=user, name=f"Handbook {n}", body=SENTENCE)
    yield from (resource, Passage(resource=resource, position=0, body=SENTENCE))


@pytest.fixture
def asked(ada):
    """Asks for each address before and after there is more, and gives both numbers of queries."""

    def ask(get, addresses):
        counts = []
        for _ in range(2):
            live(ada, 12)
            for _ in range(5):
                a_browser(ada)
            counts.append({address: queries_of(get, address) for address in addresses})
        return counts

    return ask


def queries_of(get, address):
    get(address)  # what is read once only is not counted
    with CaptureQueriesContext(connection) as queries:
        response = get(address)
    assert response.status_code == 200, address
    return len(queries)


def test_pages_ask_as_much_for_many_rows(ada, asked):
    few, many = asked(client_of(ada).get, PAGES)
    assert many == few


def test_fragments_ask_as_much_for_many_rows(ada, asked):
    client = client_of(ada)
    few, many = asked(lambda address: client.get(address, headers=HTMX), FRAGMENTS)
    assert many == few


def test_lists_of_the_api_ask_as_much_for_many_rows(ada, asked):
    _, secret = ApiKey.make(user=ada, name="test")
    headers = {"Authorization": f"Bearer {secret}"}
    client = Client()
    few, many = asked(lambda name: client.get(f"/api/v1/{name}", headers=headers), LISTS)
    assert many == few


def test_lists_of_the_admin_ask_as_much_for_many_rows(ada, asked):
    ada.is_staff = ada.is_superuser = True
    ada.save()
    failed_task()
    lists = [
        reverse(f"admin:{table._meta.app_label}_{table._meta.model_name}_changelist")
        for table in admin.site._registry
    ]
    searches = [f"{address}?q=garden" for address in lists]
    few, many = asked(client_of(ada).get, [reverse("admin:index"), *lists, *searches])
    assert many == few


def test_a_person_with_many_rows_is_deleted_in_as_many_statements(ada, ben):
    counts = []
    for person, number in ((ada, 2), (ben, 40)):
        live(person, number)
        with CaptureQueriesContext(connection) as queries:
            accounts.delete(person)
        counts.append(len(queries))
    assert counts[1] == counts[0]
    assert not Message.objects.exists()


def test_a_long_chat_asks_as_much_as_a_short_one(ada, django_assert_max_num_queries):
    live(ada, 1)
    chat, client = Chat.objects.get(), client_of(ada)
    address = reverse("chat-detail", args=[chat.pk])
    few = queries_of(client.get, address)
    for n in range(20):
        for row in learned(chat.add_message("user", f"{SENTENCE} {n}"), n):
            row.save()
        chat.add_message("assistant", "I see.", receipt=chat.archive[1].receipt)
    with django_assert_max_num_queries(few):
        client.get(address)


def test_pages_stop_growing(ada):
    client = client_of(ada)
    paged = [address for address in PAGES if address not in UNPAGED]
    sizes = []
    for _ in range(2):
        live(ada, 150)
        sizes.append({address: len(client.get(address).content) for address in paged})
    few, many = sizes
    assert {page for page in paged if many[page] > 1.1 * few[page]} == set()


def test_the_second_page_of_each_list_goes_on_where_the_first_ended(ada):
    live(ada, 100)
    client = client_of(ada)
    for address, row in (
        ("/chats/", 'class="meta chats__when"'),
        ("/memory/", 'class="fact"'),
        ("/memory/tasks/", 'class="fact"'),
        ("/memory/inbox/", 'class="proposal"'),
        ("/resources/", 'class="resource"'),
    ):
        first = text_of(client.get(address))
        assert first.count(row) == 50
        assert 'rel="next"' in first
        second = text_of(client.get(address, {"page": 2}))
        assert 30 <= second.count(row) <= 50
        assert 'rel="prev"' in second


def test_the_inbox_shows_the_page_of_the_proposal_that_is_asked_for(ada):
    live(ada, 60)
    [oldest, *_, newest] = Fact.objects.waiting().order_by("recorded_at")
    client = client_of(ada)
    html = text_of(client.get("/memory/inbox/", {"row": newest.pk}))
    assert f"proposal-{newest.pk}" in html
    assert f"proposal-{oldest.pk}" not in html
    assert f"?row={oldest.pk}#proposal-{oldest.pk}" in text_of(client.get("/memory/health/"))


def test_a_decision_stays_on_the_page_that_it_was_made_on(ada):
    live(ada, 60)
    newest = Fact.objects.waiting().order_by("recorded_at").last()
    here = {**HTMX, "HX-Current-URL": "http://testserver/memory/inbox/?page=2"}
    address = reverse("memory-approve", args=["facts", newest.pk])
    assert client_of(ada).post(address, headers=here).url == "/memory/inbox/?page=2"


def test_earlier_receipts_come_when_they_are_unfolded(ada):
    live(ada, 1)
    chat, client = Chat.objects.get(), client_of(ada)
    earlier = chat.archive.last()
    chat.add_message("user", "And now?")
    newest = chat.add_message("assistant", "Now it rains.", receipt=earlier.receipt)
    html = text_of(client.get(reverse("chat-detail", args=[chat.pk])))
    mark = 'name="memory"'
    assert html.count(mark) == 1
    assert html.index(mark) > html.index(f"receipt-{newest.pk}")
    address = reverse("message-receipt", args=[earlier.pk])
    assert f'hx-get="{address}"' in html
    unfolded = text_of(htmx_get(client, address))
    assert "Used for this reply" in unfolded
    assert "<html" not in unfolded


def test_the_filter_offers_the_newest_chats_and_the_one_that_is_asked_for(ada):
    live(ada, 105)
    [oldest, *_, newest] = Chat.objects.order_by("last_message_at")
    client = client_of(ada)
    html = text_of(client.get("/memory/"))
    assert f'<option value="{newest.pk}">' in html
    assert f'<option value="{oldest.pk}">' not in html
    asked = text_of(client.get("/memory/", {"chat": oldest.pk}))
    assert f'<option value="{oldest.pk}" selected>' in asked
