"""Has a document read by a process of its own, which gets only so much time and memory.

What a file or a server does to its reader ends there: no bomb fills the worker's memory, and none
keeps it longer than this.
"""

import json
import logging
import subprocess
import sys
from typing import Any

from django.conf import settings

from memoryapp.documents.document import (
    BROKEN,
    TOO_DEMANDING,
    TOO_SLOW,
    Document,
    Unreadable,
)
from memoryapp.documents.kinds import Kind

logger = logging.getLogger(__name__)

SECONDS = 60
QUICK_SECONDS = 5  # after which a document makes room for those that take no longer
ORPHANED_SECONDS = 10  # longer, and it ends by itself: the worker that should end it was killed
MEMORY_BYTES = 500_000_000  # a DOCX of 2.4 million characters takes 180 MB
READER = [sys.executable, "-W", "ignore", "-m", "memoryapp.documents"]


class TakesLong(Exception):
    """It would take longer than was asked for, and may still be read."""


def read_file(kind: Kind, content: bytes, *, is_quick: bool = False) -> Document:
    """A file as text. Raises Unreadable; with `is_quick` TakesLong after QUICK_SECONDS."""
    return _told({"kind": kind}, content, is_quick=is_quick)


def read_page(url: str, *, is_quick: bool = False) -> Document:
    """What is at this address as text. Raises as `read_file` does."""
    private_too, max_bytes = settings.RESOURCE_PRIVATE_URLS, settings.RESOURCE_MAX_BYTES
    job = {"url": url, "private_too": private_too, "max_bytes": max_bytes}
    return _told(job, is_quick=is_quick)


def _told(job: dict[str, Any], content: bytes = b"", *, is_quick: bool) -> Document:
    try:
        reader = subprocess.run(
            [*READER, str(MEMORY_BYTES), str(SECONDS + ORPHANED_SECONDS)],
            input=json.dumps(job).encode() + b"\n" + content,
            capture_output=True,
            timeout=QUICK_SECONDS if is_quick else SECONDS,
            cwd=settings.BASE_DIR,
            env={},  # keys and passwords are none of its business
        )
    except subprocess.TimeoutExpired as error:
        if is_quick:
            raise TakesLong from error
        raise Unreadable(TOO_SLOW.format(SECONDS)) from error
    if reader.returncode:
        # A negative one: the kernel ended it, which takes the largest when memory runs out.
        # Only the name of an error: behind it may stand what it was about.
        name = reader.stderr.decode(errors="replace").strip().rpartition("\n")[2].partition(":")[0]
        logger.warning("A document couldn't be read: %s %s", reader.returncode, name[:100])
        raise Unreadable(TOO_DEMANDING if reader.returncode < 0 else BROKEN)
    told = json.loads(reader.stdout)
    if "problem" in told:
        raise Unreadable(told["problem"])
    return Document(**told)
