import pytest
from django.urls import reverse

from memoryapp.models import ApiKey
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db


def test_the_profile_is_saved(ada):
    data = {"first_name": "Adele", "timezone": "Europe/Vienna", "language": "de"}
    assert client_of(ada).post("/settings/profile/", data).url == "/settings/"
    ada.refresh_from_db()
    assert (ada.first_name, ada.timezone, ada.language) == ("Adele", "Europe/Vienna", "de")


def test_a_new_language_holds_for_the_sentence_that_says_so(ada):
    client = client_of(ada)
    client.post("/settings/profile/", {"timezone": "Europe/Vienna", "language": "de"})
    assert "Dein Profil ist gespeichert." in text_of(client.get("/settings/"))


@pytest.mark.parametrize("wrong", [{"timezone": "Europe/Berlen"}, {"language": "tlh"}])
def test_a_wrong_profile_is_refused_with_what_was_typed(ada, wrong):
    data = {"first_name": "Adele", "timezone": "Europe/Vienna", "language": "de", **wrong}
    response = client_of(ada).post("/settings/profile/", data)
    assert response.status_code == 422
    assert 'aria-invalid="true"' in text_of(response)
    assert "Adele" in text_of(response)
    ada.refresh_from_db()
    assert ada.first_name == "Ada"


def test_memory_is_switched_off_for_a_person(ada):
    client = client_of(ada)
    client.post("/settings/memory/", {"notify_learned": "on", "review": "always"})
    ada.refresh_from_db()
    assert (ada.memory_on, ada.notify_learned, ada.review) == (False, True, "always")
    assert "Memory off" in text_of(client.get("/"))


def test_a_key_is_shown_once(ada):
    client = client_of(ada)
    html = text_of(client.post("/settings/keys/add/", {"name": "Laptop"}))
    key = ApiKey.objects.get()
    assert (key.user, key.name) == (ada, "Laptop")
    secret = html.split('id="new-key" tabindex="0">')[1].split("<")[0]
    assert ApiKey.objects.holding(secret).get() == key
    assert secret not in text_of(client.get("/settings/"))


def test_a_key_needs_a_name(ada):
    assert client_of(ada).post("/settings/keys/add/", {"name": " "}).status_code == 422
    assert not ApiKey.objects.exists()


def test_a_key_is_revoked_by_its_owner_alone(ada, ben):
    key, _ = ApiKey.make(user=ada, name="Laptop")
    address = reverse("key-delete", args=[key.pk])
    assert client_of(ben).post(address).status_code == 404
    assert "Laptop" not in text_of(client_of(ben).get("/settings/"))
    client_of(ada).post(address)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("name", ["profile", "memory"])
def test_settings_need_somebody_signed_in(client, db, name):
    response = client.post(reverse(f"settings-{name}"))
    assert response.url.startswith("/accounts/login/")
