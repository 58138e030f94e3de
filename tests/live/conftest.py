import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from pydantic_ai import models

START_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(process, url):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"llama.cpp did not start: see {process.args}")


@pytest.fixture(scope="session")
def llama_url(tmp_path_factory):
    """The address of a llama.cpp server with a small real model, in a process of its own."""
    port = free_port()
    log = tmp_path_factory.mktemp("llama") / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.live.llama_server", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(process, f"http://127.0.0.1:{port}/v1/models")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(timeout=10)


@pytest.fixture(autouse=True)
def llama(llama_url, monkeypatch, settings):
    """`auto` finds the model by itself: only the address is set."""
    monkeypatch.setenv("OPENAI_BASE_URL", llama_url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.TALKER_MODEL = settings.EXTRACTOR_MODEL = settings.SUMMARIZER_MODEL = "auto"
    with models.override_allow_model_requests(True):
        yield
