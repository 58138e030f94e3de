"""Single sign-on, with a provider that is really asked, and really sends people back."""

import re
import time
from urllib.parse import urlsplit

import pytest
import requests
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import get_user
from django.test import Client
from django.urls import reverse

from memoryapp.models import User
from tests.oidc_provider import CLIENT, SECRET, OIDCProvider
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db
CONFIRMED = {"email": "ada@example.org", "email_verified": True}


@pytest.fixture
def provider(settings):
    with OIDCProvider() as provider:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT = provider.issuer, f"{CLIENT}:{SECRET}"
        settings.SIGNUP = "oidc"
        settings.SITE_URL = "http://localhost:8000"
        yield provider


def there_and_back(address):
    """Where the provider sends somebody back to who comes to this address of its."""
    return requests.get(address, allow_redirects=False).headers["Location"]


def come(client=None, **query):
    """The page that somebody ends at who signs in through the provider."""
    client = client or Client()
    response = client.get("/accounts/oidc/", query)
    if response.status_code != 302:
        return response
    back = urlsplit(there_and_back(response.url))
    return client.get(f"{back.path}?{back.query}")


def who(client):
    return get_user(client).username


def test_without_a_provider_there_is_nothing_of_it(client):
    assert "Sign in with" not in text_of(client.get("/accounts/login/"))
    assert client.get("/accounts/oidc/").status_code == 404
    assert client.get("/accounts/oidc/callback/").status_code == 404


@pytest.mark.parametrize("signup", ["oidc", "open", "closed"])
def test_the_sign_in_page_says_how_one_gets_an_account(provider, client, settings, signup):
    settings.SIGNUP = signup
    page = text_of(client.get("/accounts/login/"))
    makes_one = f"Your first sign-in with {urlsplit(provider.issuer).netloc} makes one."
    assert (makes_one in page) == (signup == "oidc")
    assert ("/accounts/signup/" in page) == (signup != "oidc")


def test_somebody_new_gets_an_account_and_is_the_same_the_next_time(provider):
    first, second = Client(), Client()
    assert come(first).url == "/"
    assert who(first) == "cleo"
    provider.person["preferred_username"] = "cleopatra"
    assert come(second).url == "/"
    assert get_user(second) == get_user(first) == User.objects.get()
    assert not User.objects.get().has_usable_password()
    assert User.objects.get().first_name == "Cleo"


def test_the_sign_in_page_leads_there_and_on_to_where_one_wanted_to_go(provider, client):
    page = text_of(client.get("/accounts/login/?next=/memory/"))
    there = re.search(r'href="(/accounts/oidc/[^"]*)"', page)[1]
    assert f"Sign in with {urlsplit(provider.issuer).netloc}" in page
    assert there == "/accounts/oidc/?next=%2Fmemory%2F"
    assert come(client, next="/memory/").url == "/memory/"


def test_nobody_is_led_on_to_another_site(provider, client):
    assert come(client, next="https://evil.example/").url == "/"


def test_the_provider_is_told_the_address_of_the_site_and_no_more_than_is_needed(provider):
    come(scope="admin", process="connect", auth_params="prompt=none")
    asked = provider.asked[0]
    assert asked["redirect_uri"] == "http://localhost:8000/accounts/oidc/callback/"
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
    assert asked["code_challenge_method"] == "S256"
    assert "prompt" not in asked


def test_what_cannot_be_kept_of_a_name_is_left_out(provider, client):
    provider.person |= {"preferred_username": "cl\0eo", "given_name": "Cleo\ud800"}
    assert come(client).url == "/"
    assert (who(client), User.objects.get().first_name) == ("cleo", "Cleo?")


def test_a_name_that_is_taken_here_is_somebody_elses(provider, ada):
    provider.person["preferred_username"] = "ada"
    client = Client()
    come(client)
    assert get_user(client) != ada
    assert User.objects.count() == 2


def test_a_confirmed_address_that_an_administrator_entered_finds_its_account(provider, ada):
    User.objects.filter(pk=ada.pk).update(email="Ada@example.org")
    provider.person |= CONFIRMED
    client = Client()
    come(client)
    assert get_user(client) == ada
    ada.refresh_from_db()
    assert ada.check_password("a-long-password")
    assert ada.socialaccount_set.get().uid == "1"


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "ada@example.org"},
        {"email": "ada@example.org", "email_verified": False},
        {"email": "ada@example.org", "email_verified": "false"},
        {"email": "adа@example.org", "email_verified": True},  # a Cyrillic а
        {"email": "ada@exampıe.org", "email_verified": True},  # an ı without a dot
    ],
)
def test_an_address_that_nobody_vouches_for_finds_no_account(provider, ada, claims):
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    provider.person |= claims
    client = Client()
    come(client)
    assert who(client) == "cleo"
    assert not ada.socialaccount_set.exists()
    if claims.get("email_verified") is not True:
        assert get_user(client).email == ""


def test_an_address_that_passed_to_somebody_else_does_not_hand_over_the_account(provider, ada):
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    provider.person |= CONFIRMED
    come()
    provider.person["sub"] = "2"
    client = Client()
    come(client)
    assert get_user(client) != ada


def test_an_address_of_two_accounts_is_neithers(provider, ada, ben):
    User.objects.update(email="ada@example.org")
    provider.person |= CONFIRMED
    client = Client()
    come(client)
    assert who(client) == "cleo"


def test_another_provider_is_another_name_space(provider, settings):
    come()
    SocialAccount.objects.update(provider="https://former.example.org")
    client = Client()
    come(client)
    assert User.objects.count() == 2


