"""Documents as their programs write them, small enough to be read here."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
    b" /Resources << /Font << /F1 3 0 R >> >> >>"
)
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="word/document.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>"
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages):
    """A PDF whose pages have these lines."""
    objects = [CATALOG, b"", FONT]
    kids = []
    for page in pages:
        lines = b" ".join(b"(%s) Tj T*" % line.encode("cp1252") for line in page.split("\n"))
        text = b"BT /F1 11 Tf 14 TL 50 780 Td %s ET" % lines
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text))
        objects.append(PAGE % len(objects))
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    return _numbered(objects)


def _numbered(objects):
    written, starts = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        starts.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(objects) + 1
    return written + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, len(written))
    )


def encrypted(content, *, password):
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=BytesIO(content))
    writer.encrypt(user_password=password, owner_password="of the owner", algorithm="AES-256")
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


def docx(body, **more):
    """A DOCX whose document has this body, in Word's own XML; `more` are other files in it."""
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", document)
        for name, content in more.items():
            archive.writestr(f"word/media/{name}.png", content)
    return written.getvalue()


def paragraph(text, style=""):
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}<w:r><w:t>{text}</w:t></w:r></w:p>"
