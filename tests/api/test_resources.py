import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memoryapp.memory import resources
from memoryapp.models import Passage, Resource
from tests.api.callers import told

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


@pytest.mark.parametrize("content", [b"", b" \n", b"%PDF-1.7\xff", b"a\0b"])
def test_what_is_no_text_is_refused(as_ada, content):
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


def test_an_upload_without_a_file_is_refused(as_ada):
    response = as_ada.client.post("/api/v1/resources", {"name": "a"}, headers=as_ada.headers)
    assert told(response, 422)["detail"] == "file is missing."
    told(as_ada("POST", "/resources", {"url": "https://example.org"}), 422)


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
    assert Resource.objects.exists()


def test_search_finds_the_passage_and_says_where_it_stands(ada, ben, as_ada, as_ben):
    resource = make_resource(ada)
    resources.read(resource)
    (found,) = told(as_ada("GET", "/resources/search?q=deploy with Terraform"), 200)
    assert found["resource_id"] == str(resource.pk)
    where = {"resource_id", "resource_name", "passage_id", "position"}
    assert set(found) == {*where, "text", "score"}
    assert found["position"] == 0
    assert "Terraform" in found["text"]
    assert told(as_ben("GET", "/resources/search?q=deploy with Terraform"), 200) == []


@pytest.mark.parametrize("query", ["", "q=", "q=%00", "q=a&limit=0", "q=a&limit=51", "q=a&top=1"])
def test_search_refuses_bad_input(as_ada, query):
    told(as_ada("GET", f"/resources/search?{query}"), 422)
