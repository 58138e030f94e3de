from django.contrib.auth.models import Permission
from django.urls import reverse
from django_q.models import Failure, OrmQ, Success, Task
from django_q.tasks import async_task

from memoryapp import tasks
from tests.factories import failed_task


def act(client, table, action, *rows):
    changelist = reverse(f"admin:django_q_{table}_changelist")
    return client.post(changelist, {"action": action, "_selected_action": [r.pk for r in rows]})


def test_failed_work_is_listed_with_its_reason(admin_page, db):
    failed_task()
    page = admin_page.get(reverse("admin:django_q_failure_changelist"))
    assert "The model refused." in page.content.decode()


def test_failed_work_goes_back_to_the_queue(admin_page, db):
    failure = failed_task()

    act(admin_page, "failure", "try_again", failure)

    queued = OrmQ.objects.get()
    assert queued.func() == "memoryapp.tasks.title"
    assert queued.args() == ("1",)
    assert not Failure.objects.exists()


def test_failed_work_is_not_put_back_by_somebody_who_may_only_look(client, ada, db):
    ada.is_staff = True
    ada.save()
    ada.user_permissions.add(Permission.objects.get(codename="view_failure"))
    client.force_login(ada)

    act(client, "failure", "try_again", failed_task())

    assert not OrmQ.objects.exists()
    assert Failure.objects.exists()


def test_work_that_is_done_is_listed_apart(admin_page, db):
    failed_task()
    Task.objects.update(success=True)
    page = admin_page.get(reverse("admin:django_q_success_changelist"))
    assert page.context["cl"].result_count == Success.objects.count() == 1
    assert (
        admin_page.get(reverse("admin:django_q_failure_changelist")).context["cl"].result_count == 0
    )


def test_waiting_work_is_shown_with_what_it_is_about(admin_page, db):
    async_task(tasks.title, "the-chat")
    queued = OrmQ.objects.get()
    page = admin_page.get(reverse("admin:django_q_ormq_change", args=[queued.pk]))
    assert "the-chat" in page.content.decode()
    listed = admin_page.get(reverse("admin:django_q_ormq_changelist")).content.decode()
    assert "memoryapp.tasks.title" in listed
    assert "the-chat" in listed


def test_work_that_is_done_is_not_edited(admin_page, db):
    done = failed_task()
    Task.objects.update(success=True)
    assert (
        "to view" in admin_page.get(reverse("admin:django_q_success_changelist")).context["title"]
    )
    page = reverse("admin:django_q_success_change", args=[done.pk])
    assert admin_page.post(page, {"name": "another"}).status_code == 403


def test_waiting_work_is_not_edited(admin_page, db):
    async_task(tasks.title, "the-chat")
    queued = OrmQ.objects.get()
    page = reverse("admin:django_q_ormq_change", args=[queued.pk])
    assert admin_page.post(page, {"key": "another"}).status_code == 403


def test_waiting_work_signed_with_another_key_can_be_looked_at_and_removed(admin_page, db):
    queued = OrmQ.objects.create(key="memoryapp", payload="not:signed")
    assert admin_page.get(reverse("admin:django_q_ormq_changelist")).status_code == 200
    admin_page.post(reverse("admin:django_q_ormq_delete", args=[queued.pk]), {"post": "yes"})
    assert not OrmQ.objects.exists()
