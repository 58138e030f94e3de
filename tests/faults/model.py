"""An OpenAI-compatible server in a thread: it says numbered words, and knows what it computes.

A question ends with how it is to be answered, as in `[[words=50 wait=2 pace=0.02]]`: so many words,
after so many seconds, at this distance. The extractor's request is answered after `thinks` seconds
with what "My bicycle is green." and its like say.
"""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from contextlib import suppress

ASKED = re.compile(r"\[\[(.*?)\]\]")
SAID = re.compile(r"My (\w+) is (\w+)\.")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\nconnection: close\r\n\r\n"


def words(number):
    """The whole text of an answer of so many words."""
    return "".join(f"wörd{n} " for n in range(number))


class FakeModel:
    """`streaming` holds the questions being answered, `told` how many words each has had, and
    `left_at` is when a reader last went away before the end, on the monotonic clock."""

    def __init__(self):
        self.thinks = 0.0
        self.streaming, self.told, self.num_extracting = set(), Counter(), 0
        self.left_at = 0.0
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self):
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self):
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0, limit=2**22)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        async with server:
            await self._stop.wait()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _answer(self, reader, writer):
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = re.search(r"content-length: (\d+)", head)
            asked = json.loads(await reader.readexactly(int(length[1])) if length else b"{}")
            if asked.get("stream"):
                await self._stream(asked, reader, writer)
            else:
                await self._extract(asked, writer)
        writer.close()

    async def _stream(self, asked, reader, writer):
        said = [message["content"] for message in asked["messages"]]
        question = next(text for text in reversed(said) if ASKED.search(text))
        begun = "" if said[-1] == question else said[-2]  # a reply that it is to go on with
        options = dict(part.split("=") for part in ASKED.findall(question)[-1].split())
        writer.write(HEAD % b"text/event-stream")
        self.streaming.add(question)
        leaving = asyncio.create_task(reader.read())
        try:
            await asyncio.wait({leaving}, timeout=float(options.get("wait", 0)))
            for n in range(len(begun.split()), int(options["words"])):
                if leaving.done():
                    self.left_at = time.monotonic()
                    return
                writer.write(chunk(delta={"role": "assistant", "content": f"wörd{n} "}))
                self.told[question] += 1
                await asyncio.wait({leaving}, timeout=float(options.get("pace", 0.02)))
            writer.write(chunk(finish_reason="stop") + b"data: [DONE]\n\n")
            await writer.drain()
        finally:
            leaving.cancel()
            self.streaming.discard(question)

    async def _extract(self, asked, writer):
        self.num_extracting += 1
        try:
            await asyncio.sleep(self.thinks)
        finally:
            self.num_extracting -= 1
        said = asked["messages"][-1]["content"]
        answer = {"operations": [operation(*found) for found in set(SAID.findall(said))]}
        data = {"id": "1", "object": "chat.completion", "created": 1, "model": "fake"}
        message = {"role": "assistant", "content": json.dumps(answer)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        writer.write(
            HEAD % b"application/json" + json.dumps({**data, "choices": [choice]}).encode()
        )
        await writer.drain()


def operation(thing, how):
    quote = f"My {thing} is {how}."
    said = {"key": thing, "value": how, "subject": "", "quote": quote}
    return {"action": "add", "table": "fact", "kind": "fact", **said}


def chunk(**choice):
    choice = {"index": 0, "delta": {}, "finish_reason": None, **choice}
    data = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
    return f"data: {json.dumps({**data, 'choices': [choice]})}\n\n".encode()
