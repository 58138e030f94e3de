import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memoryapp.models import ApiKey, Chat, Fact, MemoryEvent, Message, Passage, Prompt, Resource

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
SEARCHED = [model for model in MODELS if admin.site._registry[model].search_fields]
FORBIDDEN = re.compile(r"<style|<[^>]+\s(on\w+|style)=|<script>|javascript:")


def each_of(models):
    return pytest.mark.parametrize("model", models, ids=lambda model: model.__name__)


def url(model, page, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def pages(model, administrator):
    """The addresses of the list, of the empty form if there is one, and of each row."""
    request = RequestFactory().get("/")
    request.user = administrator
    rows = [url(model, "change", row.pk) for row in model._default_manager.all()]
    assert rows, f"tests/admin/conftest.py makes no row of {model.__name__}"
    can_add = admin.site._registry[model].has_add_permission(request)
    return [url(model, "changelist"), *([url(model, "add")] if can_add else []), *rows]


@each_of(MODELS)
def test_every_page_of_a_table_opens_and_keeps_to_the_policy(
    model, admin_page, administrator, rows
):
    for page in pages(model, administrator):
        response = admin_page.get(page)
        assert response.status_code == 200, page
        assert not FORBIDDEN.search(response.content.decode()), page
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]


@each_of(MODELS)
def test_every_page_of_a_table_is_closed_to_others(model, client, ada, administrator, rows):
    client.force_login(ada)
    for page in pages(model, administrator):
        assert client.get(page, follow=True).status_code == 403, page


@each_of(MODELS)
def test_no_page_of_a_table_loads_a_vector(model, admin_page, administrator, rows):
    addresses = pages(model, administrator)
    with CaptureQueriesContext(connection) as queries:
        for page in addresses:
            admin_page.get(page)
    columns = [query["sql"].partition(" FROM ")[0] for query in queries]
    assert [sql for sql in columns if '"embedding"' in sql or '"tsv"' in sql] == []


@each_of(SEARCHED)
def test_a_search_without_a_match_finds_nothing(model, admin_page, rows):
    response = admin_page.get(url(model, "changelist"), {"q": "nothing has these words"})
    assert response.context["cl"].result_count == 0


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ApiKey, "laptop"),
        (Chat, "deployed Terraform"),
        (Chat, "infrastructure"),
        (Fact, "globex"),
        (MemoryEvent, "Initech"),
        (Message, "which tools"),
        (Message, "ada infrastructure deployed"),
        (Passage, "before deploying"),
        (Prompt, "short sentences"),
        (Resource, "handbook"),
    ],
)
def test_a_search_finds_what_has_the_words(model, words, admin_page, rows):
    response = admin_page.get(url(model, "changelist"), {"q": words})
    assert response.context["cl"].result_count >= 1


@pytest.mark.parametrize("model", [Chat, Fact, Message, Prompt, Resource, Passage, MemoryEvent])
def test_a_longer_list_takes_no_more_queries(model, admin_page, rows, ada, ben):
    first = model._base_manager.first()
    num_before = num_queries(admin_page, url(model, "changelist"))
    more_rows(first, ben)
    assert num_queries(admin_page, url(model, "changelist")) == num_before


def num_queries(client, address):
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


def more_rows(row, user):
    """Three more rows like `row`, one of another person's."""
    for number in range(3):
        row.pk, row._state.adding = type(row)._meta.pk.get_default(), True
        for name in ("key", "name"):
            if hasattr(row, name):
                setattr(row, name, f"another {number}")
        if hasattr(row, "position"):
            row.position += 1
        elif number == 2:
            row.user = user
        row.save()


def test_the_sign_in_page_is_the_one_of_everybody(client, db):
    response = client.get(reverse("admin:index"), follow=True)
    assert response.redirect_chain[-1][0] == f"{reverse('account_login')}?next=%2Fadmin%2F"


def test_the_index_names_every_table_once_in_its_section(admin_page):
    sections = admin_page.get(reverse("admin:index")).context["app_list"]
    names = [section["name"] for section in sections]
    tables = [table["object_name"] for section in sections for table in section["models"]]
    assert names == ["Memory", "Chats", "Resources", "People", "Background work"]
    assert sorted(tables) == sorted(model.__name__ for model in MODELS)


def test_the_tables_of_an_app_can_be_listed(admin_page):
    assert admin_page.get(reverse("admin:app_list", args=["memoryapp"])).status_code == 200
