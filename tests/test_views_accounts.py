import re

import pytest
from django.core.cache import cache
from django.test import Client

from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_minute():
    cache.clear()


def test_a_person_signs_in_and_lands_where_they_wanted_to_go(client, ada):
    data = {"login": "ada", "password": "a-long-password"}
    response = client.post("/accounts/login/?next=/memory/", {**data, "next": "/memory/"})
    assert response.url == "/memory/"
    assert client.get("/memory/").status_code == 200


def sign_in(user, language, password="a-long-password"):
    data = {"login": user.username, "password": password}
    response = Client().post("/accounts/login/", data, headers={"Accept-Language": language})
    user.refresh_from_db()
    return response


def test_the_first_sign_in_takes_the_language_of_the_browser(ada):
    assert sign_in(ada, "de-AT,de;q=0.9,en;q=0.5").status_code == 302
    assert ada.language == "de"
    sign_in(ada, "en")
    assert ada.language == "de"


@pytest.mark.parametrize("language", ["en", "fi", ""])
def test_a_browser_without_a_language_of_the_pages_leaves_english(ada, language):
    sign_in(ada, language)
    assert ada.language == "en"


def test_a_language_that_was_chosen_is_not_taken_back(ada):
    ada.language = "fr"
    ada.save()
    sign_in(ada, "de")
    assert ada.language == "fr"


def test_whoever_is_refused_changes_nothing(ada):
    sign_in(ada, "de", password="wrong")
    assert (ada.language, ada.last_login) == ("en", None)


def test_a_wrong_password_is_refused_in_the_same_form(client, ada):
    response = client.post("/accounts/login/", {"login": "ada", "password": "wrong"})
    assert 'role="alert"' in text_of(response)
    assert client.get("/memory/").status_code == 302


def test_guessing_many_names_does_not_make_one_forgotten_that_was_guessed(client, ada):
    for _ in range(5):
        client.post("/accounts/login/", {"login": "ada", "password": "wrong"})
    for number in range(1000):
        cache.set(f"somebody-else-{number}", [1.0])
    client.post("/accounts/login/", {"login": "ada", "password": "a-long-password"})
    assert "_auth_user_id" not in client.session


def test_guessing_passwords_is_stopped_after_a_while(client, ada):
    for _ in range(10):
        client.post("/accounts/login/", {"login": "ada", "password": "wrong"})
    data = {"login": "ada", "password": "a-long-password"}
    assert "_auth_user_id" not in client.session
    client.post("/accounts/login/", data)
    assert "_auth_user_id" not in client.session


def test_sign_up_is_closed_by_default_and_says_so(client, db):
    assert "No sign-up here" in text_of(client.get("/accounts/signup/"))


def test_sign_up_can_be_open(client, db, settings, django_user_model):
    settings.SIGNUP = "open"
    password = {"password1": "a-long-password", "password2": "a-long-password"}
    response = client.post("/accounts/signup/", {"username": "cleo", **password})
    assert response.url == "/"
    assert django_user_model.objects.get().username == "cleo"


@pytest.mark.parametrize("address", ["/accounts/logout/", "/admin/logout/"])
def test_signing_out_has_the_browser_drop_what_was_kept_for_the_person(ada, address):
    ada.is_staff = True
    ada.save()
    client = client_of(ada)
    assert "Clear-Site-Data" not in client.get("/").headers
    assert client.post(address).headers["Clear-Site-Data"] == '"storage"'


def test_signing_out_needs_a_press_and_not_a_link(ada):
    client = client_of(ada)
    assert "Sign out?" in text_of(client.get("/accounts/logout/"))
    assert client.get("/memory/").status_code == 200
    client.post("/accounts/logout/")
    assert client.get("/memory/").status_code == 302


def test_a_password_is_changed(ada):
    client = client_of(ada)
    new = "an-even-longer-password"
    data = {"oldpassword": "a-long-password", "password1": new, "password2": new}
    response = client.post("/accounts/password/change/", data, follow=True)
    assert response.redirect_chain == [("/settings/", 302)]
    assert "Password successfully changed." in response.content.decode()
    ada.refresh_from_db()
    assert ada.check_password(new)


def test_a_page_without_the_token_of_its_form_changes_nothing(ada):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    response = client.post("/settings/memory/", {})
    assert response.status_code == 403
    assert "This page was too old" in text_of(response)
    ada.refresh_from_db()
    assert ada.memory_on is True


def test_an_unknown_address_is_said_in_the_houses_look(ada):
    response = client_of(ada).get("/nowhere/")
    assert response.status_code == 404
    assert "There's nothing at this address" in text_of(response)


@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/nowhere/"])
def test_pages_run_no_script_but_the_projects_own(ada, address):
    policy = client_of(ada).get(address, follow=True).headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def focused(response):
    """The names of the fields that a page puts the focus into."""
    return re.findall(r'name="(\w+)"[^>]*\sautofocus', text_of(response))


def test_the_field_to_go_on_with_has_the_focus(client, ada, settings):
    settings.SIGNUP = "open"
    assert focused(client.get("/accounts/login/")) == ["login"]
    wrong = {"login": "ada", "password": "wrong"}
    assert focused(client.post("/accounts/login/", wrong)) == ["password"]
    taken = {"username": "ada", "password1": "a-long-password", "password2": "a-long-password"}
    assert focused(client.post("/accounts/signup/", taken)) == ["username"]
    assert focused(client_of(ada).get("/settings/")) == []


@pytest.mark.parametrize(
    ("address", "sent", "said"),
    [
        ("login", {"login": "ada", "password": "wrong"}, "Der Anmeldename oder das Passwort ist"),
        ("signup", {"username": "ada"}, "Diesen Anmeldenamen hat schon jemand"),
    ],
)
def test_a_refusal_calls_things_as_its_form_does(client, ada, settings, address, sent, said):
    settings.SIGNUP = "open"
    html = text_of(client.post(f"/accounts/{address}/", sent, headers={"Accept-Language": "de"}))
    assert said in html
    assert "Benutzername" not in html


def test_who_is_asked_for_the_password_again_can_go_back(ada):
    asked = client_of(ada).get("/accounts/second-factor/", follow=True)
    assert '<a class="note-link"' in text_of(asked)
    assert 'href="/settings/"' in text_of(asked)


def test_the_settings_say_what_a_second_factor_is(ada):
    assert "your password and a code of an authenticator app" in text_of(
        client_of(ada).get("/settings/")
    )
