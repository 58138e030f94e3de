"""The admin's first page."""

import re

import pytest
from django.urls import reverse

from memoryapp.heartbeat import Heartbeat
from memoryapp.models import Usage, User
from tests.factories import failed_task, make_chat, make_fact

pytestmark = pytest.mark.django_db


def home(admin_page):
    response = admin_page.get(reverse("admin:index"))
    assert response.status_code == 200
    return re.sub(r"\s*([<>])\s*", r"\1", response.content.decode())


def test_it_counts_people_chats_and_memory(admin_page, ada, ben):
    make_chat(ada, "Hello", "Hi")
    make_fact(ada, "city", "Vienna")
    make_fact(ben, "allergy", "nuts", status="pending")
    html = home(admin_page)
    assert "<dt>people, 1 chatted this week</dt><dd>3</dd>" in html
    assert "<dt>facts, 1 waits for its owner</dt><dd>2</dd>" in html
    assert "Facts learned a day: 2 in all" in html
    assert "Messages of people a day: 1 in all" in html


def test_a_name_that_runs_from_right_to_left_turns_nothing_else_around(admin_page, administrator):
    User.objects.filter(pk=administrator.pk).update(first_name="\u202eadA")
    assert "<bdi>\u202eadA</bdi>" in home(admin_page)


def test_usage_is_drawn_by_day_without_a_style_of_its_own(admin_page, ada):
    Usage.objects.create(user=ada, agent="talker", model="m", input_tokens=1200, cost="0.25")
    html = home(admin_page)
    assert "Tokens a day: 1,200 in all" in html
    assert html.count("<rect") == 90
    assert "style=" not in html.split('class="home"')[1].split("</section>")[0]
    assert '<th scope="row">talker</th><td>1</td><td>1,200</td><td>0.25</td>' in html


def test_failures_are_named(admin_page):
    failed_task()
    html = home(admin_page)
    assert "memoryapp.tasks.title" in html
    assert "The model refused." in html


def test_it_says_whether_a_worker_is_alive(admin_page, transactional_db):
    assert "no worker is alive" in home(admin_page)
    heartbeat = Heartbeat()
    try:
        heartbeat.beat()
        assert "worker alive" in home(admin_page)
    finally:
        heartbeat.close()


def test_it_asks_as_much_for_many_rows(admin_page, ada, django_assert_max_num_queries):
    for number in range(20):
        make_chat(ada, "Hello", title=f"Chat {number}")
        Usage.objects.create(user=ada, agent=f"agent {number}", model="m")
    home(admin_page)
    with django_assert_max_num_queries(24):
        home(admin_page)


def test_people_who_are_no_administrators_do_not_see_it(client, ada):
    client.force_login(ada)
    assert client.get(reverse("admin:index"), follow=True).status_code == 403


def test_it_is_in_english_for_everybody_as_the_tables_are(admin_page, ada):
    administrator = User.objects.get(is_superuser=True)
    administrator.language = "de"
    administrator.save()
    response = admin_page.get("/admin/memoryapp/fact/")
    assert response.headers["Content-Language"] == "en"
    html = response.content.decode()
    assert '<html lang="en"' in html
    assert "Select fact to change" in html
