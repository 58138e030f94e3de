"""A small web server, whose pages are said beforehand."""

import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Web:
    """Answers each GET with what `pages` has under its path: status, headers and body."""

    def __init__(self):
        self.pages = {}
        self.asked = []
        self.dribbles = False  # a byte each tenth of a second
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def port(self):
        return self._server.server_port

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    def has(self, path, body, *, status=200, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (status, {"Content-Length": str(len(body)), **headers}, body)
        return self.url(path)

    def leads(self, path, to):
        return self.has(path, b"", status=302, Location=to)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self):
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                web.asked.append((self.path, dict(self.headers)))
                status, headers, body = web.pages.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # who has enough leaves
                    for byte in body if web.dribbles else ():
                        self.wfile.write(bytes([byte]))
                        time.sleep(0.1)
                    self.wfile.write(b"" if web.dribbles else body)

            def log_message(self, *args):
                pass

        return Handler
