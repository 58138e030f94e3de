"""`python -m tests.bench.model`: an OpenAI-compatible server with exact timing, as a process.

The name of the model that is asked for says how a stream goes: `fake-ttft200-tps50-n64` begins
after 200 ms and sends 64 tokens, 50 a second; tps0 sends all at once. A token is a word. Whoever
wants structured output gets an object whose lists hold what `[[learn key=value]]` in the last
message says, or nothing. `GET /asked` tells all requests since the last time it was asked, and
`GET /most` how many whole answers were waited for at once, at most.
"""

import argparse
import asyncio
import json
import re
import socket
import sys
from typing import Any

TIMING = re.compile(r"-(ttft|tps|n)(\d+)")
LEARN = re.compile(r"\[\[learn (\w+)=(\w+)\]\]")
WORDS = re.findall(
    r"\w+",
    "the plan keeps every step small and checks each result before the next one starts so that "
    "nothing is lost when a worker stops and the reader can follow what was decided and why",
)
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: {}\r\n"
Asked = dict[str, Any]


class Connection(asyncio.Protocol):
    """One client, which may ask again on the same connection."""

    asked: list[Asked] = []
    num_waiting = most_waiting = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""
        self.loop = asyncio.get_running_loop()
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        if end and len(body) >= (num_bytes := int(length[1]) if length else 0):
            self.received = body[num_bytes:]
            self.is_last = b"connection: close" in head.lower()
            self.answer(head.split(b" ")[1].decode(), body[:num_bytes])

    def answer(self, path: str, body: bytes) -> None:
        if path == "/asked":
            self.send(self.asked)
            self.asked.clear()
        elif path == "/most":
            self.send(Connection.most_waiting)
        elif path.endswith("/models"):
            self.send({"data": [{"id": "fake"}]})
        else:
            request = json.loads(body)
            self.asked.append(request)
            timing = {name: int(value) for name, value in TIMING.findall(request["model"])}
            if request.get("stream"):
                self.stream(request, timing)
            else:
                self.think(request, timing.get("ttft", 0) / 1000)

    def think(self, request: Asked, seconds: float) -> None:
        Connection.num_waiting += 1
        Connection.most_waiting = max(Connection.most_waiting, Connection.num_waiting)
        self.loop.call_later(seconds, self.conclude, request)

    def conclude(self, request: Asked) -> None:
        Connection.num_waiting -= 1
        self.send(whole(request))

    def send(self, data: object) -> None:
        body = json.dumps(data).encode()
        head = HEAD.format("application/json") + f"Content-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)
        self.end()

    def end(self) -> None:
        if self.is_last:
            self.transport.close()

    def stream(self, request: Asked, timing: dict[str, int]) -> None:
        events = [chunked(event(delta={"content": f"{word} "})) for word in words(timing["n"])]
        usage = {"prompt_tokens": num_tokens(request), "completion_tokens": len(events)}
        usage["total_tokens"] = sum(usage.values())
        last = [event(finish_reason="stop"), told(choices=[], usage=usage), b"data: [DONE]\n\n"]
        events.append(b"".join(map(chunked, last)) + b"0\r\n\r\n")
        head = HEAD.format("text/event-stream") + "Transfer-Encoding: chunked\r\n\r\n"
        self.transport.write(head.encode())
        start, step = self.loop.time() + timing["ttft"] / 1000, 1 / (timing["tps"] or 1e9)

        def send_due(num_sent: int) -> None:
            num_due = min(len(events), int((self.loop.time() - start) / step) + 1)
            if not self.transport.is_closing():
                self.transport.write(b"".join(events[num_sent:num_due]))
                if num_due < len(events):
                    self.loop.call_at(start + num_due * step, send_due, num_due)
                else:
                    self.end()

        self.loop.call_at(start, send_due, 0)


def words(number: int) -> list[str]:
    return [WORDS[index % len(WORDS)] for index in range(number)]


def num_tokens(request: Asked) -> int:
    """By the usual rule of thumb, of all that a provider reads: messages, tools and schemas."""
    read = ("messages", "tools", "response_format")
    return len(json.dumps([request.get(name) for name in read], ensure_ascii=False)) // 4


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def told(**fields: object) -> bytes:
    data = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "fake", **fields}
    return f"data: {json.dumps(data)}\n\n".encode()


def event(**choice: object) -> bytes:
    return told(choices=[{"index": 0, "delta": {}, "finish_reason": None, **choice}])


def whole(request: Asked) -> Asked:
    """An answer that isn't streamed: what the agents in the background ask for."""
    message: Asked = {"role": "assistant", "content": " ".join(words(60))}
    reason = "stop"
    said = str(request["messages"][-1]["content"])
    learned = json.dumps({"operations": [operation(*found) for found in LEARN.findall(said)]})
    if tools := request.get("tools"):
        function = {"name": tools[0]["function"]["name"], "arguments": learned}
        call = {"id": "c1", "type": "function", "function": function}
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    elif request.get("response_format"):
        message["content"] = learned
    usage = {"prompt_tokens": num_tokens(request), "completion_tokens": 60}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {**usage, "total_tokens": sum(usage.values())},
    }


def operation(key: str, value: str) -> Asked:
    quote = f"[[learn {key}={value}]]"
    said = {"key": key, "value": value, "subject": "", "quote": quote}
    return {"action": "add", "table": "fact", "kind": "fact", **said}


async def main(port: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", port, backlog=1024)
    sys.stdout.write("The model listens\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    asyncio.run(main(arguments.parse_args().port))