def test_what_is_kept_is_the_names_and_a_confirmed_address(provider):
    provider.person |= {"email": "cleo@example.org", "phone_number": "555", "picture": "x"}
    come()
    kept = SocialAccount.objects.get().extra_data
    assert kept == {"preferred_username": "cleo", "name": "Cleo Curtis"}


def test_an_account_that_is_switched_off_stays_off(provider):
    come()
    User.objects.update(is_active=False)
    client = Client()
    assert come(client).url == reverse("account_inactive")
    assert who(client) == ""


def test_with_sign_up_closed_only_those_come_in_who_have_an_account(provider, settings, ada):
    settings.SIGNUP = "closed"
    assert "doesn&#x27;t vouch for an e-mail address" in text_of(come())
    provider.person |= CONFIRMED
    assert "There is no account for ada@example.org here" in text_of(come())
    assert User.objects.get() == ada
    User.objects.update(email="ada@example.org")
    client = Client()
    come(client)
    assert get_user(client) == ada


def test_the_form_of_sign_up_stays_closed(provider, client):
    assert "No sign-up here" in text_of(client.get("/accounts/signup/"))


def test_an_answer_that_was_not_asked_for_lets_nobody_in(provider):
    begun, other = Client(), Client()
    there = begun.get("/accounts/oidc/").url
    back = urlsplit(there_and_back(there))
    response = other.get(f"{back.path}?{back.query}")
    assert response.status_code == 403
    assert "begun in another browser" in text_of(response)
    assert who(other) == ""
    begun.get(f"{back.path}?{back.query}")
    assert who(begun) == "cleo"
    assert "took too long" in text_of(begun.get(f"{back.path}?{back.query}"))


def test_whoever_turns_round_at_the_provider_is_back_at_the_sign_in_page(provider):
    provider.refusal = "access_denied"
    assert come().url == "/accounts/login/"


def is_away(provider):
    provider.stop()


def is_ill(provider):
    provider.status = 503


def is_elsewhere(provider):
    provider.status = 404


def lacks_a_place(provider):
    provider.config = {"issuer": None, "token_endpoint": 7}


def is_another(provider):
    provider.config = {"issuer": "https://other.example.org"}


def has_another_secret(provider):
    provider.secret = "changed"


def refuses(provider):
    provider.refusal = "invalid_scope"


def signed_for_another(provider):
    provider.claims = {"aud": "other"}


def names_two_people(provider):
    provider.userinfo = {"sub": "2"}


def names_nobody(provider):
    provider.person = {"name": "Cleo"}


def has_a_name_without_end(provider):
    provider.person["sub"] = "x" * 500


def is_late(provider):
    provider.claims = {"exp": int(time.time()) - 60}


AWAY = "doesn&#x27;t answer. Try again in a while."
MISUNDERSTOOD = "its log says why, and OIDC_ISSUER and OIDC_CLIENT are where to look"
CLOCKS = "The clocks of this server and of"


def has_a_number_that_is_no_text(provider):
    provider.person["sub"] = "1\0"


def nests_without_end(provider):
    provider.answer = b"[" * 100_000


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (is_away, AWAY),
        (is_ill, AWAY),
        (is_elsewhere, MISUNDERSTOOD),
        (lacks_a_place, MISUNDERSTOOD),
        (is_another, MISUNDERSTOOD),
        (has_another_secret, MISUNDERSTOOD),
        (refuses, MISUNDERSTOOD),
        (signed_for_another, MISUNDERSTOOD),
        (names_two_people, MISUNDERSTOOD),
        (names_nobody, MISUNDERSTOOD),
        (has_a_name_without_end, MISUNDERSTOOD),
        (has_a_number_that_is_no_text, MISUNDERSTOOD),
        (nests_without_end, MISUNDERSTOOD),
        (is_late, CLOCKS),
    ],
)
def test_trouble_with_the_provider_is_a_sentence_on_the_page(provider, caplog, trouble, sentence):
    trouble(provider)
    client = Client()
    response = come(client)
    assert response.status_code == 403
    assert sentence in text_of(response)
    assert "Nobody could be signed in" in caplog.text
    assert SECRET not in caplog.text
    assert (who(client), User.objects.count()) == ("", 0)


def test_a_provider_that_goes_away_meanwhile_is_told_of_too(provider, client):
    there = client.get("/accounts/oidc/").url
    back = urlsplit(there_and_back(there))
    provider.stop()
    assert AWAY in text_of(client.get(f"{back.path}?{back.query}"))


def test_the_sentences_are_in_the_language_of_the_browser(provider):
    provider.stop()
    response = Client().get("/accounts/oidc/", headers={"Accept-Language": "de"})
    assert "antwortet nicht" in text_of(response)


def test_whoever_is_signed_in_already_stays_who_they_are(provider, ada):
    client = client_of(ada)
    assert client.get("/accounts/oidc/").url == "/"
    assert get_user(client) == ada


def test_a_second_factor_is_asked_for_after_it_too(provider):
    come()
    user = User.objects.get()
    TOTP.activate(user, generate_totp_secret())
    client = Client()
    assert come(client).url == "/accounts/code/"
    assert who(client) == ""
    code = RecoveryCodes.activate(user).get_unused_codes()[0]
    assert client.post("/accounts/code/", {"code": code}).url == "/"
    assert who(client) == "cleo"


def test_signing_out_ends_it_here(provider):
    client = Client()
    come(client)
    client.post("/accounts/logout/")
    assert client.get("/memory/").url.startswith("/accounts/login/")
