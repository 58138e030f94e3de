import pytest

from memoryapp.doctor import sign_on
from tests.oidc_provider import CLIENT, SECRET, OIDCProvider


@pytest.fixture
def provider(settings):
    with OIDCProvider() as provider:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT = provider.issuer, f"{CLIENT}:{SECRET}"
        yield provider


def test_without_a_provider_nothing_is_said(said):
    assert said(sign_on.provider) == []


def test_a_provider_that_answers_is_well_and_is_told_what_it_must_know(said, provider, settings):
    settings.SITE_URL = "https://chat.example.org"

    [(level, says)] = said(sign_on.provider)

    assert level == "ok"
    assert says.startswith(f"{provider.issuer}. It must know https://chat.example.org/accounts/")
    assert SECRET not in says


def test_a_provider_that_is_down_is_a_problem(said, provider):
    provider.stop()

    [(level, says)] = said(sign_on.provider)

    assert level == "problem"
    assert says.startswith(f"{provider.issuer} can't be asked, so nobody can sign in by it")
    assert "Connection refused" in says


def test_a_provider_that_knows_nothing_there_is_a_problem(said, provider):
    provider.status = 404

    [(level, says)] = said(sign_on.provider)

    assert (level, "404 Client Error" in says) == ("problem", True)


def test_a_provider_that_is_called_otherwise_is_a_problem(said, provider):
    provider.config = {"issuer": "https://elsewhere.example.org"}

    [(level, says)] = said(sign_on.provider)

    assert level == "problem"
    assert "its configuration is that of https://elsewhere.example.org" in says
