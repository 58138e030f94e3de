import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from memoryapp.models import Resource
from tests.pages import client_of, htmx_get, text_of

pytestmark = pytest.mark.django_db


def url(name, resource):
    return reverse(f"resource-{name}", args=[resource.pk])


def upload(client, content, name="notes.md", **fields):
    return client.post("/resources/", {"file": SimpleUploadedFile(name, content), **fields})


@pytest.fixture
def notes(ada):
    return Resource.objects.create(user=ada, name="notes.md", body="Drain first.")


def test_a_file_is_added_under_its_name(ada):
    assert upload(client_of(ada), "Grüße".encode()).url == "/resources/"
    resource = Resource.objects.get()
    assert (resource.name, resource.body, resource.user) == ("notes.md", "Grüße", ada)


def test_pasted_text_is_added_under_its_first_line(ada):
    client_of(ada).post("/resources/", {"body": "The runbook\n\nDrain first."})
    assert Resource.objects.get().name == "The runbook"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x89PNG\r\n\xff\xfe", "not text in UTF-8"),
        (b"text with a \0 in it", "not text in UTF-8"),
        (b"  \n ", "There is no text in it."),
        (b"", "empty"),
    ],
)
def test_a_file_that_is_no_text_is_refused_in_a_sentence(ada, content, sentence):
    response = upload(client_of(ada), content)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert not Resource.objects.exists()


def test_a_file_that_is_too_large_is_refused(ada, settings):
    settings.RESOURCE_MAX_BYTES = 1_000_000
    response = upload(client_of(ada), b"x" * 1_000_001)
    assert response.status_code == 422
    assert "1,000,000 bytes are the most" in text_of(response)
    assert not Resource.objects.exists()


def test_pasted_text_that_is_too_long_is_refused(ada, settings):
    settings.RESOURCE_MAX_BYTES = 10
    response = client_of(ada).post("/resources/", {"body": "Grüße, alle"})
    assert response.status_code == 422
    assert "10 bytes are the most" in text_of(response)
    assert not Resource.objects.exists()


def test_nothing_to_add_is_said(ada):
    response = client_of(ada).post("/resources/", {})
    assert response.status_code == 422
    assert "Choose a file, or paste some text." in text_of(response)


def test_only_administrators_share_with_everyone(ada, ben):
    ada.is_staff = True
    ada.save()
    upload(client_of(ada), b"for all", name="all.md", is_shared="on")
    upload(client_of(ben), b"for me", name="mine.md", is_shared="on")
    shared = Resource.objects.get(is_shared=True)
    assert shared.name == "all.md"
    html = text_of(client_of(ben).get("/resources/"))
    assert "shared with everyone by ada" in html
    assert "Share with everyone" not in html


def test_a_failed_resource_says_why(notes, ada):
    Resource.objects.update(status="failed", error="There is nothing in it to read.")
    html = text_of(client_of(ada).get("/resources/"))
    assert "There is nothing in it to read." in html


def test_the_row_of_a_resource_that_is_read_asks_again_until_it_is_ready(notes, ada):
    Resource.objects.update(status="reading", progress=40)
    client = client_of(ada)
    row = text_of(htmx_get(client, url("detail", notes)))
    assert "Reading, 40 %" in row
    assert "every 1s" in row
    Resource.objects.update(status="ready")
    assert "every 1s" not in text_of(htmx_get(client, url("detail", notes)))


def test_the_text_of_a_resource_can_be_read(notes, ada):
    assert "Drain first." in text_of(client_of(ada).get(url("detail", notes)))


def test_a_resource_is_removed_after_asking(notes, ada):
    client = client_of(ada)
    assert "Remove “notes.md”?" in text_of(htmx_get(client, url("delete", notes)))
    assert client.post(url("delete", notes)).url == "/resources/"
    assert not Resource.objects.exists()


@pytest.mark.parametrize("name", ["detail", "delete"])
def test_a_resource_of_somebody_else_is_not_there(notes, ben, name):
    assert client_of(ben).get(url(name, notes)).status_code == 404


def test_what_is_shared_is_read_by_all_and_removed_by_its_owner_alone(notes, ben):
    Resource.objects.update(is_shared=True)
    assert client_of(ben).get(url("detail", notes)).status_code == 200
    assert client_of(ben).post(url("delete", notes)).status_code == 404
    assert Resource.objects.exists()


def test_the_newest_resource_stands_first(ada):
    for name in ("first.md", "second.md", "third.md"):
        Resource.objects.create(user=ada, name=name, body="Drain first.")
    html = text_of(client_of(ada).get("/resources/"))
    assert html.index("third.md") < html.index("second.md") < html.index("first.md")
