"""A model's stream, handed on a few times a second however many pieces it comes in.

The client libraries and pydantic-ai take about half a millisecond for each event of a stream, and
a model sends one for each token: some thirty replies at once would fill a processor. So what
arrives between two beats is made one event here, before any of them sees it. An event that only
adds text is joined with the next one that does; every other one passes as it came, in its place.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
from pydantic_ai.models import create_async_httpx2_client

from memoryapp.agents.failures import NoStream, WebPage

# All streams of a process together are handed on so many times a second at most, one of them each
# SHORTEST_BEAT when there are few, and no less often than each LONGEST_BEAT. In seconds.
BEATS_PER_SECOND = 500
SHORTEST_BEAT, LONGEST_BEAT = 0.04, 0.25

# pydantic-ai's providers whose streams are of a kind that is known here.
KINDS = ("openai", "openai-chat", "openai-responses", "ollama", "anthropic")

WEB_PAGES = ("text/html", "application/xhtml+xml")
EVENT_END = re.compile(rb"\r\n\r\n|\n\n")
EVENT = re.compile(rb"((?:event: ?[^\r\n]*\r?\n)?data: ?)(\{[^\r\n]*\})")
# The end of chat completions, behind which some servers leave out the end of the line.
LAST = re.compile(rb'\[DONE\]|"finish_reason": ?"')
# Where a piece of a chat completion holds text: what is said or, under two names, thought.
TEXTS = ("content", "reasoning_content", "reasoning")
# Events of OpenAI's responses that add text, and kinds of Anthropic's with the name of theirs.
RESPONSES = (
    "response.output_text.delta",
    "response.reasoning_text.delta",
    "response.reasoning_summary_text.delta",
)
MESSAGES = {"text_delta": "text", "thinking_delta": "thinking"}
# These differ between events that say the same otherwise, and nobody reads them.
NUMBERING = ("created", "sequence_number", "obfuscation")

Frame = dict[str, Any]

Clients = dict[bool, httpx2.AsyncClient]
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Clients] = WeakKeyDictionary()
_open: set["Beaten"] = set()


def client(*, is_streamed: bool) -> httpx2.AsyncClient:
    """The HTTP client of the running event loop for whole answers, or for streams, in beats."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if is_streamed not in clients:
        clients[is_streamed] = made = create_async_httpx2_client()
        look = [_refuse_page, _beat] if is_streamed else [_refuse_page]
        made.event_hooks = {**made.event_hooks, "response": look}
    return clients[is_streamed]


async def _refuse_page(response: httpx2.Response) -> None:
    if response.is_success and _kind(response) in WEB_PAGES:
        raise WebPage


async def _beat(response: httpx2.Response) -> None:
    kind = _kind(response)
    # Read as events, what is none of them would be an empty reply.
    if response.is_success and kind == "application/json":
        raise NoStream
    if kind == "text/event-stream" and "content-encoding" not in response.headers:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = Beaten(response.stream)


def _kind(response: httpx2.Response) -> str:
    content_type: str = response.headers.get("content-type", "")
    return content_type.partition(";")[0].strip().lower()


def beat() -> float:
    """Seconds between two pieces of a stream now."""
    return min(max(SHORTEST_BEAT, len(_open) / BEATS_PER_SECOND), LONGEST_BEAT)


class Beaten(httpx2.AsyncByteStream):
    """A stream of server-sent events in beats: all up to its first text at once, an error after
    what came.

    One that ends in the middle of a reply ends with an error, too.
    """

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream
        self._arrived: list[bytes] = []
        self._news = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # OpenAI's client iterates again after the last event, to take in what else there is.
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
            _open.add(self)
        latest = unread = b""
        has_begun = False
        while not self._reading.done() or self._arrived:
            await self._news.wait()
            self._news.clear()
            *events, unread = EVENT_END.split(unread + b"".join(self._arrived))
            self._arrived.clear()
            if events:
                latest = events[-1]
                has_begun = has_begun or any(map(_has_text, events))
                yield b"".join(joined(events))
            # Most models say that they begin before they do; their first word is not to wait.
            if has_begun and not self._reading.done():
                await asyncio.wait({self._reading}, timeout=beat())
        if unread:
            yield unread
        self._reading.result()
        if _goes_on(latest) and not LAST.search(unread):
            raise httpx2.RemoteProtocolError("the stream ended in the middle of a reply")

    async def _read(self) -> None:
        try:
            async for data in self._stream:
                self._arrived.append(data)
                self._news.set()
        finally:
            self._news.set()

    async def aclose(self) -> None:
        _open.discard(self)
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})
        await self._stream.aclose()


@dataclass(frozen=True)
class Added:
    """An event that only adds text to what came before, taken apart."""

    event: bytes
    head: bytes  # all before the JSON
    numbering: Frame
    frame: Frame  # the JSON without numbering and text
    holder: Frame  # the part of the frame that the text was taken out of
    name: str  # and under which name
    text: str

    def goes_with(self, other: "Added") -> bool:
        return (self.frame, self.name) == (other.frame, other.name)


def joined(events: Iterable[bytes]) -> Iterator[bytes]:
    """The events as they are sent, neighbours that add text to the same place made one."""
    run: list[Added] = []
    for event in events:
        added = _taken_apart(event)
        if run and (added is None or not added.goes_with(run[0])):
            yield _put_together(run)
            run = []
        if added is None:
            yield event + b"\n\n"
        else:
            run.append(added)
    if run:
        yield _put_together(run)


def _taken_apart(event: bytes) -> Added | None:
    found = EVENT.fullmatch(event)
    try:
        frame = json.loads(found[2]) if found else {}
    except ValueError:  # what it means is for the client library to say
        return None
    place = _place_of_text(frame)
    if found is None or place is None:
        return None
    holder, name = place
    text, holder[name] = holder[name], ""
    numbering = {key: frame.pop(key) for key in NUMBERING if key in frame}
    return Added(event, found[1], numbering, frame, holder, name, text)


def _has_text(event: bytes) -> bool:
    added = _taken_apart(event)
    return added is not None and bool(added.text)


def _goes_on(event: bytes) -> bool:
    """Whether another event must follow: each kind of stream tells its end in one of its own. A
    connection that is closed between two events looks like an end otherwise."""
    added = _taken_apart(event)
    match added and added.frame:
        case None | {"choices": [{"finish_reason": str()}]}:
            return False
    return True


def _put_together(run: list[Added]) -> bytes:
    first = run[0]
    if len(run) == 1:
        return first.event + b"\n\n"
    first.holder[first.name] = "".join(added.text for added in run)
    return first.head + json.dumps(first.numbering | first.frame).encode() + b"\n\n"


def _place_of_text(data: Frame) -> tuple[Frame, str] | None:
    """Where an event of a known kind holds the text it adds; None for every other event."""
    match data:
        case {"choices": [{"delta": dict(delta)}]}:  # OpenAI's chat completions
            holder, names = delta, [name for name in TEXTS if delta.get(name)] or ["content"]
        case {"type": str(kind), "delta": str()} if kind in RESPONSES:
            holder, names = data, ["delta"]
        case {"type": "content_block_delta", "delta": {"type": str(kind)} as delta} if (
            kind in MESSAGES
        ):
            holder, names = delta, [MESSAGES[kind]]
        case _:
            return None
    is_one_text = len(names) == 1 and isinstance(holder.get(names[0]), str)
    return (holder, names[0]) if is_one_text else None
