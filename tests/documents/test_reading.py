"""The process that reads, as the worker starts it."""

import signal
import subprocess
import time

import psutil
import pytest

from memoryapp.documents import reading
from memoryapp.documents.document import (
    BROKEN,
    NO_TEXT,
    TOO_DEMANDING,
    TOO_SLOW,
    Document,
    Unreadable,
)
from tests.documents.making import docx, paragraph, pdf

BOMB = docx("<w:p/>" * 5_000_000)  # packed it is 60 KB; unpacked, it takes minutes


@pytest.mark.parametrize(
    ("kind", "content", "document"),
    [
        ("pdf", pdf("One", "Two"), Document("One\n\fTwo\n\f")),
        ("docx", docx(paragraph("Grüße")), Document("Grüße")),
        ("html", b"<title>Hello</title><p>there", Document("there", "Hello")),
        ("text", "\ufeffGrüße 😀".encode(), Document("Grüße 😀")),
    ],
)
def test_each_kind_is_read(kind, content, document):
    assert reading.read_file(kind, content) == document


@pytest.mark.parametrize(
    ("kind", "content", "sentence"),
    [
        ("pdf", b"%PDF-1.7 and nothing else", BROKEN),
        ("docx", b"PK\x03\x04 word/", BROKEN),
        ("html", b"<div>" * 20_000 + b"x", BROKEN),
        ("text", b" \n", NO_TEXT),
    ],
)
def test_what_cannot_be_read_harms_nobody_and_says_why(kind, content, sentence):
    with pytest.raises(Unreadable, match=sentence):
        reading.read_file(kind, content)


def test_what_takes_too_much_memory_is_ended(monkeypatch):
    monkeypatch.setattr(reading, "MEMORY_BYTES", 200_000_000)
    with pytest.raises(Unreadable, match=TOO_DEMANDING):
        reading.read_file("html", b"<!doctype html>" + b"<br>" * 500_000)


def test_what_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(reading, "SECONDS", 2)
    begun = time.monotonic()
    with pytest.raises(Unreadable, match=TOO_SLOW.format(2)):
        reading.read_file("docx", BOMB)
    assert time.monotonic() - begun < 10
    assert psutil.Process().children() == []


def test_the_process_ends_by_itself_when_nobody_is_left_to_end_it():
    reader = subprocess.Popen([*reading.READER, "500000000", "1"], stdin=subprocess.PIPE)
    with reader:
        assert reader.wait(20) == -signal.SIGALRM


def test_what_a_server_keeps_waiting_is_ended_too(web, settings, monkeypatch):
    settings.RESOURCE_PRIVATE_URLS = True
    monkeypatch.setattr(reading, "SECONDS", 2)
    web.dribbles = True
    with pytest.raises(Unreadable, match=TOO_SLOW.format(2)):
        reading.read_page(web.has("/", b"x" * 1000, Content_Type="text/plain"))


def test_pages_of_the_web_are_read_where_an_administrator_allows_it(web, settings):
    url = web.has("/", b"<!doctype html><title>Pumps</title><p>Drain first.")
    with pytest.raises(Unreadable, match="RESOURCE_PRIVATE_URLS"):
        reading.read_page(url)
    settings.RESOURCE_PRIVATE_URLS = True
    assert reading.read_page(url) == Document("Drain first.", "Pumps")


def test_a_page_may_be_as_large_as_a_file(web, settings):
    settings.RESOURCE_PRIVATE_URLS, settings.RESOURCE_MAX_BYTES = True, 1000
    with pytest.raises(Unreadable, match="too large: 0.001 MB"):
        reading.read_page(web.has("/", b"x" * 1001, Content_Type="text/plain"))
