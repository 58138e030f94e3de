"""What it runs on: settings, packages, the account, the data folder and its disk."""

import os
import re
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

import environ
from django.conf import settings
from django.core.checks import Error, run_checks

from memoryapp import checks
from memoryapp.doctor.findings import Finding, ok, problem, warning

PINNED = re.compile(r"^([\w.-]+)(?:\[.*\])?==(\S+)", re.MULTILINE)
DEVELOPMENT = "# development"  # what follows this line of requirements.txt, nobody else needs
# PostgreSQL stops at once on a full disk, and its log and a vacuum need some room.
DISK_FULL, DISK_LOW = 100_000_000, 1_000_000_000


def settings_read() -> Iterator[Finding]:
    """Names that nobody reads, lines that don't count, values that can't work together."""
    found = run_checks(tags=[checks.TAG])
    for each in found:
        level = problem if isinstance(each, Error) else warning
        yield level(f"{each.msg} {each.hint}")
    path = settings.BASE_DIR / ".env"
    outdone = [name for name, value in in_file(path).items() if os.environ.get(name) != value]
    if outdone:
        yield warning(
            f"{', '.join(outdone)} in {path} counts for nothing: the environment has another"
            " value, which comes first. Unset it there, or take it out of the file."
        )
    if not found and not outdone:
        yield ok(f"From the environment{f' and {path}' if path.exists() else ''}.")


def in_file(path: Path) -> dict[str, str]:
    """The settings in a file, as they are read from it."""

    class File(environ.Env):
        ENVIRON: ClassVar[dict[str, str]] = {}

    File.read_env(path)
    return File.ENVIRON


def packages() -> Iterator[Finding]:
    """Whether what is installed is what requirements.txt says, as after an update it may not be."""
    wanted = (settings.BASE_DIR / "requirements.txt").read_text().partition(DEVELOPMENT)[0]
    pinned = PINNED.findall(wanted)
    others = [
        f"{name} {found} instead of {pin}"
        for name, pin in pinned
        if (found := installed(name)) != pin
    ]
    if others:
        yield warning(
            f"Installed is {', '.join(others)}: run `make run`, which installs what is needed, or"
            " `pip install --requirement requirements.txt`."
        )
    else:
        yield ok(f"All {len(pinned)} are installed as requirements.txt has them.")


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not at all"


def account() -> Iterator[Finding]:
    if os.geteuid() == 0:
        yield warning(
            "It runs as root, so a flaw in it would be a flaw in all of this machine: run it as an"
            " ordinary user who owns its data folder."
        )
    else:
        yield ok("An ordinary user.")


def data_folder() -> Iterator[Finding]:
    folder = settings.DATA_DIR
    if not os.access(folder, os.W_OK | os.X_OK):
        yield problem(
            f"{folder} can't be written by this account: run it as the folder's owner, or set"
            " DATA_DIR to a folder of your own."
        )
        return
    free = shutil.disk_usage(folder).free
    room = f"{free / 1e9:.1f} GB are free on the disk of {folder}"
    if free < DISK_FULL:
        yield problem(f"{room}, so nothing can be written soon: make room.")
    elif free < DISK_LOW:
        yield warning(f"{room}, which is little: make room before it is full.")
    else:
        yield ok(f"{room}.")
