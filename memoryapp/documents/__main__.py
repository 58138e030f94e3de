"""The process that reads one document: a job as a line of JSON and the file's bytes come in, its
text or what the problem is goes out."""

import json
import logging
import os
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from memoryapp.documents import docx, html, pdf
from memoryapp.documents.document import TOO_DEMANDING, Document, Unreadable, of_text
from memoryapp.documents.fetching import fetch
from memoryapp.documents.kinds import Kind

LEAST_URGENT = 19


def limit(memory_bytes: int, seconds: int) -> None:
    """Take no more memory and time than that, write no file, and let all others go first."""
    signal.alarm(seconds)
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    os.nice(LEAST_URGENT)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory runs out all the same, this goes first


def read(job: dict[str, Any], content: bytes) -> Document:
    if "url" in job:
        page = fetch(**job)
        return READERS[page.kind](page.content)
    return READERS[Kind(job["kind"])](content)


def text(content: bytes) -> Document:
    return Document(of_text(content.decode("utf-8-sig")))


READERS = {Kind.PDF: pdf.read, Kind.DOCX: docx.read, Kind.HTML: html.read, Kind.TEXT: text}


def main() -> None:
    limit(*map(int, sys.argv[1:]))
    logging.disable()  # pypdf tells of each thing that it finds odd
    job, _, content = sys.stdin.buffer.read().partition(b"\n")
    try:
        told = asdict(read(json.loads(job), content))
    except Unreadable as problem:
        told = {"problem": str(problem)}
    except MemoryError:
        told = {"problem": TOO_DEMANDING}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
