"""Usage, sessions, and leaving for good."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone

from memoryapp import accounts
from memoryapp.memory import embeddings, resources
from memoryapp.models import ApiKey, Fact, MemoryMark, Usage
from tests.factories import make_chat, make_fact, make_prompt, remember
from tests.memory.test_forgetting_dump import tables_with
from tests.pages import client_of, htmx_get, htmx_post, text_of

pytestmark = pytest.mark.django_db
SECRET = "Zanzibar"
ADDRESS = "/settings/delete-account/"


def use(user, agent, number):
    Usage.objects.create(user=user, agent=agent, model="m", input_tokens=number, cost="0.5")


def test_usage_stands_by_day_and_agent_with_a_chart(ada, ben):
    use(ada, "talker", 700)
    use(ada, "talker", 77)
    use(ada, "extractor", 11)
    use(ben, "talker", 999)
    html = text_of(client_of(ada).get("/settings/"))
    assert '<td class="num">777</td>' in html
    assert '<td class="num">1.0000</td>' in html
    assert "Tokens a day: 788 in all" in html
    assert "999" not in html
    assert "style=" not in html


def test_other_browsers_are_signed_out_and_this_one_stays(ada, ben):
    here, there, of_ben = client_of(ada), client_of(ada), client_of(ben)
    there.get("/")
    assert "Sign out of all others" in text_of(here.get("/settings/"))
    page = here.post("/settings/sign-out-elsewhere/", follow=True)
    assert "Signed out in 1 other browser." in text_of(page)
    assert there.get("/settings/").status_code == 302
    assert of_ben.get("/settings/").status_code == 200


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/19.0 Mobile/15E148 Safari/604.1"
)


def session_of(client):
    return UserSession.objects.get(session_key=client.session.session_key)


def test_each_browser_is_listed_with_when_it_was_last_seen_and_ended_alone(ada):
    here, there, third = client_of(ada), client_of(ada), client_of(ada)
    there.get("/", headers={"User-Agent": PHONE})
    third.get("/")
    UserSession.objects.update(last_seen_at=timezone.now() - timedelta(days=1))
    html = text_of(here.get("/settings/", headers={"User-Agent": FIREFOX}))
    assert html.index("Firefox, Linux") < html.index("this one, now")
    assert "Safari, iPhone" in html
    assert html.count("yesterday") == 2
    address = reverse("session-end", args=[session_of(there).pk])
    assert "That browser is signed out." in text_of(here.post(address, follow=True))
    assert there.get("/settings/").status_code == 302
    assert third.get("/settings/").status_code == 200


def test_a_visit_is_noted_from_time_to_time_and_not_with_each_page(ada):
    client = client_of(ada)
    client.get("/memory/log/")
    before = session_of(client).last_seen_at
    client.get("/memory/log/")
    assert session_of(client).last_seen_at == before
    session = client.session
    session["noted_at"] -= accounts.NOTED_SECONDS + 1
    session.save()
    client.get("/memory/log/")
    assert session_of(client).last_seen_at > before


def test_nobody_ends_the_session_of_somebody_else(ada, ben, client):
    there = client_of(ada)
    there.get("/")
    address = reverse("session-end", args=[session_of(there).pk])
    assert client_of(ben).post(address).status_code == 404
    assert client.post(address).url.startswith("/accounts/login/")
    assert there.get("/settings/").status_code == 200


def test_before_one_leaves_the_page_counts_facts_as_the_side_does(ada):
    remember(ada, "city", "Vienna")
    make_fact(ada, "allergy", "sesame", status="pending")
    html = text_of(client_of(ada).get(ADDRESS))
    assert "one fact, and the log" in html
    assert '<span class="badge badge--plain">1</span>' in html


@pytest.fixture
def everywhere(db):
    """A person whose word is in every table that can hold one."""
    person = get_user_model().objects.create_user(SECRET, password="a-long-password")
    chat = make_chat(person, f"I live in {SECRET}", SECRET, title=SECRET)
    fact = remember(person, "city", SECRET)
    make_fact(person, SECRET, SECRET, source_message=chat.archive.first())
    make_prompt(person, SECRET, SECRET)
    resources.add(user=person, name=SECRET, body=SECRET)
    ApiKey.make(user=person, name=SECRET)
    use(person, SECRET, 1)
    SocialAccount.objects.create(user=person, uid="1", extra_data={"name": SECRET})
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={"secret": SECRET})
    reply = chat.archive.last()
    MemoryMark.objects.create(
        user=person, message=reply, memory_id=fact.pk, is_turn=False, is_useful=True,
        embedding_model=SECRET,
    )  # fmt: skip
    embeddings.fill(Fact.objects.all(), lambda fact: fact.text)
    return person


def test_deleting_an_account_leaves_nothing_in_any_table(everywhere, ada):
    make_fact(ada, "city", "Graz")
    elsewhere, client = client_of(everywhere), client_of(everywhere)
    assert len(tables_with(SECRET)) >= 10
    assert "one chat with all its messages" in text_of(htmx_get(client, ADDRESS))
    response = htmx_post(client, ADDRESS, word=SECRET)
    assert response.headers["HX-Redirect"] == "/accounts/login/"
    assert response.headers["Clear-Site-Data"] == '"storage"'
    assert tables_with(SECRET) == set()
    assert elsewhere.get("/").status_code == 302
    assert client.get("/").status_code == 302
    assert ada.facts.get().value == "Graz"


def test_an_account_goes_only_with_its_own_name_typed(everywhere, ada):
    response = htmx_post(client_of(everywhere), ADDRESS, word="ada")
    assert response.status_code == 422
    assert get_user_model().objects.filter(username=SECRET).exists()


def test_the_last_administrator_has_to_stay(ada):
    ada.is_superuser = True
    ada.save()
    response = client_of(ada).post(ADDRESS, {"word": "ada"})
    assert response.status_code == 422
    assert "only administrator" in text_of(response)
    ada.refresh_from_db()


@pytest.mark.parametrize("address", [ADDRESS, "/settings/sign-out-elsewhere/"])
def test_strangers_delete_and_end_nothing(client, ada, address):
    assert client.post(address, {"word": "ada"}).url.startswith("/accounts/login/")
    ada.refresh_from_db()
