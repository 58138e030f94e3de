import pytest

from memoryapp.documents.kinds import kind_of
from tests.documents.making import docx, paragraph, pdf


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (pdf("Hello"), "pdf"),
        (b"\n\n" + pdf("Hello"), "pdf"),
        (docx(paragraph("Hello")), "docx"),
        (b"<!DOCTYPE html><title>Hello</title>", "html"),
        ('\ufeff<?xml version="1.0"?>\n<!-- Saved -->\n<html lang="en">'.encode(), "html"),
        ("<html><p>Grüße".encode("latin-1"), "html"),
        (b"# Hello\n\n<b>bold</b>", "text"),
        ("Grüße".encode(), "text"),
        (b"", "text"),
        ("Grüße".encode("latin-1"), None),
        (b"a\0b", None),
        (b"\x89PNG\r\n\x1a\n\xff", None),
        (b"PK\x03\x04 xl/workbook.xml", None),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", None),
    ],
)
def test_the_kind_is_told_by_the_content(content, kind):
    assert kind_of(content) == kind


def test_a_text_is_html_if_its_name_or_server_says_so():
    assert kind_of(b"<p>Hello", says_html=True) == "html"


@pytest.mark.parametrize("content", [pdf("Hello"), docx(paragraph("Hello")), b"\x89PNG\0"])
def test_nothing_else_becomes_html_by_what_is_said_of_it(content):
    assert kind_of(content, says_html=True) == kind_of(content)


def test_what_looks_like_html_for_long_is_told_at_once():
    assert kind_of(b"<!---->" * 100_000) == "text"
