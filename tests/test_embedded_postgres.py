import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from memoryapp import embedded_postgres
from memoryapp.embedded_postgres import PostgresError
from tests.processes import manage, short_folder


@pytest.fixture
def data_dir():
    with short_folder() as folder:
        yield folder / "postgres"
        for path in folder.rglob("postmaster.pid"):
            embedded_postgres.stop(path.parent)


def start(data_dir):
    return embedded_postgres.start(data_dir, is_durable=False)


def connect(data_dir):
    return psycopg.connect(embedded_postgres.uri(data_dir), autocommit=True)


def write_pid(data_dir, pid):
    lines = [pid, data_dir, 1, 5432, data_dir, "", "0 0", "ready"]
    (data_dir / "postmaster.pid").write_text("\n".join(map(str, lines)))


def test_start_makes_a_server_that_holds_vectors(data_dir):
    assert start(data_dir)

    with connect(data_dir) as connection:
        connection.execute("create extension vector")
        row = connection.execute("select '[3,4]'::vector <-> '[0,0]'").fetchone()
    assert row == (5.0,)


def test_the_server_never_runs_as_root(data_dir):
    start(data_dir)

    assert embedded_postgres.postmaster(data_dir).uids().effective != 0


def test_only_its_owner_reaches_the_server(data_dir):
    start(data_dir)

    assert data_dir.stat().st_mode & 0o077 == 0
    with connect(data_dir) as connection:
        assert connection.execute("show listen_addresses").fetchone() == ("",)


def test_letters_beyond_ascii_are_folded_on_every_machine(data_dir):
    start(data_dir)

    with connect(data_dir) as connection:
        assert connection.execute("select lower('ÄŠ')").fetchone() == ("äš",)


def test_a_second_start_finds_the_running_server(data_dir):
    start(data_dir)
    first = embedded_postgres.postmaster(data_dir)

    assert not start(data_dir)
    assert embedded_postgres.postmaster(data_dir) == first


def test_processes_that_start_at_once_share_one_server(data_dir):
    code = f"""
import pathlib, memoryapp.embedded_postgres as postgres
print(postgres.start(pathlib.Path({str(data_dir)!r}), is_durable=False))
"""

    def start_elsewhere(_):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout

    with ThreadPoolExecutor() as pool:
        assert sorted(pool.map(start_elsewhere, range(3))) == ["False\n", "False\n", "True\n"]


def test_a_stopped_server_keeps_what_was_written(data_dir):
    start(data_dir)
    with connect(data_dir) as connection:
        connection.execute("create table kept as select 1 as one")

    assert embedded_postgres.stop(data_dir)
    assert not embedded_postgres.is_running(data_dir)
    start(data_dir)
    with connect(data_dir) as connection:
        assert connection.execute("select one from kept").fetchone() == (1,)


def test_a_killed_server_is_started_again_with_what_was_written(data_dir):
    embedded_postgres.start(data_dir)
    with connect(data_dir) as connection:
        connection.execute("create table kept as select 1 as one")
    embedded_postgres.postmaster(data_dir).kill()

    assert start(data_dir)
    with connect(data_dir) as connection:
        assert connection.execute("select one from kept").fetchone() == (1,)


def test_the_number_of_another_process_is_not_taken_for_the_server(data_dir):
    start(data_dir)
    embedded_postgres.stop(data_dir)
    write_pid(data_dir, os.getpid())

    assert not embedded_postgres.is_running(data_dir)
    assert not embedded_postgres.stop(data_dir)
    assert start(data_dir)


def test_the_number_of_a_zombie_is_not_taken_for_the_server(data_dir):
    start(data_dir)
    embedded_postgres.stop(data_dir)
    with subprocess.Popen(["true", str(data_dir)]) as ended:
        time.sleep(0.2)
        write_pid(data_dir, ended.pid)

        assert start(data_dir)


@pytest.mark.parametrize("name", ["d" * 120, "two words", "quote's, and comma"])
def test_any_path_will_do(data_dir, name):
    data_dir = data_dir.parent / name / "postgres"

    assert start(data_dir)
    with connect(data_dir) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_path_that_a_shell_would_read_is_refused(data_dir):
    with pytest.raises(PostgresError, match="may not hold"):
        start(data_dir.parent / "$HOME" / "postgres")


def test_a_first_start_that_was_cut_short_is_begun_anew(data_dir):
    unfinished = data_dir.with_name("postgres.unfinished")
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18")

    assert start(data_dir)
    assert not unfinished.exists()


def test_a_folder_with_something_else_in_it_is_left_alone(data_dir):
    data_dir.mkdir()
    (data_dir / "novel.txt").write_text("Once upon a time")

    with pytest.raises(PostgresError, match="something other than PostgreSQL's data"):
        start(data_dir)
    assert [path.name for path in data_dir.iterdir()] == ["novel.txt"]


def test_a_folder_that_cannot_be_written_is_named(data_dir):
    data_dir.parent.joinpath("file").touch()

    with pytest.raises(PostgresError, match="can't be written .*set DATA_DIR"):
        start(data_dir.parent / "file" / "postgres")


def test_a_server_that_does_not_start_says_why(data_dir):
    start(data_dir)
    embedded_postgres.stop(data_dir)
    (data_dir / "PG_VERSION").write_text("9\n")

    with pytest.raises(PostgresError, match="initialized by PostgreSQL version 9"):
        start(data_dir)


@pytest.mark.parametrize(("is_durable", "fsync"), [(True, "on"), (False, "off")])
def test_only_a_durable_server_forces_its_data_to_disk(data_dir, is_durable, fsync):
    embedded_postgres.start(data_dir, is_durable=is_durable)

    with connect(data_dir) as connection:
        assert connection.execute("show fsync").fetchone() == (fsync,)


def test_the_command_starts_stops_and_tells(data_dir):
    environment = {"DATA_DIR": str(data_dir.parent), "DATABASE_URL": ""}

    outcomes = [
        manage("postgres", action, **environment)
        for action in ("status", "start", "start", "status", "stop", "stop")
    ]

    assert [outcome.returncode for outcome in outcomes] == [3, 0, 0, 0, 0, 0]
    said = [outcome.stdout.split(" ")[0].strip() for outcome in outcomes]
    assert said == ["", "Started", "It", "PostgreSQL", "Stopped.", "It"]
    assert outcomes[0].stderr == "CommandError: PostgreSQL isn't running.\n"
    assert "Warning" not in outcomes[1].stderr


def test_the_command_leaves_another_database_alone(data_dir):
    outcome = manage("postgres", "start", DATABASE_URL="postgresql://nowhere/memoryapp")

    assert outcome.returncode == 1
    assert "DATABASE_URL is set" in outcome.stderr


def test_a_command_without_a_server_says_how_to_start_it(data_dir):
    outcome = manage("migrate", DATA_DIR=str(data_dir.parent), DATABASE_URL="")

    assert outcome.returncode == 1
    assert outcome.stderr.startswith("PostgreSQL isn't running: start it with")
    assert len(outcome.stderr.splitlines()) == 1
