"""A code of the person's device, asked for however they sign in."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth import get_user
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from memoryapp import second_factor
from memoryapp.models import ApiKey
from tests.pages import after_password, client_of, text_of

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-password"
SET_UP, CODES = "/accounts/second-factor/", "/accounts/recovery-codes/"


@pytest.fixture(autouse=True)
def _fresh_minute():
    cache.clear()


def code_of(secret, *, step=0):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + step))


def set_up(client):
    """The secret of the device, and the page after it: the recovery codes, this once."""
    page = text_of(after_password(client, SET_UP))
    secret = re.search(r"<code[^>]*>(\w+)</code>", page)[1]
    return secret, client.post(SET_UP, {"code": code_of(secret)}, follow=True)


def codes_on(page):
    return re.findall(r"\b\d{8}\b", re.search(r"<pre.*?</pre>", text_of(page), re.DOTALL)[0])


@pytest.fixture
def device(ada):
    """Ada's: its secret and her recovery codes."""
    secret, page = set_up(client_of(ada))
    cache.clear()  # which remembers the code that it was set up with
    return secret, codes_on(page)


def begin(user, **more):
    client = Client()
    data = {"login": user.username, "password": PASSWORD, **more}
    client.post("/accounts/login/", data)
    return client


def give(client, code):
    return client.post("/accounts/code/", {"code": code})


def is_in(client):
    return get_user(client).is_authenticated


def test_a_device_is_set_up_with_a_picture_that_comes_with_the_page(ada):
    client = client_of(ada)
    page = after_password(client, SET_UP)
    assert 'src="data:image/svg+xml;base64,' in text_of(page)
    assert "img-src 'self' data:" in page.headers["Content-Security-Policy"]


def test_recovery_codes_are_shown_once(ada):
    client = client_of(ada)
    _, page = set_up(client)
    assert len(set(codes_on(page))) == 10
    assert "can't be shown again" in text_of(client.get(CODES))


def test_a_wrong_code_sets_nothing_up(ada):
    client = client_of(ada)
    after_password(client, SET_UP)
    assert "That isn&#x27;t the code" in text_of(client.post(SET_UP, {"code": "000000"}))
    assert not second_factor.has_second_factor(ada)


def test_the_password_alone_lets_nobody_in_any_more(ada, device):
    client = begin(ada)
    assert not is_in(client)
    assert client.get("/memory/").url.startswith("/accounts/login/")
    assert client.get("/api/v1/me").status_code == 401
    assert give(client, code_of(device[0])).url == "/"
    assert is_in(client)


def test_one_lands_where_one_wanted_to_go(ada, device):
    assert give(begin(ada, next="/memory/"), code_of(device[0])).url == "/memory/"


def test_a_wrong_code_is_refused_in_the_same_form(ada, device):
    client = begin(ada)
    assert "That isn&#x27;t the code" in text_of(give(client, "000000"))
    assert not is_in(client)


@pytest.mark.parametrize("step", [-2, 2])
def test_a_code_of_another_minute_does_not_count(ada, device, step):
    client = begin(ada)
    give(client, code_of(device[0], step=step))
    assert not is_in(client)


def test_a_code_counts_once(ada, device):
    code = code_of(device[0])
    give(begin(ada), code)
    second = begin(ada)
    give(second, code)
    assert not is_in(second)


def test_a_recovery_code_counts_once_in_the_place_of_the_device(ada, device):
    code = device[1][3]
    first, second = begin(ada), begin(ada)
    give(first, code)
    give(second, code)
    assert is_in(first)
    assert not is_in(second)


def test_new_recovery_codes_take_the_place_of_the_old_ones(ada, device):
    client = client_of(ada)
    after_password(client, f"{CODES}new/")
    new = codes_on(client.post(f"{CODES}new/", follow=True))
    assert not set(new) & set(device[1])
    old = begin(ada)
    give(old, device[1][0])
    assert not is_in(old)
    cleared = begin(ada)
    give(cleared, new[0])
    assert is_in(cleared)


def test_guessing_codes_is_stopped_after_a_while(ada, device):
    client = begin(ada)
    for number in range(5):
        give(client, f"{number:06}")
    response = give(client, code_of(device[0]))
    assert not is_in(client)
    assert "Too many failed login attempts" in text_of(response)


