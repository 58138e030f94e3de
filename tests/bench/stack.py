"""What is measured: the fake model and the product, as processes, with people and their rows."""

import json
import os
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
from django.db import connections

from memoryapp.memory import embedder
from memoryapp.models import ApiKey, Chat, User
from tests.bench.load import Request, told_by_model, told_by_product
from tests.processes import Running, free_port, running

AT_ONCE = "fake-ttft0-tps0-n1"  # the model that takes no time


@dataclass(frozen=True)
class Model:
    """`tests.bench.model`, where the name of a model says how it streams."""

    url: str

    def asked(self) -> list[dict[str, Any]]:
        """All requests since this was called last, oldest first."""
        with urllib.request.urlopen(f"{self.url}/asked") as answer:
            return list(json.load(answer))

    def request(self, name: str, question: str = "Why?") -> Request:
        messages = [{"role": "user", "content": question}]
        body: dict[str, object] = {"model": name, "stream": True, "messages": messages}
        return Request(f"{self.url}/v1/chat/completions", {}, body, told_by_model)


@contextmanager
def fake_model() -> Iterator[Model]:
    port = free_port()
    with running("-m", "tests.bench.model", f"--port={port}") as server:
        server.wait_for("listens")
        yield Model(f"http://127.0.0.1:{port}")


@dataclass(frozen=True)
class Product:
    """`manage.py up`, whose database this process uses too."""

    up: Running
    port: int
    seconds_to_start: float

    @property
    def web(self) -> psutil.Process:
        return psutil.Process(self.up.child("uvicorn").pid)

    def request(self, key: str, chat: Chat, question: str = "Why?") -> Request:
        headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
        url = f"http://127.0.0.1:{self.port}/api/v1/chats/{chat.pk}/messages"
        return Request(url, headers, {"body": question}, told_by_product)


@contextmanager
def product(model: Model, name: str, *arguments: str, **environment: str) -> Iterator[Product]:
    """The product whose agents all use the model of this name."""
    port = free_port()
    environment = {
        "PORT": str(port),
        "TALKER_MODEL": f"openai-chat:{name}",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_API_KEY": "none",
        "PYTHONUNBUFFERED": "1",
        **environment,
    }
    started = time.perf_counter()
    with running("manage.py", "up", *arguments, **environment) as up:
        up.wait_for("Ready")
        # This process embeds as those of the product do.
        os.environ[embedder.SOCKET] = up.child("memoryapp.memory.minilm").cmdline()[-1]
        try:
            yield Product(up, port, time.perf_counter() - started)
        finally:
            connections.close_all()  # the next one has another PostgreSQL
            del os.environ[embedder.SOCKET]


def person(name: str, **fields: Any) -> tuple[User, str]:
    """Somebody new, and the secret of their API key."""
    user = User.objects.create_user(name, **fields)
    return user, ApiKey.make(user=user, name="bench")[1]


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
