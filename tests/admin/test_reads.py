"""A person's log tells them that an administrator opened something of theirs."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.urls import reverse

from memoryapp.models import MemoryEvent
from tests.factories import make_fact, make_prompt

pytestmark = pytest.mark.django_db


def page_of(row):
    return reverse(f"admin:memoryapp_{row._meta.model_name}_change", args=[row.pk])


def rows_of(user, chat):
    return {
        "fact": make_fact(user, "city", "Vienna"),
        "prompt": make_prompt(user, "length", "Be brief."),
        "chat": chat,
        "message": chat.archive.first(),
    }


@pytest.mark.parametrize("table", ["fact", "prompt", "chat", "message"])
def test_what_is_opened_is_logged_for_its_owner(admin_page, ada, chat, table):
    row = rows_of(ada, chat)[table]
    assert admin_page.get(page_of(row)).status_code == 200
    event = MemoryEvent.objects.get()
    assert (event.user, event.action, event.table, event.row_id) == (ada, "read", table, row.pk)
    assert event.actor == "root"


def test_a_row_is_logged_once_a_day(admin_page, ada):
    fact = make_fact(ada, "city", "Vienna")
    for _ in range(2):
        admin_page.get(page_of(fact))
    assert MemoryEvent.objects.count() == 1
    MemoryEvent.objects.update(created_at=F("created_at") - timedelta(days=1))
    admin_page.get(page_of(fact))
    assert MemoryEvent.objects.count() == 2


def test_ones_own_rows_and_everyones_persona_are_nobodys_business(admin_page, administrator):
    admin_page.get(page_of(make_fact(administrator, "city", "Vienna")))
    admin_page.get(page_of(make_prompt(None, "tone", "Be kind.")))
    assert not MemoryEvent.objects.exists()


def test_a_row_that_is_not_there_logs_nothing(admin_page, ada):
    fact = make_fact(ada, "city", "Vienna")
    address = page_of(fact)
    fact.delete()
    admin_page.get(address)
    assert not MemoryEvent.objects.exists()


def test_a_forgotten_fact_leaves_no_name_in_the_log_of_reads(admin_page, ada):
    fact = make_fact(ada, "illness", "asthma")
    admin_page.get(page_of(fact))
    admin_page.post(reverse("admin:memoryapp_fact_delete", args=[fact.pk]), {"post": "yes"})
    assert not MemoryEvent.objects.filter(key="illness").exists()
