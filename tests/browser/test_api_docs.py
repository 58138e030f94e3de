import pytest
from playwright.sync_api import expect

from memoryapp.api import api
from memoryapp.models import Chat

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def docs(browse, ada, server):
    """The page, by somebody who is signed in; it asks this server for everything."""
    person = browse(ada)
    asked = []
    person.context.on("request", lambda request: asked.append(request.url))
    yield person.open("/api/v1/docs")
    assert [url for url in asked if not url.startswith((server, "data:"))] == []


def test_the_docs_show_each_operation(docs):
    num_operations = sum(len(found) for found in api.get_openapi_schema()["paths"].values())
    expect(docs.locator(".opblock")).to_have_count(num_operations)


def test_an_operation_is_tried_from_the_docs(docs):
    docs.locator(".opblock-post", has_text="Make a chat").click()
    docs.get_by_role("button", name="Try it out").click()
    docs.locator(".body-param__text").fill('{"title": "From the docs"}')
    docs.get_by_role("button", name="Execute").click()
    expect(docs.locator(".live-responses-table tbody .response-col_status")).to_contain_text("201")
    assert Chat.objects.get().title == "From the docs"
