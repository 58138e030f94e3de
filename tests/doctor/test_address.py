import asyncio
import http.client
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import uvicorn

from memoryapp.doctor import address
from tests.processes import free_port

pytestmark = pytest.mark.django_db  # Channels looks after its connections


@pytest.fixture(scope="module")
def port():
    """Where the whole ASGI application is served."""
    from config.asgi import application

    server = uvicorn.Server(
        uvicorn.Config(application, "127.0.0.1", free_port(), log_level="warning", lifespan="off")
    )
    thread = threading.Thread(target=asyncio.run, args=[server.serve()], daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield server.config.port
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def here(settings, port):
    settings.HOST, settings.PORT = "0.0.0.0", port
    settings.SITE_URL = f"http://localhost:{port}"
    return settings


@contextmanager
def listening(handler):
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def proxy(port, *, lacks="", hangs_up=False):
    """A proxy that knows nothing of sockets, and has its own folder at `lacks`, or hangs up."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if lacks and self.path.startswith(lacks):
                self.close_connection = hangs_up
                return hangs_up or self.send_error(404)
            upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            upstream.request("GET", self.path, headers={"Host": self.headers["Host"]})
            answer = upstream.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers["Content-Type"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            upstream.close()

        def log_message(self, *_):
            pass

    return Proxy


class Files(SimpleHTTPRequestHandler):
    """Something else at the same port."""

    def log_message(self, *_):
        pass


def test_a_web_server_that_answers_is_well(said, here, port):
    assert said(address.web) == [("ok", f"It answers at 127.0.0.1:{port}.")]


def test_nothing_at_the_port_is_told(said, settings):
    settings.PORT = free_port()

    [(level, says)] = said(address.web)

    assert (level, says) == (
        "warning", f"Nothing answers at 127.0.0.1:{settings.PORT}: start it with `make run`."
    )  # fmt: skip
    assert said(address.site) == []


def test_something_else_at_the_port_is_a_problem(said, settings):
    with listening(Files) as settings.PORT:
        [(level, says)] = said(address.web)

    assert level == "problem"
    assert says.startswith(f"What answers at 127.0.0.1:{settings.PORT} is another program")


def test_a_site_where_all_comes_through_is_well(said, here):
    assert said(address.site) == [
        ("ok", f"Pages, their styles and sockets come through at {here.SITE_URL}.")
    ]


def test_a_proxy_that_passes_on_no_sockets_is_named(said, here, port):
    with listening(proxy(port)) as outer:
        here.SITE_URL = f"http://127.0.0.1:{outer}/"
        [(level, says)] = said(address.site)

    assert level == "problem"
    assert says.startswith(f"Sockets don't come through at http://127.0.0.1:{outer} (404)")
    assert "the headers Upgrade and Connection" in says


@pytest.mark.parametrize(
    ("hangs_up", "why"),
    [(False, "status 404"), (True, "Remote end closed connection without response")],
)
def test_a_proxy_that_does_not_pass_on_the_styles_is_named(said, here, port, hangs_up, why):
    with listening(proxy(port, lacks="/static/", hangs_up=hangs_up)) as outer:
        here.SITE_URL = f"http://127.0.0.1:{outer}"
        styles, sockets = said(address.site)

    assert styles[0] == sockets[0] == "problem"
    assert f"/static/css/app.css isn't the styles of the pages ({why})" in styles[1]


def test_a_site_where_something_else_answers_is_a_problem(said, here):
    with listening(Files) as outer:
        here.SITE_URL = f"http://127.0.0.1:{outer}"
        [(level, says)] = said(address.site)

    assert level == "problem"
    assert f"Something else answers at {here.SITE_URL} (status 404)" in says


def test_a_web_server_that_answers_no_sockets_is_not_the_proxys_fault(said, here, port):
    with listening(proxy(port)) as alone:
        here.HOST, here.PORT, here.SITE_URL = "127.0.0.1", alone, f"http://127.0.0.1:{alone}"
        [(level, says)] = said(address.site)

    assert level == "problem"
    assert says.startswith("The web server answers no sockets (404)")


@pytest.mark.parametrize(
    ("site", "why"),
    [
        ("http://127.0.0.1:1", "Connection refused"),
        ("https://127.0.0.1:{port}", "it doesn't speak https"),
    ],
)
def test_a_site_that_does_not_lead_here_is_told_with_the_reason(said, here, port, site, why):
    here.SITE_URL = site.format(port=port)

    [(level, says)] = said(address.site)

    assert level == "warning"
    assert says.startswith(f"{here.SITE_URL} doesn't lead here from this machine ({why}")
