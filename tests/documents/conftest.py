import pytest

from tests.documents.web import Web


@pytest.fixture
def web():
    with Web() as server:
        yield server
