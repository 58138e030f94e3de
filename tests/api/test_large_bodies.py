"""What may be large is taken from those who are known here only."""

import httpx
import pytest

from tests.api.callers import secret_of
from tests.pages import client_of

pytestmark = pytest.mark.django_db(transaction=True)
CHUNK = b" " * 65_536


@pytest.fixture
def send(server, settings):
    """Sends more than an ordinary request may bring, and less than an export may have."""

    def large():
        for _ in range(settings.BODY_MAX_BYTES // len(CHUNK) + 2):
            yield CHUNK

    def send(path, **headers):
        return httpx.post(f"{server}{path}", content=large(), headers=headers, timeout=30)

    return send


@pytest.mark.parametrize("path", ["/api/v1/import", "/import/", "/api/v1/resources", "/resources/"])
@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer ma_wrong"}, {"Cookie": "sessionid=wrong"}]
)
def test_a_stranger_is_refused_before_all_of_it_is_taken(send, path, headers):
    response = send(path, **headers)
    assert (response.status_code, response.json()["code"]) == (401, "not_signed_in")


def test_it_is_taken_with_a_key(send, ada):
    assert send("/api/v1/import", Authorization=f"Bearer {secret_of(ada)}").status_code == 422


def test_it_is_taken_from_whoever_is_signed_in(send, ada):
    cookies = client_of(ada).cookies
    session = {"Cookie": f"sessionid={cookies['sessionid'].value}"}
    assert send("/import/", **session).status_code == 403  # for want of its token only
