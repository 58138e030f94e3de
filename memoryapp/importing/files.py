"""From an uploaded file to the records in it, one at a time, however large it is."""

import codecs
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import SEEK_END
from itertools import accumulate
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Any

import ijson
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

# Where in a file records may stand, and what they are: in a list of chats, as most programs export
# them, or under a name. Each name is looked for from the beginning, which takes less than keeping
# all of a large file in memory.
LISTED = {"item": "chat"}
NAMED = {
    "chats.item": "chat",
    "conversations.item": "chat",
    "facts.item": "fact",
    "prompts.item": "prompt",
}
SINGLE_MAX_BYTES = 20_000_000  # of a file that is one chat, which is read at once
UNPACKED_PER_BYTE = 50  # JSON shrinks to a tenth or so; what shrinks to less is made to do harm
CHUNK = 1 << 16
DEEPEST = 100  # ijson keeps the whole path of each level: 100,000 of them took 22 GB
DEEPER_BY = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
NO_BRACKETS = bytes(set(range(256)) - DEEPER_BY.keys())
NO_EXPORT = gettext_noop(
    "This is neither a JSON file nor a ZIP of such files. Choose the export itself."
)
# A kind of packing that Python lacks, or a password that it needs, is a RuntimeError.
DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError)


@dataclass(frozen=True)
class Record:
    """One thing in a file, as it is written there."""

    what: str  # "chat", "fact" or "prompt"
    data: Any
    file: str  # its name


class Unreadable(ValidationError):
    """A file, or what is left of it, can't be read."""


def check_size(size: int) -> None:
    """Raise ValidationError if a file has more bytes than are taken in."""
    if size > settings.IMPORT_MAX_BYTES:
        most = number_format(settings.IMPORT_MAX_BYTES, force_grouping=True)
        too_large = _("The file is too large: %(most)s bytes are the most. Pack it as ZIP.")
        raise ValidationError(too_large % {"most": most})


def records(file: IO[bytes], name: str) -> Iterator[Record]:
    """What is in a JSON file of this name, or in a ZIP of such files.

    Raises Unreadable when the file is neither, and where it breaks off.
    """
    file.seek(0)
    if not zipfile.is_zipfile(file):
        yield from _in_json(file, name)
        return
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if _is_json(member.filename):
                    with _unpacked(archive, member) as unpacked:
                        yield from _in_json(unpacked, PurePosixPath(member.filename).name)
    except DAMAGED as error:
        raise Unreadable(_("The ZIP file is damaged or locked. Download it once more.")) from error


def _is_json(name: str) -> bool:
    """Whether a file in a ZIP is JSON, and none of those in which macOS keeps notes of others."""
    path = PurePosixPath(name)
    return path.suffix.lower() == ".json" and not path.name.startswith(".")


@contextmanager
def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    room = max(member.compress_size, CHUNK) * UNPACKED_PER_BYTE
    with archive.open(member) as packed, TemporaryFile() as unpacked:
        while piece := packed.read(CHUNK):
            room -= len(piece)
            if room < 0:
                raise Unreadable(_("What is packed in the ZIP file is far too large."))
            unpacked.write(piece)
        yield unpacked


def _depth(file: IO[bytes]) -> int:
    """How deep arrays and objects stand in each other."""
    deepest, depth, is_text, rest = 0, 0, False, b""
    file.seek(0)
    while chunk := file.read(CHUNK):
        piece = (rest + chunk).replace(rb"\\", b"")
        rest = b"\\" if piece.endswith(b"\\") else b""  # what it escapes is still to come
        parts = piece.replace(rb"\"", b"").split(b'"')
        brackets = b"".join(parts[is_text::2]).translate(None, NO_BRACKETS)
        depths = [*accumulate(map(DEEPER_BY.__getitem__, brackets), initial=depth)]
        deepest, depth = max(deepest, *depths), depths[-1]
        is_text ^= len(parts) % 2 == 0
    return deepest


def _in_json(file: IO[bytes], name: str) -> Iterator[Record]:
    if _depth(file) > DEEPEST:
        raise Unreadable(_(NO_EXPORT))
    start, places = _layout(file)
    has_found = False
    try:
        for place, what in places.items():
            file.seek(start)
            for record in ijson.items(file, place, use_float=True):
                has_found = True
                yield Record(what, record, name)
        size = file.seek(0, SEEK_END)
        if not has_found and places is NAMED and size <= SINGLE_MAX_BYTES:
            file.seek(start)
            for record in ijson.items(file, "", use_float=True):
                yield Record("chat", record, name)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        raise Unreadable(
            _("The file breaks off in the middle. Download it once more.")
            if has_found
            else _(NO_EXPORT)
        ) from error


def _layout(file: IO[bytes]) -> tuple[int, dict[str, str]]:
    """Where the JSON begins, and the places to look at."""
    file.seek(0)
    beginning = file.read(CHUNK)
    start = len(codecs.BOM_UTF8) if beginning.startswith(codecs.BOM_UTF8) else 0
    return start, LISTED if beginning[start:].lstrip().startswith(b"[") else NAMED
