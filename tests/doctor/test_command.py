"""The doctor as it is called, and where Django can hardly start."""

import io
import json
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp import embedded_postgres
from memoryapp.doctor import database
from memoryapp.doctor.examination import examine
from memoryapp.heartbeat import Heartbeat
from memoryapp.models import User
from tests.processes import database_url, free_port, inherited, manage, short_folder

BASE = Path(configured.BASE_DIR)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TIME_ZONE", "Europe/Viena", "TIME_ZONE='Europe/Viena' is not known: set it to a name"),
        ("SITE_URL", "http://[::1", "SITE_URL must be what stands in the browser"),
        ("PORT", "eight", "The setting PORT can't be read"),
        ("OIDC_ISSUER", "login.example.org", "OIDC_ISSUER must be the provider's address"),
        ("OIDC_CLIENT", "memoryapp:s3cret", "Single sign-on needs both OIDC_ISSUER and OIDC_CLI"),
        ("DATABASE_URL", "postgresql://a:s#cret@db/name", "DATABASE_URL must be postgresql://"),
        ("DATABASE_URL", "postgresql://a:s3cret@db:port/name", "DATABASE_URL must be postgresql:"),
        ("DATABASE_URL", "postgresql://a:s3cret@db", "DATABASE_URL must be postgresql://"),
        ("DATA_DIR", "/proc/nowhere", "The data folder /proc/nowhere can't be used"),
    ],
)
def test_a_setting_that_cannot_be_read_is_told_in_a_sentence(name, value, sentence):
    outcome = manage("doctor", **{name: value})

    [line] = outcome.stderr.splitlines()
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert line.startswith(sentence)
    assert "cret" not in line


def test_a_python_without_packages_is_told_where_they_are():
    command = [sys.executable, "-S", "manage.py", "doctor"]
    outcome = subprocess.run(command, cwd=BASE, capture_output=True, text=True, check=False)

    [line] = outcome.stderr.splitlines()
    assert outcome.returncode == 1
    assert line.endswith("run `.venv/bin/python manage.py`, which `make run` sets up.")


@pytest.fixture
def checkout(tmp_path):
    """The project in another folder, which may have a .env."""
    shutil.copytree(BASE / "config", tmp_path / "config")
    shutil.copy(BASE / "manage.py", tmp_path)
    for name in ("memoryapp", "templates", "static", "locale", "requirements.txt"):
        (tmp_path / name).symlink_to(BASE / name)
    return tmp_path


def examined(folder, **environment):
    command = [sys.executable, "manage.py", "doctor", "--no-models", "--no-color"]
    environment = inherited() | {"DATA_DIR": str(folder / "data")} | environment
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_what_is_wrong_with_the_file_of_settings_is_told_and_no_secret_of_it(checkout):
    lines = ["TALKER_MODLE=small", "OPENAI_API_KEY = sk-secret", "SECRET_KEY=s3cret", "SIGNUP=open"]
    (checkout / ".env").write_text("\n".join(lines))

    outcome = examined(checkout, SIGNUP="closed")

    told = map(split, outcome.stdout.splitlines()[:-1])
    settings = [says for _, part, says in told if part == "settings"]
    assert [says.split(" counts")[0] for says in settings] == [
        f"Line 2 of {checkout / '.env'}",
        "TALKER_MODLE isn't a setting, so it",
        f"SIGNUP in {checkout / '.env'}",
    ]
    assert "cret" not in outcome.stdout + outcome.stderr


def test_a_file_of_settings_in_another_encoding_is_told_in_a_sentence(checkout):
    (checkout / ".env").write_bytes("SECRET_KEY=schlüssel\n".encode("latin-1"))

    outcome = examined(checkout)

    [line] = outcome.stderr.splitlines()
    assert (
        line == f"{checkout / '.env'} isn't text in UTF-8, so it can't be read: save it as UTF-8."
    )


@contextmanager
def standing_still(process):
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def parts(outcome):
    lines = outcome.stdout.splitlines()[:-1]
    return {part: (level, says) for level, part, says in map(split, lines)}


def split(line):
    level, part, says = re.split(r" {2,}", line, maxsplit=2)
    return level, part, says


def test_a_database_that_is_away_is_the_last_that_is_looked_at(checkout):
    url = f"postgresql://ada:s3cret@127.0.0.1:{free_port()}/memoryapp"

    outcome = examined(checkout, DATABASE_URL=url)

    last, summary = outcome.stdout.splitlines()[-2:]
    level, part, says = split(last)
    assert (outcome.returncode, level, part) == (1, "problem", "database")
    assert says.startswith("The database of DATABASE_URL can't be reached: ")
    assert says.endswith("Connection refused Is the server running on that host and accepting "
                         "TCP/IP connections. Correct it, or start it.")  # fmt: skip
    assert summary.startswith("Problems: 1, warnings: ")
    assert "s3cret" not in outcome.stdout + outcome.stderr


def test_an_embedded_database_that_is_down_or_hangs_is_told_with_what_to_do(checkout):
    with short_folder() as folder:
        data_dir = folder / "postgres"
        embedded_postgres.start(data_dir, is_durable=False)
        server = embedded_postgres.postmaster(data_dir)
        with standing_still(server):
            hangs = parts(examined(checkout, DATABASE_URL="", DATA_DIR=str(folder)))["database"]
        embedded_postgres.stop(data_dir)
        is_down = parts(examined(checkout, DATABASE_URL="", DATA_DIR=str(folder)))["database"]

    assert hangs == ("problem", embedded_postgres.SILENT.format(data_dir))
    assert is_down == (
        "problem",
        "PostgreSQL isn't running: start it with `manage.py postgres start`, or everything with"
        " `make run`.",
    )


@pytest.mark.django_db
def test_a_product_that_works_has_no_problem_and_looking_changes_nothing():
    User.objects.create_superuser("ada", password="a-long-password")
    told = io.StringIO()
    with closing(Heartbeat()) as heartbeat, CaptureQueriesContext(connection) as queries:
        heartbeat.beat()
        call_command("doctor", "--no-models", "--json", stdout=told)

    found = json.loads(told.getvalue())
    assert [each for each in found if each["level"] == "problem"] == []
    assert {"settings", "database", "clock", "worker", "embedding"} <= {
        each["part"] for each in found
    }
    assert queries.captured_queries
    assert {query["sql"].split()[0].lower() for query in queries} == {"select"}


@pytest.mark.django_db
def test_a_check_that_breaks_hides_no_other(settings, tmp_path):
    settings.BASE_DIR = tmp_path  # where no requirements.txt is
    told = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--no-models", "--json", stdout=told)

    found = {each["part"]: each["says"] for each in json.loads(told.getvalue())}
    assert ended.value.code == 1
    assert found["packages"].startswith("It can't be looked at (FileNotFoundError)")
    assert found["worker"].startswith("None is alive")


@pytest.mark.django_db(transaction=True)
def test_a_database_where_something_holds_a_lock_is_told_and_the_rest_is_looked_at(monkeypatch):
    monkeypatch.setattr(database, "SECONDS", 0.2)
    with psycopg.connect(database_url()) as other:
        other.execute("lock table django_session in access exclusive mode")
        found = dict(examine(asks=False))
    with connection.cursor() as cursor:
        cursor.execute("reset statement_timeout")

    assert found["secret key"].says == (
        "The database doesn't tell (canceling statement due to statement timeout): look into its"
        " log, and what else it is busy with."
    )
    assert found["administrator"].says.startswith("No administrator can sign in")
