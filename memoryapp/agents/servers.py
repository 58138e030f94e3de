"""Model servers with an OpenAI-compatible API: what they list, and whether they are near."""

import ipaddress
import json
import re
import threading
import time
import urllib.request
from urllib.parse import urlsplit

LOOK_AGAIN_SECONDS = 60
NO_CHAT_MODEL = re.compile(r"embed|minilm|\bbge-|rerank|whisper|tts|moderation|dall-e", re.I)
LOCAL_DOMAINS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")

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
                (m for m in _models(base_url, key, seconds) if not NO_CHAT_MODEL.search(m)), ""
            )
            _seen[base_url] = (time.monotonic(), model)
    return model


def _models(base_url: str, key: str, seconds: float) -> list[str]:
    if urlsplit(base_url).scheme not in ("http", "https"):
        return []
    request = urllib.request.Request(f"{base_url.rstrip('/')}/models")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    # A proxy named by the environment leads out of the network that a near server is in.
    proxies = urllib.request.ProxyHandler({} if is_near(base_url) else None)
    try:
        with urllib.request.build_opener(proxies).open(request, timeout=seconds) as answer:
            return [str(model["id"]) for model in json.load(answer)["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


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
