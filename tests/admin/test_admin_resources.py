import pytest
from django.urls import reverse
from django_q.models import OrmQ

from memoryapp.admin import resources
from memoryapp.models import Passage, Resource


def act(client, action, *rows):
    changelist = reverse("admin:memoryapp_resource_changelist")
    return client.post(changelist, {"action": action, "_selected_action": [r.pk for r in rows]})


def page_of(row):
    return reverse(f"admin:memoryapp_{row._meta.model_name}_change", args=[row.pk])


def test_a_resource_is_shared_with_everyone_and_taken_back(admin_page, handbook, ben):
    act(admin_page, "share", handbook)
    assert Resource.objects.for_user(ben).get() == handbook

    act(admin_page, "unshare", handbook)
    assert not Resource.objects.for_user(ben).exists()


def test_a_resource_shows_its_passages(admin_page, handbook):
    page = admin_page.get(page_of(handbook))
    assert "Ask before deploying." in page.content.decode()


def test_a_long_resource_shows_its_first_passages_and_how_many_more(
    admin_page, handbook, monkeypatch
):
    monkeypatch.setattr(resources, "RESOURCE_PASSAGES", 1)
    Passage.objects.create(resource=handbook, position=1, body="Then deploy.")
    html = admin_page.get(page_of(handbook)).content.decode()
    assert "Then deploy." not in html
    assert "1 more" in html


def test_only_the_name_and_the_sharing_of_a_resource_are_edited(admin_page, handbook, ben):
    admin_page.post(
        page_of(handbook), {"name": "Rules", "is_shared": "on", "body": "x", "user": ben.pk}
    )
    changed = Resource.objects.get()
    assert (changed.name, changed.is_shared) == ("Rules", True)
    assert (changed.body, changed.user) == (handbook.body, handbook.user)


@pytest.mark.django_db(transaction=True)
def test_a_resource_that_failed_is_read_again(admin_page, handbook):
    Resource.objects.update(status=Resource.Status.FAILED, error="The embedder is away.")
    OrmQ.objects.all().delete()
    act(admin_page, "read_again", handbook)
    queued = OrmQ.objects.get()
    assert queued.func() == "memoryapp.tasks.read_resource"
    assert queued.args() == (str(handbook.pk),)


def test_a_resource_is_not_added_here(admin_page):
    assert admin_page.get(reverse("admin:memoryapp_resource_add")).status_code == 403


def test_deleting_a_resource_takes_its_passages(admin_page, handbook):
    delete = reverse("admin:memoryapp_resource_delete", args=[handbook.pk])
    assert "Passages: 1" in admin_page.get(delete).content.decode()
    admin_page.post(delete, {"post": "yes"})
    assert not Passage.objects.exists()
