"""What a person and a program are told while the database is away, or is full."""

import pytest
from django.db import connection
from django.urls import include, path
from psycopg.errors import DiskFull

from tests.api.callers import told
from tests.pages import HTMX, client_of, text_of

pytestmark = pytest.mark.django_db(transaction=True)


def without_room(request):
    with connection.wrap_database_errors:
        raise DiskFull("could not extend file")


urlpatterns = [path("full/", without_room), path("", include("config.urls"))]
handler500 = "memoryapp.outage.broken"


@pytest.fixture
def client(ada):
    """Ada's browser, which is answered where a test's client would be raised the error."""
    client = client_of(ada)
    client.raise_request_exception = False
    return client


@pytest.fixture
def lose_database(client, monkeypatch):
    """From the call on nobody reaches the database."""

    def lose():
        connection.close()
        monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")

    yield lose
    connection.close()


def test_a_page_says_so_and_tries_again_by_itself(client, lose_database):
    lose_database()
    response = client.get("/memory/?kind=task")
    html = text_of(response)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert "Nothing is lost." in html
    assert 'data-retry-seconds="5"' in html
    assert 'href="/memory/?kind=task"' in html
    assert '<meta http-equiv="refresh" content="5">' in html
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]


def test_it_is_said_in_the_language_of_the_browser(client, lose_database):
    lose_database()
    html = text_of(client.get("/", headers={"Accept-Language": "de-AT,de;q=0.9"}))
    assert '<html lang="de"' in html
    assert "Nichts ist verloren." in html


def test_it_is_said_in_the_language_that_the_person_has_chosen(client, ada, lose_database):
    ada.language = "de"
    ada.save()
    client.get("/")
    lose_database()
    assert "Nichts ist verloren." in text_of(client.get("/", headers={"Accept-Language": "en"}))


def test_what_was_sent_is_neither_sent_again_nor_said_to_be_saved(client, lose_database):
    lose_database()
    response = client.post("/", {"body": "Hello"})
    html = text_of(response)
    assert response.status_code == 503
    assert "most likely not saved" in html
    assert "again.js" not in html
    assert "http-equiv" not in html


def test_a_part_of_a_page_is_refused_with_a_status_that_the_page_has_a_sentence_for(
    client, lose_database
):
    page = text_of(client.get("/"))
    lose_database()
    response = client.get("/chats/", headers=HTMX)
    assert (response.status_code, response.content) == (503, b"")
    assert 'data-503="The database can' in page


def test_a_program_with_a_session_is_told_in_json(client, lose_database):
    lose_database()
    response = client.get("/api/v1/me")
    assert told(response, 503)["code"] == "database_away"
    assert response.headers["Retry-After"] == "10"


def test_all_is_as_before_when_the_database_is_back(client, lose_database, monkeypatch):
    lose_database()
    assert client.get("/").status_code == 503
    monkeypatch.undo()
    assert client.get("/").status_code == 200


def test_a_full_disk_is_told_apart(client, settings):
    page = text_of(client.get("/"))
    settings.ROOT_URLCONF = __name__
    response = client.get("/full/")
    assert response.status_code == 507
    assert "no room left on its disk" in text_of(response)
    assert "again.js" not in text_of(response)
    assert client.get("/full/", headers=HTMX).status_code == 507
    assert 'data-507="The database has no room left' in page
