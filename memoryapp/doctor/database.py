"""The database: whether it can be used, fits this version, and goes with the secret key."""

import time
from collections.abc import Iterator

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.text import capfirst

from memoryapp import database
from memoryapp.doctor import ready
from memoryapp.doctor.findings import Finding, ok, problem, warning
from memoryapp.models import User

SECONDS = 5  # for one answer
POOL = 20  # a web process takes so many connections at most (config/settings.py)
# Bus, writer and the look at readiness of the web; watchdog, heartbeat and guard of the worker.
BESIDE = 8
CONNECTIONS = """
    select least(
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
    )
"""
CLOCK = "select extract(epoch from clock_timestamp())::float8"
# A reply whose process gave no sign of life for three seconds may be taken for lost.
CLOCK_SECONDS = 2
SESSIONS = 20  # the newest, to tell by whether the key is theirs


def server() -> Iterator[Finding]:
    """Whether it answers and is new enough."""
    try:
        with database.usable() as usable:
            version = usable.info.server_version // 10000
    except database.DatabaseUnusable as error:
        yield problem(str(error))
        return
    with connection.cursor() as cursor:  # for all that follows: something else may hold a lock
        cursor.execute("select set_config('statement_timeout', %s, false)", [f"{SECONDS}s"])
    where = "that comes along" if settings.IS_POSTGRES_EMBEDDED else "of DATABASE_URL"
    yield ok(f"PostgreSQL {version}, the one {where}.")


def tables() -> Iterator[Finding]:
    """Whether they are those of this version."""
    loader = MigrationExecutor(connection).loader
    known = set(loader.disk_migrations)
    newer = [name for app, name in loader.applied_migrations if (app, name) not in known]
    if missing := ready.migrations():
        yield problem(f"{capfirst(missing)}, or start everything with `make run`, which does that.")
    elif newer:
        yield problem(
            f"A newer version has been here ({', '.join(sorted(newer))}): update the code, or"
            " restore a backup of this version."
        )
    else:
        yield ok("They are those of this version.")


def connections() -> Iterator[Finding]:
    """Whether one web process and one worker get as many as they may need."""
    needed = POOL + BESIDE + settings.WORKERS
    with connection.cursor() as cursor:
        cursor.execute(CONNECTIONS)
        [allowed] = cursor.fetchone()
    if allowed < needed:
        yield warning(
            f"The database allows {allowed}, and a web process with its worker may need {needed}:"
            " raise max_connections there, or the limit of its user."
        )
    else:
        yield ok(f"The database allows {allowed}, of which a web process may need {POOL}.")


def clock() -> Iterator[Finding]:
    """Whether this machine and the database agree on what time it is."""
    with connection.cursor() as cursor:
        before = time.time()
        cursor.execute(CLOCK)
        [there] = cursor.fetchone()
        here = (before + time.time()) / 2
    if abs(there - here) > CLOCK_SECONDS:
        yield problem(
            f"The database's is {abs(there - here):,.0f} s"
            f" {'ahead of' if there > here else 'behind'} this machine's, so replies that are still"
            " being written may be taken for lost: set both by NTP."
        )
    else:
        yield ok("This machine and the database agree.")


def secret_key() -> Iterator[Finding]:
    """Whether the key is the one that what is kept was signed with."""
    sessions = Session.objects.filter(expire_date__gt=timezone.now()).order_by("-expire_date")
    kept = sessions.values_list("session_data", flat=True)[:SESSIONS]
    if all(map(is_ours, kept)):
        yield ok("Who is signed in was signed in with it." if kept else "Nobody is signed in yet.")
    else:
        yield warning(
            "Some people were signed in with another one. They must sign in again, and what was"
            " forgotten could be learned again: unless that was meant, put the old key back, from"
            " a backup or as SECRET_KEY."
        )


def is_ours(session_data: str) -> bool:
    try:
        signing.TimestampSigner(salt=SessionStore().key_salt).unsign(session_data)
    except signing.BadSignature:
        return False
    return True


def administrator() -> Iterator[Finding]:
    """Whether somebody can sign in to the administration."""
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    if not any(user.has_usable_password() for user in administrators):
        yield problem(
            "No administrator can sign in: make one with `manage.py createsuperuser`, or give one"
            " a password with `manage.py changepassword`."
        )
    else:
        yield ok("Somebody can sign in to /admin/.")
