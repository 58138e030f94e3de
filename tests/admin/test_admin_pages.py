import re

import pytest
from django.conf import settings
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
every_table = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)


def url(model, page, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def pages(model):
    """The addresses of the list, the empty form and the page of each row."""
    rows = [url(model, "change", row.pk) for row in model._default_manager.all()]
    assert rows, f"tests/admin/conftest.py makes no row of {model.__name__}"
    can_add = url(model, "add") if not is_read_only(model) else url(model, "changelist")
    return [url(model, "changelist"), can_add, *rows]


def is_read_only(model):
    return not admin.site._registry[model].has_add_permission(request_of_superuser())


def request_of_superuser():
    class Everything:
        is_active = is_staff = True

        def has_perm(self, *args):
            return True

    class Request:
        user = Everything()

    return Request()


@every_table
def test_every_page_of_the_table_opens_for_an_administrator(model, admin_page, rows):
    for page in pages(model):
        assert admin_page.get(page).status_code == 200, page


@every_table
def test_every_page_of_the_table_is_closed_to_others(model, client, ada, rows):
    client.force_login(ada)
    for page in pages(model):
        response = client.get(page, follow=True)
        assert response.status_code == 403, page


@every_table
def test_the_list_can_be_searched(model, admin_page, rows):
    if not admin.site._registry[model].search_fields:
        pytest.skip("has no search")
    response = admin_page.get(url(model, "changelist"), {"q": "nothing has these words"})
    assert response.context["cl"].result_count == 0


@every_table
def test_no_page_loads_a_vector(model, admin_page, rows):
    with CaptureQueriesContext(connection, ) as queries:
        for page in pages(model):
            admin_page.get(page)
    read = [query["sql"].split(" FROM ")[0] for query in queries if "SELECT" in query["sql"]]
    assert [sql for sql in read if '"embedding"' in sql or '"tsv"' in sql] == []


@every_table
def test_no_page_has_what_the_policy_forbids(model, admin_page, rows):
    for page in pages(model):
        html = admin_page.get(page).content.decode()
        assert not re.search(r"<style|<[^>]+\s(on\w+|style)=|<script>|javascript:", html), page
