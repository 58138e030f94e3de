import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.urls import reverse

from memoryapp.models import ApiKey, Usage, User
from tests.pages import client_of


def page_of(row):
    return reverse(f"admin:memoryapp_{row._meta.model_name}_change", args=[row.pk])


def form(user, **changes):
    """What the browser would send back for `user`, with changes."""
    joined = user.date_joined
    fields = {
        "username": user.username,
        "date_joined_0": f"{joined:%Y-%m-%d}",
        "date_joined_1": f"{joined:%H:%M:%S}",
        "timezone": user.timezone,
        "language": user.language,
        "review": user.review,
        "is_active": "on",
    }
    return {**fields, **changes}


def test_a_persons_zone_language_and_memory_are_edited(admin_page, ada):
    admin_page.post(page_of(ada), form(ada, timezone="Europe/Vienna", language="de"))
    ada.refresh_from_db()
    assert (ada.timezone, ada.language, ada.memory_on) == ("Europe/Vienna", "de", False)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("timezone", "Mars/Olympus", "is not a time zone"),
        ("language", "xx", "not one of the available choices"),
        ("username", "ben", "already exists"),
    ],
)
def test_a_bad_setting_is_an_error_of_the_form(admin_page, ada, ben, field, value, said):
    response = admin_page.post(page_of(ada), form(ada, **{field: value}))
    assert said in str(response.context["errors"])
    assert getattr(User.objects.get(pk=ada.pk), field) == getattr(ada, field)


def test_a_person_is_added_with_a_password(admin_page):
    fields = {"username": "cleo", "password1": "a-long-secret", "password2": "a-long-secret"}
    admin_page.post(reverse("admin:memoryapp_user_add"), {**fields, "usable_password": "true"})
    assert User.objects.get(username="cleo").check_password("a-long-secret")


def test_deleting_a_person_says_what_goes_with_them(admin_page, rows, ada):
    delete = reverse("admin:memoryapp_user_delete", args=[ada.pk])
    page = admin_page.get(delete).content.decode()
    assert "Chats: 1" in page
    assert "Messages: 6" in page
    assert "Facts: 2" in page

    admin_page.post(delete, {"post": "yes"})

    assert not User.objects.filter(pk=ada.pk).exists()


def test_a_key_is_revoked_by_deleting_it(admin_page, ada):
    key, secret = ApiKey.make(user=ada, name="laptop")
    assert "Revoke" in admin_page.get(page_of(key)).content.decode()

    admin_page.post(reverse("admin:memoryapp_apikey_delete", args=[key.pk]), {"post": "yes"})

    assert not ApiKey.objects.holding(secret).exists()


def test_a_key_can_be_given_an_end_and_nothing_else(admin_page, ada, ben):
    key, _ = ApiKey.make(user=ada, name="laptop", scopes=("read",))
    admin_page.post(
        page_of(key),
        {
            "name": "old laptop", "expires_at_0": "2020-01-01", "expires_at_1": "00:00:00",
            "user": ben.pk, "digest": "0" * 64, "scopes": '["write"]',
        },
    )  # fmt: skip
    changed = ApiKey.objects.get()
    assert (changed.name, changed.user, changed.scopes) == ("old laptop", ada, ["read"])
    assert changed.digest == key.digest
    assert not ApiKey.objects.usable().exists()


def test_no_page_of_a_key_shows_its_digest(admin_page, ada):
    key, _ = ApiKey.make(user=ada, name="laptop")
    for address in (page_of(key), reverse("admin:memoryapp_apikey_changelist")):
        assert key.digest not in admin_page.get(address).content.decode()


def test_a_key_is_not_made_here(admin_page):
    assert admin_page.get(reverse("admin:memoryapp_apikey_add")).status_code == 403


def test_usage_is_filtered_by_agent_and_only_read(admin_page, ada):
    talked = Usage.objects.create(user=ada, agent="talker", model="offline")
    Usage.objects.create(user=ada, agent="extractor", model="offline")
    changelist = reverse("admin:memoryapp_usage_changelist")
    assert list(admin_page.get(changelist, {"agent": "talker"}).context["cl"].result_list) == [
        talked
    ]
    assert admin_page.post(page_of(talked), {"cost": "0"}).status_code == 403


def test_a_session_that_is_deleted_here_is_over(admin_page, ada):
    there = client_of(ada)
    there.get("/")
    session = UserSession.objects.get(user=ada)
    address = reverse("admin:usersessions_usersession_delete", args=[session.pk])
    admin_page.post(address, {"post": "yes"})
    assert there.get("/").status_code == 302


def test_a_browser_is_signed_out_by_deleting_its_session(admin_page, ada):
    hers = client_of(ada)
    hers.get("/healthz", headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"})
    session = UserSession.objects.get(user=ada)
    listed = admin_page.get(reverse("admin:usersessions_usersession_changelist"))
    assert "Firefox, Linux" in listed.content.decode()
    delete = reverse("admin:usersessions_usersession_delete", args=[session.pk])
    admin_page.post(delete, {"post": "yes"})
    assert hers.get("/settings/").url.startswith(reverse("account_login"))


def test_a_session_is_neither_added_nor_changed(admin_page, ada):
    client_of(ada).get("/healthz")
    session = UserSession.objects.get(user=ada)
    assert admin_page.get(reverse("admin:usersessions_usersession_add")).status_code == 403
    page = reverse("admin:usersessions_usersession_change", args=[session.pk])
    assert admin_page.post(page, {"ip": "10.0.0.1"}).status_code == 403


def delete_all(client, *users):
    changelist = reverse("admin:memoryapp_user_changelist")
    chosen = [user.pk for user in users]
    fields = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    return client.post(changelist, fields)


def test_the_last_administrator_cannot_be_deleted(admin_page, administrator, ada):
    delete = reverse("admin:memoryapp_user_delete", args=[administrator.pk])
    page = admin_page.post(delete, {"post": "yes"}).content.decode()
    assert "This is the only administrator." in page
    assert "only administrator" in delete_all(admin_page, administrator, ada).content.decode()
    assert User.objects.filter(pk__in=[administrator.pk, ada.pk]).count() == 2


def test_an_administrator_beside_another_can_be_deleted(admin_page, administrator):
    other = User.objects.create_superuser("boss", password="a-long-password")
    assert "only administrator" in delete_all(admin_page, administrator, other).content.decode()
    delete_all(admin_page, other)
    assert User.objects.get() == administrator


def test_whoever_is_switched_off_is_signed_out(admin_page, ada):
    browser = client_of(ada)
    browser.get("/settings/")
    admin_page.post(page_of(ada), form(ada, is_active=""))
    assert not UserSession.objects.filter(user=ada).exists()
    assert not Session.objects.filter(session_key=browser.session.session_key).exists()


@pytest.mark.parametrize("taken", ["is_active", "is_superuser"])
def test_the_last_administrator_stays_one(admin_page, administrator, taken):
    rights = {"is_active": "on", "is_superuser": "on", "is_staff": "on"}
    fields = {**form(administrator), **rights}
    del fields[taken]
    response = admin_page.post(page_of(administrator), fields)
    assert "This is the only administrator." in str(response.context["errors"])
    User.objects.create_superuser("boss", password="a-long-password")
    admin_page.post(page_of(administrator), fields)
    administrator.refresh_from_db()
    assert getattr(administrator, taken) is False
