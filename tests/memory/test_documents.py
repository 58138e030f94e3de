"""Resources that are read from a file or a page of the web."""

import pytest
from django.core.exceptions import ValidationError

from memoryapp.documents import document
from memoryapp.memory import resources
from memoryapp.memory.embeddings import EmbeddingUnavailable
from memoryapp.models import Passage, Resource, ResourceFile
from tests.documents.making import docx, encrypted, paragraph, pdf
from tests.documents.web import Web

HOLIDAYS = "Everyone has 28 days of holiday a year."
PUMPS = "The pump is checked each spring."


@pytest.fixture
def web(settings):
    settings.RESOURCE_PRIVATE_URLS = True
    with Web() as server:
        yield server


def read(resource):
    resources.read(resource)
    resource.refresh_from_db()
    return resource


def test_a_pdf_becomes_passages_that_know_their_page(ada):
    resource = resources.add(user=ada, name="Handbook", body=pdf(PUMPS, "", HOLIDAYS))
    read(resource)
    assert (resource.status, resource.progress, resource.error) == ("ready", 100, "")
    passages = resource.passages.values_list("position", "page", "body")
    assert list(passages) == [(0, 1, PUMPS), (1, 3, HOLIDAYS)]


def test_its_file_is_gone_when_it_has_been_read(ada):
    resource = resources.add(user=ada, name="Handbook", body=pdf(PUMPS))
    assert bytes(resource.file.content) == pdf(PUMPS)
    read(resource)
    assert not ResourceFile.objects.exists()
    assert PUMPS in resource.body


def test_what_is_found_names_its_page(ada):
    read(resources.add(user=ada, name="Handbook", body=pdf(PUMPS, HOLIDAYS)))
    found = resources.search(ada, "How much vacation do I get per year?")[0]
    assert (found.page, found.text, found.source) == (2, HOLIDAYS, "Handbook, page 2")


def test_what_has_no_pages_is_named_alone(ada):
    body = docx(paragraph("Leave", "Heading1") + paragraph(HOLIDAYS))
    resource = read(resources.add(user=ada, name="Handbook", body=body))
    assert resource.body == f"# Leave\n\n{HOLIDAYS}"
    found = resources.search(ada, "How much vacation do I get per year?")[0]
    assert (found.page, found.source) == (None, "Handbook")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (encrypted(pdf("Secret"), password="1234"), document.ENCRYPTED),
        (pdf(""), document.SCANNED),
        (b"%PDF-1.7 and nothing else", document.BROKEN),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_is_not_kept(ada, body, sentence):
    resource = read(resources.add(user=ada, name="Handbook", body=body))
    assert (resource.status, resource.error) == ("failed", sentence)
    assert not ResourceFile.objects.exists()
    assert not resources.try_again(resource)


def test_text_that_a_broken_font_spoilt_is_found_all_the_same(ada):
    body = pdf("The pump \0is checked\x07 each spring.")
    resource = read(resources.add(user=ada, name="Handbook", body=body))
    assert resource.passages.get().body == PUMPS
    assert resources.search(ada, "pump spring")


def test_a_page_is_fetched_and_named_by_its_title(ada, web):
    page = f"<!doctype html><title>How we\n work</title><main><h1>Leave</h1><p>{HOLIDAYS}</main>"
    resource = resources.add_page(user=ada, url=web.has("/leave", page.encode()))
    read(resource)
    assert (resource.status, resource.name) == ("ready", "How we work")
    assert resource.body == f"# Leave\n\n{HOLIDAYS}"
    assert resources.search(ada, "How much vacation do I get per year?")


def test_a_title_that_a_database_cannot_hold_is_cleaned(ada, web):
    content = pdf(PUMPS).replace(b"/Root", b"/Info << /Title (The\\000 pumps\\001) >> /Root")
    assert read(resources.add_page(user=ada, url=web.has("/", content))).name == "The pumps"


def test_an_address_is_kept_with_its_scheme_in_small_letters(ada):
    resource = resources.add_page(user=ada, url=" Https://Example.org/A ")
    assert (resource.url, resource.name) == ("https://Example.org/A", "https://Example.org/A")


def test_a_name_that_was_given_stays(ada, web):
    url = web.has("/", f"<!doctype html><title>Title</title><p>{HOLIDAYS}".encode())
    assert read(resources.add_page(user=ada, url=url, name="Mine")).name == "Mine"


def test_a_page_without_a_title_is_named_by_its_address(ada, web):
    url = web.has("/" + "x" * 300, HOLIDAYS.encode(), Content_Type="text/plain")
    assert read(resources.add_page(user=ada, url=url)).name == url[:200]


def test_a_page_that_was_away_is_fetched_when_it_is_tried_again(ada, web):
    resource = read(resources.add_page(user=ada, url=web.url("/leave")))
    assert resource.status == "failed"
    assert "answered 404" in resource.error

    web.has("/leave", HOLIDAYS.encode(), Content_Type="text/plain")
    assert resources.try_again(resource)
    assert not resources.try_again(resource)
    assert read(resource).status == "ready"


def test_a_page_in_a_private_network_is_not_fetched(ada, web, settings):
    settings.RESOURCE_PRIVATE_URLS = False
    resource = read(resources.add_page(user=ada, url=web.has("/", b"Secret")))
    assert (resource.status, web.asked) == ("failed", [])
    assert "RESOURCE_PRIVATE_URLS" in resource.error


def test_a_page_that_was_read_is_not_fetched_again_for_its_vectors(ada, web, settings):
    url = web.has("/", HOLIDAYS.encode(), Content_Type="text/plain")
    resource = resources.add_page(user=ada, url=url)
    settings.EMBEDDING_MODEL = "nowhere:model"
    with pytest.raises(EmbeddingUnavailable):
        resources.read(resource)
    settings.EMBEDDING_MODEL = "minilm"
    assert read(resource).status == "ready"
    assert len(web.asked) == 1


def test_a_resource_that_is_deleted_while_it_is_read_leaves_nothing(ada):
    resource = resources.add(user=ada, name="Handbook", body=pdf(PUMPS))
    Resource.objects.filter(pk=resource.pk).delete()
    assert resources.read(resource) is True
    assert not Passage.objects.exists()
    assert not ResourceFile.objects.exists()


def test_only_an_administrator_shares_a_page(ada):
    with pytest.raises(ValidationError, match="Only an administrator"):
        resources.add_page(user=ada, url="https://example.org/", is_shared=True)
    assert not Resource.objects.exists()