def test_the_code_page_is_for_those_who_gave_a_password(ada, device, client):
    assert client.get("/accounts/code/").url == "/accounts/login/"
    assert give(client, code_of(device[0])).url == "/accounts/login/"
    assert not is_in(client)


def test_nobodys_code_but_ones_own_counts(ada, ben, device):
    set_up(client_of(ben))
    cache.clear()
    client = begin(ben)
    give(client, code_of(device[0]))
    give(client, device[1][0])
    assert not is_in(client)


def test_the_administration_has_no_other_door(administrator):
    secret, _ = set_up(client_of(administrator))
    cache.clear()
    assert Client().get("/admin/login/").url.startswith("/accounts/login/")
    client = Client()
    fields = {"username": "root", "login": "root", "password": PASSWORD}
    client.post("/admin/login/?next=/admin/", fields, follow=True)
    assert not is_in(client)
    begun = begin(administrator, next="/admin/")
    assert begun.get("/admin/").status_code == 302
    assert give(begun, code_of(secret)).url == "/admin/"


@pytest.fixture
def administrator(django_user_model):
    return django_user_model.objects.create_superuser("root", password=PASSWORD)


def test_an_administrator_takes_it_off_for_who_lost_the_device(ada, device, administrator):
    client = client_of(administrator)
    row = Authenticator.objects.get(user=ada, type=Authenticator.Type.TOTP)
    listed = text_of(client.get(reverse("admin:mfa_authenticator_changelist")))
    assert "ada" in listed
    assert row.data["secret"] not in listed
    client.post(reverse("admin:mfa_authenticator_delete", args=[row.pk]), {"post": "yes"})
    assert not Authenticator.objects.exists()
    assert is_in(begin(ada))
    entry = administrator.logentry_set.get()
    assert entry.is_deletion()


def test_a_command_takes_it_off_where_no_administrator_can(ada, device, capsys):
    call_command("remove_second_factor", "ada")
    assert "without a code" in capsys.readouterr().out
    assert is_in(begin(ada))
    for name in ("ada", "nobody"):
        with pytest.raises(CommandError):
            call_command("remove_second_factor", name)


def test_to_take_it_off_oneself_asks_for_the_password(ada, device):
    client = client_of(ada)
    asked = client.post(f"{SET_UP}off/").url
    assert asked.startswith("/accounts/reauthenticate/")
    client.post(asked, {"password": "wrong"})
    assert second_factor.has_second_factor(ada)
    page = client.post(asked, {"password": PASSWORD}, follow=True)
    assert "No code is asked for any more." in text_of(page)
    assert not Authenticator.objects.exists()
    assert is_in(begin(ada))


@pytest.mark.django_db(transaction=True)
def test_settings_say_which_way_it_is(ada):
    client = client_of(ada)
    assert "Ask for a code, too" in text_of(client.get("/settings/"))
    set_up(client)
    page = text_of(client.get("/settings/"))
    assert "You sign in with a code, too, from now on." in page
    assert "Ask for no code any more" in page


def test_the_database_alone_gives_no_code_away(ada, device, settings):
    kept = Authenticator.objects.get(user=ada, type=Authenticator.Type.TOTP).data
    assert device[0] not in str(kept)
    settings.SECRET_KEY = "another"
    client = begin(ada)
    assert "secret key has changed" in text_of(give(client, code_of(device[0])))
    assert not is_in(client)


def test_keys_of_programs_ask_for_no_code(ada, device):
    _, secret = ApiKey.make(user=ada, name="script")
    headers = {"Authorization": f"Bearer {secret}"}
    assert Client().get("/api/v1/me", headers=headers).status_code == 200


@pytest.mark.parametrize("address", [SET_UP, f"{SET_UP}off/", CODES, f"{CODES}new/"])
def test_strangers_are_sent_to_the_sign_in_page(client, db, address):
    assert client.get(address).url.startswith("/accounts/login/")
    assert client.post(address).url.startswith("/accounts/login/")


def test_whoever_has_no_password_here_sets_up_no_device(ada):
    ada.set_unusable_password()
    ada.save()
    client = client_of(ada)
    page = text_of(client.get("/settings/"))
    assert "Ask for a code" not in page
    assert "Change your password" not in page
    assert client.get(SET_UP).status_code == 403
    there = client.get("/accounts/password/change/", follow=True)
    assert "You have no password here" in text_of(there)
