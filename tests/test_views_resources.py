import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django_q.models import OrmQ

from memoryapp.memory import resources
from memoryapp.models import Passage, Resource
from tests.documents.making import pdf
from tests.pages import HTMX, client_of, htmx_get, text_of

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
        (b"\x89PNG\r\n\xff\xfe", "What can is PDF, DOCX, HTML, Markdown and plain text"),
        (b"text with a \0 in it", "What can is PDF, DOCX, HTML, Markdown and plain text"),
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
    assert "Choose a file, type the address of a page, or paste some text." in text_of(response)


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
    assert "It is still being read." in text_of(client_of(ada).get(url("detail", notes)))
    resources.read(notes)
    assert "Drain first." in text_of(client_of(ada).get(url("detail", notes)))


@pytest.fixture
def long(ada):
    """A resource of 60 passages on 30 pages, of which the first is blank."""
    resource = Resource.objects.create(user=ada, name="long.pdf", body="read")
    Passage.objects.bulk_create(
        Passage(resource=resource, position=n, page=n // 2 + 2, body=f"Part {n + 1}.")
        for n in range(60)
    )
    return resource


def test_a_long_text_comes_in_pages(long, ada):
    client = client_of(ada)
    first, second = (text_of(client.get(f"{url('detail', long)}?page={n}")) for n in (1, 2))
    assert ("Part 50." in first, "Part 51." in first) == (True, False)
    assert ("Part 50." in second, "Part 51." in second) == (False, True)
    assert first.count(">Page 2</h2>") == 1


def test_a_passage_is_found_on_the_page_that_it_is_on(long, ada):
    client = client_of(ada)
    assert 'id="passage-55"' in text_of(client.get(f"{url('detail', long)}?passage=55"))
    first = text_of(client.get(f"{url('detail', long)}?passage=55&page=1"))
    assert 'id="passage-55"' not in first


@pytest.mark.parametrize("passage", ["", "0", "x", "-1", "²", "9" * 400])
def test_a_passage_that_there_is_not_shows_the_text_all_the_same(long, ada, passage):
    assert client_of(ada).get(url("detail", long), {"passage": passage}).status_code == 200


def test_a_pdf_is_added_and_read_from_its_file(ada):
    assert upload(client_of(ada), pdf("Drain first."), name="runbook.pdf").url == "/resources/"
    resource = Resource.objects.get()
    assert (resource.name, resource.body, resource.file.kind) == ("runbook.pdf", "", "pdf")


def test_a_text_is_html_if_its_name_says_so(ada):
    upload(client_of(ada), b"<p>Drain first.", name="Runbook.HTM")
    assert Resource.objects.get().file.kind == "html"


def test_a_page_is_added_by_its_address(ada):
    response = client_of(ada).post("/resources/", {"url": " https://example.org/runbook "})
    assert response.url == "/resources/"
    resource = Resource.objects.get()
    assert resource.url == resource.name == "https://example.org/runbook"
    html = text_of(client_of(ada).get("/resources/"))
    assert 'href="https://example.org/runbook"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("example.org", "This is no address of a page."),
        ("javascript:alert(1)", "This is no address of a page."),
        ("https://ada:secret@example.org/", "has a name or a password in it"),
    ],
)
def test_an_address_that_nothing_can_be_fetched_from_is_refused(ada, address, sentence):
    response = client_of(ada).post("/resources/", {"url": address})
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert not Resource.objects.exists()


def test_a_file_and_an_address_are_added_one_at_a_time(ada):
    response = upload(client_of(ada), b"Drain first.", url="https://example.org/")
    assert response.status_code == 422
    assert "Add one thing at a time" in text_of(response)
    assert not Resource.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_failed_is_tried_again_where_that_helps(ada):
    client = client_of(ada)
    failed = {"user": ada, "status": "failed", "error": "It is broken."}
    page = Resource.objects.create(name="page", url="https://example.org/", **failed)
    Resource.objects.create(name="file", **failed)
    html = text_of(client.get("/resources/"))
    assert html.count(">Try again</button>") == 1
    OrmQ.objects.all().delete()

    for _ in range(2):
        response = client.post(url("retry", page), headers=HTMX)
        assert "Reading, 0 %" in text_of(response)
    page.refresh_from_db()
    assert (page.status, page.error) == ("reading", "")
    [task] = OrmQ.objects.all()
    assert (task.func(), task.args()) == ("memoryapp.tasks.read_resource", (str(page.pk),))


def test_a_resource_is_removed_after_asking(notes, ada):
    client = client_of(ada)
    assert "Remove “notes.md”?" in text_of(htmx_get(client, url("delete", notes)))
    assert client.post(url("delete", notes)).url == "/resources/"
    assert not Resource.objects.exists()


def test_the_address_of_a_removed_resource_says_what_became_of_it(notes, ada):
    client, address = client_of(ada), url("detail", notes)
    client.post(url("delete", notes))
    gone = client.get(address)
    assert gone.status_code == 404
    assert "It was removed, or it isn't shared with you." in text_of(gone)
    assert 'href="/resources/">All resources' in text_of(gone)
    assert htmx_get(client, address).status_code == 404


@pytest.mark.parametrize("name", ["detail", "delete", "retry"])
def test_a_resource_of_somebody_else_is_not_there(notes, ben, name):
    Resource.objects.update(status="failed")
    send = client_of(ben).post if name == "retry" else client_of(ben).get
    assert send(url(name, notes)).status_code == 404
    assert Resource.objects.get().status == "failed"


def test_what_is_shared_is_read_by_all_and_removed_by_its_owner_alone(notes, ben):
    Resource.objects.update(is_shared=True)
    assert client_of(ben).get(url("detail", notes)).status_code == 200
    for name in ("delete", "retry"):
        assert client_of(ben).post(url(name, notes)).status_code == 404
    assert Resource.objects.exists()


def test_the_newest_resource_stands_first(ada):
    for name in ("first.md", "second.md", "third.md"):
        Resource.objects.create(user=ada, name=name, body="Drain first.")
    html = text_of(client_of(ada).get("/resources/"))
    assert html.index("third.md") < html.index("second.md") < html.index("first.md")
