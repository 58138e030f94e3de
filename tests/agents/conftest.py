import pytest
from pydantic_ai import models

from memoryapp.agents import servers
from tests.agents.model_server import ModelServer


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch, settings):
    """No key and no server, whatever this machine has."""
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(servers, "_seen", {})
    settings.TALKER_MODEL = settings.EXTRACTOR_MODEL = settings.SUMMARIZER_MODEL = "auto"
    settings.OLLAMA_BASE_URL = ""


@pytest.fixture
def model_server():
    """A server of models on this machine, which answers as it is told to."""
    with ModelServer() as server, models.override_allow_model_requests(True):
        yield server
