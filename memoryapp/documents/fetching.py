"""Fetches a page from its address, and from nowhere that it shouldn't be fetched from."""

import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import SplitResult, urljoin

from memoryapp.documents.addresses import SCHEMES, checked, is_public
from memoryapp.documents.document import Unreadable, gettext_noop
from memoryapp.documents.kinds import UNKNOWN, Kind, kind_of

WAIT_SECONDS = 10  # for each answer; the whole has a limit, too: see reading.py
MOST_REDIRECTS = 5
HEADERS = {"User-Agent": "memoryapp", "Accept-Encoding": "identity"}
# What is worth being received: the bytes tell what it is.
TYPES = ("", "application/pdf", "application/xhtml+xml", "application/octet-stream")
DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML_TYPES = ("text/html", "application/xhtml+xml")

UNKNOWN_HOST = gettext_noop("There is no server named {}. Look at the address for a slip.")
PRIVATE = gettext_noop(
    "{} is in a private network, where pages are not fetched from. An administrator can allow it "
    "with RESOURCE_PRIVATE_URLS."
)
NO_ANSWER = gettext_noop("{} doesn't answer. See whether the page opens in a browser; try again.")
NOT_SAFE = gettext_noop("{} can't prove that it is the server it claims to be: {}.")
ANSWERED = gettext_noop("The server answered {} instead of the page. Look at the address.")
TOO_MANY_REDIRECTS = gettext_noop("The address leads from one to the next without an end.")
TOO_LARGE = gettext_noop("The page is too large: {} MB are the most.")
COMPRESSED = gettext_noop("The page is compressed though this was not asked for.")


@dataclass(frozen=True)
class Page:
    kind: Kind
    content: bytes


class Guarded(HTTPConnection):
    """A connection to an address that was checked.

    The name is looked up once, and what was checked is what is connected to: a name that leads
    somewhere else the next time leads nowhere else here.
    """

    def __init__(self, parts: SplitResult, *, private_too: bool) -> None:
        super().__init__(parts.hostname or "", parts.port or SCHEMES[parts.scheme], WAIT_SECONDS)
        self.is_safe, self.private_too = parts.scheme == "https", private_too

    def connect(self) -> None:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        allowed = [each for each in found if self.private_too or is_public(str(each[4][0]))]
        if not allowed:
            raise Unreadable(PRIVATE.format(self.host))
        self.sock = first_that_answers(allowed)
        if self.is_safe:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)


def first_that_answers(found: list[Any]) -> socket.socket:
    """A connection to one of these addresses, as they were looked up."""
    for number, (family, kind, protocol, _, address) in enumerate(found, 1):
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(WAIT_SECONDS)
        try:
            connection.connect(address)
        except OSError:
            connection.close()
            if number == len(found):
                raise
        else:
            break
    return connection


def fetch(url: str, *, max_bytes: int, private_too: bool = False) -> Page:
    """What is at this address, wherever it leads. Raises Unreadable."""
    for _ in range(1 + MOST_REDIRECTS):
        parts = checked(url)
        connection = Guarded(parts, private_too=private_too)
        try:
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request("GET", path, headers=HEADERS)
            response = connection.getresponse()
            location = response.getheader("Location")
            if response.status not in (301, 302, 303, 307, 308) or not location:
                return received(response, max_bytes)
            url = urljoin(parts.geturl(), location)
        except socket.gaierror as error:
            raise Unreadable(UNKNOWN_HOST.format(connection.host)) from error
        except ssl.SSLError as error:
            reason = getattr(error, "verify_message", "") or str(error.reason)
            raise Unreadable(NOT_SAFE.format(connection.host, reason)) from error
        except (OSError, HTTPException) as error:
            raise Unreadable(NO_ANSWER.format(connection.host)) from error
        finally:
            connection.close()
    raise Unreadable(TOO_MANY_REDIRECTS)


def received(response: HTTPResponse, max_bytes: int) -> Page:
    """The page in an answer. Raises Unreadable if it is none, or nothing that can be read."""
    if response.status != 200:
        raise Unreadable(ANSWERED.format(response.status))
    if response.getheader("Content-Encoding", "identity") != "identity":
        raise Unreadable(COMPRESSED)
    type_ = response.headers.get_content_type() if response.getheader("Content-Type") else ""
    if not (type_.startswith("text/") or type_ in (*TYPES, DOCX_TYPE)):
        raise Unreadable(UNKNOWN)
    content = response.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise Unreadable(TOO_LARGE.format(f"{max_bytes / 1_000_000:g}"))
    kind = kind_of(content := as_utf8(content, response), says_html=type_ in HTML_TYPES)
    if kind is None:
        raise Unreadable(UNKNOWN)
    return Page(kind, content)


def as_utf8(content: bytes, response: HTTPResponse) -> bytes:
    """A text in the encoding that its server names; as it is where that is wrong, or none."""
    with suppress(LookupError, UnicodeError):
        if charset := response.headers.get_content_charset():
            return content.decode(charset).encode()
    return content
