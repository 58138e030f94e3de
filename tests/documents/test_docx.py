import pytest

from memoryapp.documents import document, docx
from memoryapp.documents.document import Unreadable
from tests.documents import making
from tests.documents.making import paragraph


def test_headings_paragraphs_and_tables_are_read():
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Pump", "Spring"))
    body = paragraph("Handbook", "Heading1") + paragraph("Drain first.")
    body += f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    assert docx.read(making.docx(body)).text == (
        "# Handbook\n\nDrain first.\n\n| Pump | Spring |\n| --- | --- |"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (making.docx(""), document.NO_TEXT),
        (making.docx(paragraph("Cut off"))[:-40], document.BROKEN),
        (making.docx(paragraph("x" * 60_000_000)), document.TOO_DEMANDING),
    ],
)
def test_what_cannot_be_read_says_why(content, sentence):
    with pytest.raises(Unreadable, match=sentence):
        docx.read(content)


def test_pictures_are_left_where_they_are():
    content = making.docx(paragraph("A picture"), pump=bytes(100_000_000))
    assert docx.read(content).text == "A picture"


def test_markup_in_a_text_stays_a_text():
    text = "&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt;"
    assert docx.read(making.docx(paragraph(text))).text == "<script>alert(1)</script> &lt;"
