import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django_q.models import OrmQ

from memoryapp.memory import resources
from memoryapp.models import Passage, Resource
from tests.api.callers import told
from tests.documents.making import pdf

pytestmark = pytest.mark.django_db
TEXT = "# Deploying\n\nWe deploy with Terraform, from the pipeline and never by hand.\n"


def upload(caller, content=TEXT, filename="deploy.md", **fields):
    content = content if isinstance(content, bytes) else content.encode()
    return caller.client.post(
        "/api/v1/resources",
        {"file": SimpleUploadedFile(filename, content), **fields},
        headers=caller.headers,
    )


def names(response):
    return [resource["name"] for resource in told(response, 200)["items"]]


def make_resource(user, name="notes", body=TEXT, **fields):
    return Resource.objects.create(user=user, name=name, body=body, **fields)


def test_an_uploaded_text_is_taken_in_and_still_to_be_read(ada, as_ada):
    added = told(upload(as_ada), 201)
    assert (added["name"], added["status"], added["progress"]) == ("deploy.md", "reading", 0)
    resource = Resource.objects.get()
    assert (resource.user, resource.body, resource.is_shared) == (ada, TEXT, False)
    assert told(as_ada("GET", f"/resources/{resource.pk}"), 200) == added


def test_an_upload_may_be_named(as_ada):
    assert told(upload(as_ada, name=" How we deploy "), 201)["name"] == "How we deploy"


def test_administrators_share_with_everyone(ada, as_ada, as_ben):
    ada.is_staff = True
    ada.save()
    assert told(upload(as_ada, shared="true"), 201)["shared"]
    assert names(as_ben("GET", "/resources")) == ["deploy.md"]


def test_nobody_else_shares(as_ada):
    assert told(upload(as_ada, shared="true"), 403)["code"] == "administrators_only"
    assert not Resource.objects.exists()


@pytest.mark.parametrize("content", [b"", b" \n", b"\x89PNG\xff", b"a\0b"])
def test_what_cannot_be_read_is_refused(as_ada, content):
    told(upload(as_ada, content), 422)
    assert not Resource.objects.exists()


def test_a_text_over_the_limit_is_refused(as_ada, settings):
    settings.RESOURCE_MAX_BYTES = 10
    assert told(upload(as_ada, b"x" * 11), 413)["code"] == "too_large"
    assert not Resource.objects.exists()


@pytest.mark.parametrize("fields", [{"name": "x" * 201}, {"name": "a\0"}, {"url": "http://x"}])
def test_bad_fields_are_refused(as_ada, fields):
    told(upload(as_ada, **fields), 422)
    assert not Resource.objects.exists()


def test_a_file_is_taken_in_and_still_to_be_read(as_ada):
    added = told(upload(as_ada, pdf("Drain first."), filename="runbook.pdf"), 201)
    assert (added["name"], added["status"], added["url"]) == ("runbook.pdf", "reading", "")
    assert Resource.objects.get().file.kind == "pdf"


@pytest.mark.parametrize("is_json", [True, False])
def test_a_page_is_taken_in_by_its_address(as_ada, is_json):
    given = {"url": "https://example.org/runbook", "name": "Runbook"}
    form = {"data": given, "headers": as_ada.headers}
    sent = as_ada("POST", "/resources", given) if is_json else post(as_ada, **form)
    added = told(sent, 201)
    assert (added["name"], added["url"]) == ("Runbook", given["url"])
    assert Resource.objects.get().url == given["url"]


def post(caller, **kwargs):
    return caller.client.post("/api/v1/resources", **kwargs)


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({"url": "ftp://example.org"}, "no address of a page"),
        ({"url": "https://ada:secret@example.org"}, "a name or a password"),
        ({"url": "https://example.org", "shared": "yes"}, "shared: "),
        ({"url": "https://example.org", "body": "x"}, "There is no field 'body' here."),
        ({"name": "x"}, "Send a file, or the url of a page"),
        ([], "The body must be one JSON object."),
    ],
)
def test_what_is_no_page_is_refused(as_ada, given, detail):
    assert detail in told(as_ada("POST", "/resources", given), 422)["detail"]
    assert not Resource.objects.exists()


