"""Whether the pages come through: the web server here, and all of it at SITE_URL."""

import http.client
import socket
import ssl
import urllib.request
from collections.abc import Iterator
from typing import NamedTuple
from urllib.error import HTTPError, URLError

from django.conf import settings
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

from memoryapp import probe
from memoryapp.agents.servers import is_near
from memoryapp.doctor.findings import Finding, ok, problem, warning

SECONDS = 5
STYLES = "/static/css/app.css"
REFUSED = 403  # what the product answers to a socket of nobody
UNREACHED = (OSError, http.client.HTTPException)  # what `get` raises where nothing answers


class Answer(NamedTuple):
    status: int
    content_type: str
    body: bytes


def web() -> Iterator[Finding]:
    """Who answers where this machine's web server is to listen."""
    host, port = probe.reached_at(settings.HOST), settings.PORT
    if probe.answers(host, port):
        yield ok(f"It answers at {host}:{port}.")
    elif is_taken(host, port):
        yield problem(
            f"What answers at {host}:{port} is another program, or fails: stop that, or set PORT to"
            " another port; if it is the web server, its log says why it fails."
        )
    else:
        yield warning(f"Nothing answers at {host}:{port}: start it with `make run`.")


def is_taken(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), SECONDS).close()
    except (OSError, OverflowError):
        return False
    return True


def site() -> Iterator[Finding]:
    """Whether SITE_URL leads here, past whatever proxy stands before it."""
    if not probe.answers(probe.reached_at(settings.HOST), settings.PORT):
        return
    site = settings.SITE_URL.rstrip("/")
    try:
        answer = get(f"{site}/healthz")
    except UNREACHED as error:
        yield warning(
            f"{site} doesn't lead here from this machine ({reason(error)}): SITE_URL must be what"
            " stands in people's browsers. Correct it, or whatever listens there."
        )
        return
    if (answer.status, answer.body) != (200, b"ok\n"):
        yield problem(
            f"Something else answers at {site} (status {answer.status}), or a web server that was"
            " started with another SITE_URL: correct SITE_URL or the proxy, and start it again."
        )
        return
    broken = [*lost_styles(site), *lost_sockets(site)]
    yield from broken
    if not broken:
        yield ok(f"Pages, their styles and sockets come through at {site}.")


def lost_styles(site: str) -> Iterator[Finding]:
    try:
        styles = get(site + STYLES)
    except UNREACHED as error:
        why = reason(error)
    else:
        if styles.status == 200 and styles.content_type.startswith("text/css"):
            return
        why = f"status {styles.status}"
    yield problem(
        f"{site}{STYLES} isn't the styles of the pages ({why}): have the proxy pass /static/ on"
        " like everything else."
    )


def lost_sockets(site: str) -> Iterator[Finding]:
    if (status := socket_status(site)) == REFUSED:
        return
    host = probe.reached_at(settings.HOST)
    if socket_status(f"http://{f'[{host}]' if ':' in host else host}:{settings.PORT}") == REFUSED:
        yield problem(
            f"Sockets don't come through at {site} ({status}), so replies don't appear as they are"
            " written: have the proxy pass on the headers Upgrade and Connection."
        )
    else:
        yield problem(
            f"The web server answers no sockets ({status}), so replies don't appear as they are"
            " written: its log says why, most likely that it can't reach the database."
        )


def get(url: str) -> Answer:
    # A proxy named by the environment leads out of the network that a near server is in.
    proxies = urllib.request.ProxyHandler({} if is_near(url) else None)
    try:
        with urllib.request.build_opener(proxies).open(url, timeout=SECONDS) as answer:
            return Answer(answer.status, answer.headers.get_content_type(), answer.read())
    except HTTPError as error:
        with error:
            return Answer(error.code, error.headers.get_content_type(), error.read())


def reason(error: Exception) -> str:
    """Why an address can't be read, in few words."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate isn't valid: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return "it doesn't speak https"
    return str(getattr(cause, "strerror", None) or cause)


def socket_status(site: str) -> int | str:
    """How a socket of nobody is answered."""
    try:
        url, origin = f"ws{site.removeprefix('http')}/ws/", Origin(settings.SITE_URL)
        connect(url, origin=origin, open_timeout=SECONDS, proxy=None).close()
    except InvalidStatus as error:
        return error.response.status_code
    except (WebSocketException, OSError) as error:
        return str(error) or type(error).__name__
    return "it was let in"
