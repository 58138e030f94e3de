"""A small OpenAI-compatible server that answers as it is told, badly too."""

import json
import time
from http.server import BaseHTTPRequestHandler

from tests.threaded import Threaded


def chunk(**choice):
    choice = {"index": 0, "delta": {}, "finish_reason": None, **choice}
    data = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "small"}
    return f"data: {json.dumps({**data, 'choices': [choice]})}\n\n".encode()


def streamed(*texts):
    """The body of a whole streamed reply."""
    pieces = [chunk(delta={"role": "assistant", "content": text}) for text in texts]
    return b"".join([*pieces, chunk(finish_reason="stop"), b"data: [DONE]\n\n"])


def echo(asked):
    """The schema that an answer is to have, as if it were one."""
    schema = asked["response_format"]["json_schema"]["schema"]
    message = {"role": "assistant", "content": json.dumps(schema)}
    data = {"id": "1", "object": "chat.completion", "created": 1, "model": "small"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({**data, "choices": [choice]}).encode()


class ModelServer(Threaded):
    """Answers each POST with `status`, `content_type` and `body`, and lists `models`, unless
    `tells` has something else to be read at an address."""

    def __init__(self):
        self.models = ["small"]
        self.tells = {}
        self.status, self.content_type, self.body = 200, "text/event-stream", streamed("Hello")
        self.is_cut_off = False
        self.first = []  # (status, headers) of refusals before the answers begin
        self.silence = 0.0  # seconds before each answer
        self.keeps_connections = False
        self.echoes_schema = False  # instead of `body`, the schema of what was asked for
        self.posted = []
        self.num_listed = 0
        self.connections = set()  # addresses of clients that posted something
        self.authorization = None
        super().__init__(self._handler())

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def refuse(self, status, message="no", code=None):
        self.status, self.content_type = status, "application/json"
        self.body = json.dumps({"error": {"message": message, "code": code}}).encode()

    def say(self, body, *, content_type="text/event-stream", is_cut_off=False):
        self.body, self.content_type, self.is_cut_off = body, content_type, is_cut_off

    def hear(self, asked):
        self.posted.append(asked)
        if self.echoes_schema:
            self.content_type, self.body = "application/json", echo(asked)

    def _handler(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            @property
            def protocol_version(self):
                return "HTTP/1.1" if server.keeps_connections else "HTTP/1.0"

            def do_GET(self):
                server.num_listed += 1
                server.authorization = self.headers["Authorization"]
                listed = {"data": [{"id": name} for name in server.models]}
                body = json.dumps(server.tells.get(self.path, listed)).encode()
                self._send(200, "application/json", body, len(body))

            def do_POST(self):
                server.connections.add(self.client_address)
                length = int(self.headers["Content-Length"])
                server.hear(json.loads(self.rfile.read(length)))
                time.sleep(server.silence)
                if server.first:
                    status, headers = server.first.pop(0)
                    return self._send(status, "application/json", b"{}", 2, **headers)
                promised = len(server.body) + (100 if server.is_cut_off else 0)
                self._send(server.status, server.content_type, server.body, promised)
                self.close_connection = server.is_cut_off

            def _send(self, status, content_type, body, length, **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler
