import json
import os
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic_ai.models import override_allow_model_requests

from memoryapp.memory import embeddings

HOSTED = "openai:text-embedding-3-small"


@pytest.fixture
def provider(settings, monkeypatch):
    """An OpenAI-compatible server: what it got is in `requests`, `status` is what it answers."""

    class Server(ThreadingHTTPServer):
        requests: list = []
        status = 200
        pause = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.requests.append((self.path, self.client_address, body))
            self.server.pause.wait(5)
            data = [
                {"object": "embedding", "index": number, "embedding": [3.0, len(text), 0.0]}
                for number, text in enumerate(body["input"])
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            answer = {"object": "list", "data": data, "model": body["model"], "usage": usage}
            content = json.dumps(answer if self.server.status == 200 else {"error": {}}).encode()
            self.send_response(self.server.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(BrokenPipeError):  # the client may have given up
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    server.requests = []
    server.pause.set()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings.OLLAMA_BASE_URL = url
    settings.EMBEDDING_MODEL = HOSTED
    with override_allow_model_requests(True):
        yield server
        if embeddings.hosted.cache_info().currsize:
            for name in {settings.EMBEDDING_MODEL, HOSTED} - {embeddings.MINILM}:
                embeddings.hosted(name, os.getpid()).close()
    embeddings.hosted.cache_clear()
    server.shutdown()
    server.server_close()
