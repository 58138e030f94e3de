"""All checks, in the order in which what is wrong with one explains what is wrong with others."""

from collections.abc import Iterator
from functools import partial

from django.db import Error

from memoryapp.doctor import address, database, models, sign_on, surroundings, work
from memoryapp.doctor.findings import Check, Finding, Level, problem

# With a problem in one of these, what needs the database isn't looked at.
BEFORE_THE_REST = ("database", "tables")


def parts(*, asks: bool) -> dict[str, Check]:
    """Each part that is looked at, by its name; with `asks` models are asked, which may cost."""
    return {
        "settings": surroundings.settings_read,
        "packages": surroundings.packages,
        "account": surroundings.account,
        "data folder": surroundings.data_folder,
        "web server": address.web,
        "site": address.site,
        "single sign-on": sign_on.provider,
        "bus": work.bus,
        "talker": partial(models.agent, "talker", asks=asks),
        "fallback": partial(models.fallback, asks=asks),
        "extractor": partial(models.agent, "extractor", asks=asks),
        "summarizer": partial(models.agent, "summarizer", asks=asks),
        "database": database.server,
        "tables": database.tables,
        "connections": database.connections,
        "clock": database.clock,
        "secret key": database.secret_key,
        "administrator": database.administrator,
        "worker": work.worker,
        "tasks": work.tasks,
        "embedding": partial(work.embedding, asks=asks),
    }


def examine(*, asks: bool) -> Iterator[tuple[str, Finding]]:
    """What is found of each part, as soon as it is."""
    for part, check in parts(asks=asks).items():
        is_well = True
        for finding in looked_at(check):
            is_well &= finding.level != Level.PROBLEM
            yield part, finding
        if part in BEFORE_THE_REST and not is_well:
            return


def looked_at(check: Check) -> Iterator[Finding]:
    try:
        yield from check()
    except Error as error:
        yield problem(
            f"The database doesn't tell ({str(error).splitlines()[0]}): look into its log, and"
            " what else it is busy with."
        )
    except Exception as error:  # noqa: BLE001 - what breaks one check must not hide the others
        yield problem(
            f"It can't be looked at ({type(error).__name__}): this is a flaw of memoryapp itself."
        )
