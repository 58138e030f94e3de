"""Many streams read at once, on bare sockets, so that the reader costs as little as it can."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

SILENCE_SECONDS = 60.0  # after which nothing more will come


@dataclass
class Stream:
    """One streamed answer; times are on `time.perf_counter`'s clock."""

    started: float
    tokens: int = 0
    first: float = 0.0
    last: float = 0.0
    longest_gap: float = 0.0
    arrivals: list[tuple[float, int]] = field(default_factory=list)  # when, how many tokens

    @property
    def first_token_ms(self) -> float:
        return 1000 * (self.first - self.started)

    def hear(self, tokens: int) -> None:
        now = time.perf_counter()
        if self.first:
            self.longest_gap = max(self.longest_gap, now - self.last)
        else:
            self.first = now
        self.last = now
        self.tokens += tokens
        self.arrivals.append((now, tokens))


@dataclass(frozen=True)
class Request:
    url: str
    headers: dict[str, str]
    body: dict[str, object]
    tokens_of: Callable[[bytes], int]  # in one server-sent event


def told_by_model(event: bytes) -> int:
    """Tokens in an event of an OpenAI-compatible server that sends one at a time."""
    return event.count(b'"content": "') + event.count(b'"content":"')


def told_by_product(event: bytes) -> int:
    """Tokens in an event of the API: words, because the model's tokens are words."""
    if not event.startswith(b"event: delta"):
        return 0
    return len(json.loads(event.partition(b"data: ")[2])["text"].split())


async def read(request: Request) -> Stream:
    """Send one request and read its stream to the end. Raises when it isn't answered with 200."""
    url = urlsplit(request.url)
    stream = Stream(time.perf_counter())
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    body = json.dumps(request.body).encode()
    headers = {
        "Host": url.netloc,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **request.headers,
    }
    lines = [f"POST {url.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    try:
        await hear_all(reader, stream, request.tokens_of)
    finally:
        writer.close()
    return stream


async def hear_all(
    reader: asyncio.StreamReader, stream: Stream, tokens_of: Callable[[bytes], int]
) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head[:20]:
        raise RuntimeError((head + await reader.read()).decode())
    unread = b""
    while data := await asyncio.wait_for(reader.read(1 << 16), SILENCE_SECONDS):
        *events, unread = (unread + data).split(b"\n\n")
        # What chunked transfer puts between two events is of no use here.
        tokens = sum(tokens_of(event.rpartition(b"\r\n")[2]) for event in events)
        if tokens:
            stream.hear(tokens)


async def read_together(requests: Sequence[Request], *, over_seconds: float) -> list[Stream]:
    """All at once, their beginnings spread evenly `over_seconds`."""

    async def later(number: int, request: Request) -> Stream:
        await asyncio.sleep(over_seconds * number / len(requests))
        return await read(request)

    return await asyncio.gather(
        *(later(number, request) for number, request in enumerate(requests))
    )
