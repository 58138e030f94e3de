"""Model servers with an OpenAI-compatible API: what they list, and whether they are near."""

import ipaddress
import json
import re
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

LOOK_AGAIN_SECONDS = 60
NO_CHAT_MODEL = re.compile(r"embed|minilm|\bbge-|rerank|whisper|tts|moderation|dall-e", re.I)
LOCAL_DOMAINS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")

# Where servers tell of the context of a model, and where in their answer it stands.
CONTEXTS: dict[str, Callable[[Any, str], Any]] = {
    "/api/ps": lambda said, model: _named(said["models"], "model", model)["context_length"],
    "/props": lambda said, _: said["default_generation_settings"]["n_ctx"],
    "/v1/models": lambda said, model: _named(said["data"], "id", model)["max_model_len"],
}

_seen: dict[str, tuple[float, str]] = {}
_looking = threading.Lock()


def first_model(base_url: str, *, seconds: float, key: str = "") -> str:
    """The first chat model that the server lists, or "" when none answers within `seconds`.

    The server is asked at most once a minute.
    """
    with _looking:
        seen_at, model = _seen.get(base_url, (float("-inf"), ""))
        if time.monotonic() - seen_at > LOOK_AGAIN_SECONDS:
            model = next(
                (
                    m
                    for m in models(base_url, seconds=seconds, key=key)
                    if not NO_CHAT_MODEL.search(m)
                ),
                "",
            )
            _seen[base_url] = (time.monotonic(), model)
    return model


def models(base_url: str, *, seconds: float, key: str = "") -> list[str]:
    """The names of all models that the server lists; none if it doesn't answer."""
    try:
        listed = _read(f"{base_url.rstrip('/')}/models", key, seconds)
        return [str(model["id"]) for model in listed["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _read(url: str, key: str, seconds: float) -> Any:
    """The JSON at an address. Raises OSError or ValueError."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("no address of a web server")
    request = urllib.request.Request(url)
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    # A proxy named by the environment leads out of the network that a near server is in.
    proxies = urllib.request.ProxyHandler({} if is_near(url) else None)
    with urllib.request.build_opener(proxies).open(request, timeout=seconds) as answer:
        return json.load(answer)


def context_tokens(base_url: str, model: str, *, seconds: float, key: str = "") -> int | None:
    """How many tokens a prompt and its answer may have together, if the server tells.

    Ollama tells it of a model that it has loaded, llama.cpp and vLLM of the one they run.
    """
    root = base_url.rstrip("/").removesuffix("/v1")
    for path, tokens_in in CONTEXTS.items():
        with suppress(OSError, ValueError, KeyError, TypeError, StopIteration):
            return int(tokens_in(_read(f"{root}{path}", key, seconds), model))
    return None


def _named(models: Any, field: str, name: str) -> Any:
    # Ollama adds ":latest" to a name without a tag.
    return next(each for each in models if each[field] in (name, f"{name}:latest"))


def is_near(url: str) -> bool:
    """Whether `url` leads to this machine or to its own network."""
    host = urlsplit(url).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return bool(host) and ("." not in host or host.endswith(LOCAL_DOMAINS))


def is_here(url: str) -> bool:
    """Whether `url` leads to this machine."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
