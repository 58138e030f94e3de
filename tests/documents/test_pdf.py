import pytest

from memoryapp.documents import document, pdf
from memoryapp.documents.document import Unreadable, pages_of
from tests.documents import making


def damaged(content):
    """The same with a first page whose text is packed in a way that doesn't exist."""
    return content.replace(b"<< /Length", b"<< /Filter /None /Length", 1)


def test_each_page_has_its_number_and_blank_ones_count():
    read = pdf.read(making.pdf("First", "", "Third"))
    assert [(page, text.strip()) for page, text in pages_of(read.text)] == [
        (1, "First"),
        (3, "Third"),
    ]


def test_even_a_single_page_has_a_number():
    assert pages_of(pdf.read(making.pdf("Only")).text) == [(1, "Only\n")]


def test_words_that_are_parted_at_the_end_of_a_line_are_whole_again():
    read = pdf.read(making.pdf("The mainte-\nnance of in-\nand outlets of the X-\nRay"))
    assert read.text == "The maintenance of in-\nand outlets of the X-\nRay\n\f"


def test_a_pdf_that_opens_without_a_password_is_read():
    content = making.encrypted(making.pdf("Not to be printed"), password="")
    assert "Not to be printed" in pdf.read(content).text


def test_a_damaged_page_is_left_out_and_keeps_its_number():
    read = pdf.read(damaged(making.pdf("Damaged", "Whole")))
    assert pages_of(read.text) == [(2, "Whole\n")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (making.encrypted(making.pdf("Secret"), password="1234"), document.ENCRYPTED),
        (making.pdf("", ""), document.SCANNED),
        (damaged(making.pdf("Hello")), document.BROKEN),
    ],
)
def test_what_has_no_text_for_us_says_why(content, sentence):
    with pytest.raises(Unreadable, match=sentence):
        pdf.read(content)


def test_what_is_too_long_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(document, "TEXT_MAX_CHARS", 100)
    with pytest.raises(Unreadable, match="too long"):
        pdf.read(making.pdf(*["The pump is checked each spring."] * 1000))


def test_what_a_database_cannot_hold_is_dropped_and_nothing_beside_it():
    assert document.storable("a\0b\ud800c \ud83d\ude00 \x1b[0m\tend\n") == "abc 😀 [0m\tend\n"
    assert document.storable("😀 ok") == "😀 ok"


def test_a_text_with_form_feeds_has_pages_and_one_without_has_none():
    assert pages_of("one\ftwo\f") == [(1, "one"), (2, "two")]
    assert pages_of("one\ftwo") == [(1, "one"), (2, "two")]
    assert pages_of("one") == [(None, "one")]
