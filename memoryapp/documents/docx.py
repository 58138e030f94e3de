"""A DOCX as Markdown, by way of the HTML that mammoth makes of it."""

from io import BytesIO
from zipfile import BadZipFile, ZipFile

import mammoth
from justhtml import JustHTML

from memoryapp.documents.document import BROKEN, TOO_DEMANDING, Document, Unreadable, of_text
from memoryapp.documents.markdown import markdown

UNPACKED_MAX_BYTES = 60_000_000  # of XML; pictures are left where they are


def read(content: bytes) -> Document:
    """Raises Unreadable."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            # No more than it claims is unpacked of any file.
            sizes = [each.file_size for each in archive.infolist() if is_xml(each.filename)]
            if sum(sizes) > UNPACKED_MAX_BYTES:
                raise Unreadable(TOO_DEMANDING)
        html = mammoth.convert_to_html(
            BytesIO(content),
            convert_image=mammoth.images.img_element(lambda image: {}),
            include_embedded_style_map=False,
            external_file_access=False,
        ).value
    except BadZipFile as error:
        raise Unreadable(BROKEN) from error
    return Document(of_text(markdown(JustHTML(html, sanitize=False).root)))


def is_xml(name: str) -> bool:
    return name.endswith((".xml", ".rels"))
