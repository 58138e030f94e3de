import socket

import pytest

from memoryapp.documents.document import Unreadable
from memoryapp.documents.fetching import fetch
from tests.documents.making import pdf

PAGE = "<!doctype html><title>Pumps</title><p>Grüße"
TEXT = {"Content_Type": "text/plain"}
PUBLIC = "93.184.216.34"


def fetched(url, max_bytes=1_000_000):
    return fetch(url, max_bytes=max_bytes, private_too=True)


class Internet:
    """What names lead to, one answer for each time; and a public address, where the web is."""

    def __init__(self, monkeypatch):
        self.leads = {}  # a name to the addresses of each look-up, the last for all that follow
        self.looked_up, self.connected = [], []
        look_up, connect = socket.getaddrinfo, socket.socket.connect

        def looked_up(host, port, **kwargs):
            self.looked_up.append(host)
            answers = self.leads.get(host, [[host]])
            addresses = answers.pop(0) if len(answers) > 1 else answers[0]
            return [each for address in addresses for each in look_up(address, port, **kwargs)]

        def connected(connection, address):
            self.connected.append(address[0])
            connect(connection, (address[0].replace(PUBLIC, "127.0.0.1"), *address[1:]))

        monkeypatch.setattr(socket, "getaddrinfo", looked_up)
        monkeypatch.setattr(socket.socket, "connect", connected)


@pytest.fixture
def internet(monkeypatch):
    return Internet(monkeypatch)


def test_a_page_is_fetched_and_its_kind_told(web):
    page = fetched(web.has("/pumps?a=1", PAGE.encode(), Content_Type="text/html; charset=utf-8"))
    assert (page.kind, page.content) == ("html", PAGE.encode())
    [(path, headers)] = web.asked
    assert path == "/pumps?a=1"
    assert headers["Host"] == f"127.0.0.1:{web.port}"
    assert "Cookie" not in headers


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("application/pdf", pdf("Hello"), "pdf"),
        ("application/octet-stream", pdf("Hello"), "pdf"),
        ("text/markdown", b"# Hello", "text"),
        ("text/html", b"<p>Hello", "html"),
        ("application/xhtml+xml", b"<p>Hello", "html"),
    ],
)
def test_what_a_server_calls_it_lets_it_in_and_its_content_tells_what_it_is(
    web, content_type, body, kind
):
    assert fetched(web.has("/", body, Content_Type=content_type)).kind == kind


def test_a_text_in_the_encoding_that_its_server_names_is_understood(web):
    url = web.has("/", "Grüße".encode("latin-1"), Content_Type="text/plain; charset=latin-1")
    assert fetched(url).content.decode() == "Grüße"


def test_redirects_are_followed_to_another_path_and_another_name(web, internet):
    internet.leads["moved.example"] = [["127.0.0.1"]]
    web.leads("/old", "/newer")
    web.leads("/newer", web.url("/now", host="moved.example"))
    web.has("/now", b"Here", **TEXT)
    assert fetched(web.url("/old")).content == b"Here"


@pytest.mark.parametrize(
    ("status", "body", "headers", "sentence"),
    [
        (404, b"", TEXT, "answered 404"),
        (500, b"", TEXT, "answered 500"),
        (304, b"", TEXT, "answered 304"),
        (200, b"\x89PNG", {"Content_Type": "image/png"}, "can't be read"),
        (200, b"\x89PNG\xff", {"Content_Type": "text/plain"}, "can't be read"),
        (200, b"x", {**TEXT, "Content_Encoding": "gzip"}, "compressed"),
        (200, b"x" * 1001, TEXT, "too large: 0.001 MB"),
        (302, b"", {"Location": "file:///etc/passwd"}, "no address"),
        (302, b"", {"Location": "http://ada:secret@127.0.0.1/"}, "a name or a password"),
        (302, b"", {"Location": "/"}, "from one to the next"),
    ],
)
def test_what_is_no_page_says_why(web, status, body, headers, sentence):
    url = web.has("/", body, status=status, **headers)
    with pytest.raises(Unreadable, match=sentence):
        fetched(url, max_bytes=1000)


def test_an_endless_page_is_not_received_to_its_end(web):
    web.pages["/"] = (200, {"Content-Type": "text/plain"}, b"x" * 50_000_000)
    with pytest.raises(Unreadable, match="too large"):
        fetched(web.url("/"), max_bytes=1000)


def test_who_does_not_answer_is_named(web):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(Unreadable, match="127.0.0.1 doesn't answer"):
        fetched(f"http://127.0.0.1:{port}/")


def test_a_server_that_cannot_speak_https_is_not_trusted(web):
    with pytest.raises(Unreadable, match="can't prove"):
        fetched(web.url("/").replace("http:", "https:"))


def test_a_name_that_does_not_exist_is_told():
    with pytest.raises(Unreadable, match="no server named nowhere.invalid"):
        fetched("http://nowhere.invalid/")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
def test_nothing_private_is_asked_however_it_is_written(web, host):
    web.has("/", b"Secret", **TEXT)
    with pytest.raises(Unreadable, match="in a private network"):
        fetch(web.url("/", host=host), max_bytes=1000)
    assert web.asked == []


def test_a_public_page_is_fetched_from_the_address_that_was_checked(web, internet):
    """Whoever answers differently the second time is not asked a second time."""
    internet.leads["rebound.example"] = [[PUBLIC], ["127.0.0.1"]]
    url = web.has("/", b"Hello", **TEXT).replace("127.0.0.1", "rebound.example")
    assert fetch(url, max_bytes=1000).content == b"Hello"
    assert internet.looked_up == ["rebound.example"]
    assert internet.connected == [PUBLIC]


def test_a_name_that_leads_into_a_private_network_the_second_time_leads_nowhere(web, internet):
    internet.leads["rebound.example"] = [[PUBLIC], ["127.0.0.1"]]
    url = web.leads("/", "/secret").replace("127.0.0.1", "rebound.example")
    with pytest.raises(Unreadable, match="rebound.example is in a private network"):
        fetch(url, max_bytes=1000)
    assert internet.connected == [PUBLIC]


def test_a_redirect_into_a_private_network_is_not_followed(web, internet):
    internet.leads["public.example"] = [[PUBLIC]]
    web.leads("/", web.has("/secret", b"Secret", **TEXT))
    with pytest.raises(Unreadable, match="127.0.0.1 is in a private network"):
        fetch(web.url("/", host="public.example"), max_bytes=1000)
    assert [path for path, _ in web.asked] == ["/"]


def test_of_several_addresses_of_a_name_only_public_ones_are_asked(web, internet):
    internet.leads["public.example"] = [["10.0.0.1", "::1", PUBLIC]]
    web.has("/", b"Hello", **TEXT)
    url = web.url("/", host="public.example")
    assert fetch(url, max_bytes=1000).content == b"Hello"
    assert internet.connected == [PUBLIC]


def test_the_next_address_is_asked_when_one_does_not_answer(web, internet):
    internet.leads["public.example"] = [["127.0.0.2", "127.0.0.1"]]
    url = web.has("/", b"Hello", **TEXT).replace("127.0.0.1", "public.example")
    assert fetched(url).content == b"Hello"
    assert internet.connected == ["127.0.0.2", "127.0.0.1"]
