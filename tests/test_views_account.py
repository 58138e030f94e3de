"""Usage, sessions, and leaving for good."""

import pytest
from django.contrib.auth import get_user_model

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
    assert "signed in in one more browser" in text_of(here.get("/settings/"))
    page = here.post("/settings/sign-out-elsewhere/", follow=True)
    assert "Signed out in 1 other browser." in text_of(page)
    assert there.get("/settings/").status_code == 302
    assert of_ben.get("/settings/").status_code == 200


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
    assert len(tables_with(SECRET)) >= 8
    assert "one chat with all its messages" in text_of(htmx_get(client, ADDRESS))
    response = htmx_post(client, ADDRESS, word=SECRET)
    assert response.headers["HX-Redirect"] == "/accounts/login/"
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