def test_a_page_is_shared_by_administrators_only(as_ada):
    given = {"url": "https://example.org", "shared": True}
    assert told(as_ada("POST", "/resources", given), 403)["code"] == "administrators_only"


def test_json_that_breaks_off_is_refused(as_ada):
    assert told(as_ada("POST", "/resources", "{"), 400)["code"] == "bad_request"


def test_an_upload_without_a_file_is_refused(as_ada):
    detail = told(post(as_ada, data={"name": "a"}, headers=as_ada.headers), 422)["detail"]
    assert detail == "Send a file, or the url of a page, and not both."


@pytest.mark.django_db(transaction=True)
def test_what_failed_is_read_again_where_that_helps(ada, as_ada):
    failed = {"user": ada, "status": "failed", "error": "It is broken."}
    page = Resource.objects.create(name="page", url="https://example.org/", **failed)
    file = Resource.objects.create(name="file", **failed)
    OrmQ.objects.all().delete()
    again = told(as_ada("POST", f"/resources/{page.pk}/retry"), 200)
    assert (again["status"], again["error"]) == ("reading", "")
    assert [task.args() for task in OrmQ.objects.all()] == [(str(page.pk),)]
    for resource in (page, file):
        refused = told(as_ada("POST", f"/resources/{resource.pk}/retry"), 409)
        assert refused["code"] == "nothing_to_retry"


def test_an_upload_that_breaks_off_is_refused(as_ada):
    response = as_ada.client.generic(
        "POST",
        "/api/v1/resources",
        "--x\r\nbroken",
        content_type="multipart/form-data; boundary=" + "\u00e9",
        headers=as_ada.headers,
    )
    assert told(response, 400)["code"] == "bad_request"


def test_resource_list_has_ones_own_and_shared_ones(ada, ben, as_ada):
    make_resource(ada, "mine")
    make_resource(ben, "shared", is_shared=True)
    make_resource(ben, "private")
    assert names(as_ada("GET", "/resources")) == ["shared", "mine"]


def test_a_deleted_resource_is_gone_with_its_passages(ada, as_ada):
    resource = make_resource(ada)
    resources.read(resource)
    assert Passage.objects.exists()
    assert told(as_ada("DELETE", f"/resources/{resource.pk}"), 204) is None
    assert not Resource.objects.exists()
    assert not Passage.objects.exists()


def test_what_others_share_is_read_and_not_deleted(ben, as_ada):
    resource = make_resource(ben, is_shared=True)
    told(as_ada("GET", f"/resources/{resource.pk}"), 200)
    told(as_ada("DELETE", f"/resources/{resource.pk}"), 404)
    told(as_ada("POST", f"/resources/{resource.pk}/retry"), 404)
    assert Resource.objects.exists()


def test_search_finds_the_passage_and_says_where_it_stands(ada, ben, as_ada, as_ben):
    resource = make_resource(ada)
    resources.read(resource)
    (found,) = told(as_ada("GET", "/resources/search?q=deploy with Terraform"), 200)
    assert found["resource_id"] == str(resource.pk)
    where = {"resource_id", "resource_name", "passage_id", "position", "page"}
    assert set(found) == {*where, "text", "score"}
    assert (found["position"], found["page"]) == (0, None)
    assert "Terraform" in found["text"]
    assert told(as_ben("GET", "/resources/search?q=deploy with Terraform"), 200) == []


@pytest.mark.parametrize("query", ["", "q=", "q=%00", "q=a&limit=0", "q=a&limit=51", "q=a&top=1"])
def test_search_refuses_bad_input(as_ada, query):
    told(as_ada("GET", f"/resources/search?{query}"), 422)
