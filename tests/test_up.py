import os
import re
import signal
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from memoryapp import database, embedded_postgres, probe
from memoryapp.database import DatabaseUnusable
from memoryapp.management.commands.up import _embedding_model
from memoryapp.memory.embedder import SOCKET
from tests.processes import free_port, is_alive, manage, running, short_folder, wait_until

READY = "Ready to chat: http://localhost:"
MODEL = "memoryapp.memory.minilm"  # on the command line of the process that has it


@contextmanager
def up(data_dir, *arguments, **environment):
    """Everything, as a person starts it: with nothing of what the suite sets for itself."""
    port = free_port()
    environment = {"DATABASE_URL": "", "DATA_DIR": str(data_dir), "PORT": str(port), **environment}
    with running("manage.py", "up", *arguments, **environment) as command:
        command.port = port
        yield command


@pytest.fixture(scope="module")
def data_dir():
    with short_folder() as folder:
        yield folder
        embedded_postgres.stop(folder / "postgres")


@pytest.fixture(scope="module")
def everything(data_dir):
    with up(data_dir) as command:
        command.wait_for(READY)
        yield command


def page(command, path="/"):
    with urllib.request.urlopen(f"http://127.0.0.1:{command.port}{path}", timeout=10) as answer:
        return answer.read().decode()


def is_ready(command):
    return probe.answers("127.0.0.1", command.port, "/readyz")


def holding_the_model(command):
    return [
        child
        for child in command.children()
        if any("onnxruntime" in each.path for each in child.memory_maps())
    ]


def refused(data_dir, **environment):
    """What `up` says when it can't start, which is all that may come of it."""
    port = str(free_port())
    environment = {"DATABASE_URL": "", "DATA_DIR": str(data_dir), "PORT": port, **environment}
    outcome = manage("up", **environment)
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    assert not embedded_postgres.is_running(data_dir / "postgres")
    assert "Traceback" not in outcome.stderr
    return outcome.stderr.splitlines()


def test_the_first_start_makes_an_administrator_and_the_second_finds_them():
    with short_folder() as data_dir:
        with up(data_dir) as first:
            first.wait_for(READY)
            [password] = re.findall(r"Password: (\S+)", first.printed)
            assert 'type="password"' in page(first)
            socket = Path(first.child(MODEL).cmdline()[-1])
            seconds, survivors = first.stop()

        assert len(password) >= 16
        assert (seconds < 10, survivors, first.process.returncode) == (True, [], 0)
        assert not socket.parent.exists()
        assert not embedded_postgres.is_running(data_dir / "postgres")
        with up(data_dir) as second:
            second.wait_for(READY)
            assert "Password" not in second.printed
            uri = embedded_postgres.uri(data_dir / "postgres")
            with psycopg.connect(uri) as connection:
                users = connection.execute("select username from memoryapp_user").fetchall()
        assert users == [("admin",)]


def test_it_says_when_each_part_is_ready_and_not_before(everything):
    everything.wait_for("Background work has begun")

    assert everything.members("idle")
    assert "Background work" not in everything.printed.partition(READY)[0]
    assert is_ready(everything)


def test_numbers_are_told_to_programs_on_this_machine(everything):
    wait_until(lambda: "memoryapp_workers 1\n" in page(everything, "/metrics"))

    assert "memoryapp_web_processes 1\n" in page(everything, "/metrics")


def test_the_doctor_finds_no_problem_in_what_has_just_been_started(everything, data_dir):
    wait_until(lambda: is_ready(everything))
    environment = {"DATABASE_URL": "", "DATA_DIR": str(data_dir), "PORT": str(everything.port)}

    outcome = manage("doctor", "--no-models", **environment)

    assert outcome.returncode == 0, outcome.stdout
    assert f"sockets come through at http://localhost:{everything.port}." in outcome.stdout


def test_each_event_is_one_line_with_its_time(everything):
    wait_until(lambda: is_ready(everything))

    for line in everything.printed.splitlines():
        assert re.match(r"\d\d:\d\d:\d\d  [A-Z]", line)


def test_killed_web_server_is_started_again(everything):
    everything.child("uvicorn").kill()

    everything.wait_for("The web server was ended by SIGKILL; starting it again in 1 s")
    everything.wait_for("The web server has been started again")
    wait_until(lambda: is_ready(everything))


def test_killed_worker_is_started_again(everything):
    everything.forget_printed()
    everything.child("qcluster").kill()

    everything.wait_for("The background cluster was ended by SIGKILL; starting it again in 1 s")
    everything.wait_for("The background cluster has been started again")
    everything.wait_for("Background work has begun")
    wait_until(lambda: is_ready(everything))


def test_web_and_worker_ask_one_process_for_vectors(everything):
    wait_until(lambda: everything.members("idle") and is_ready(everything))

    assert holding_the_model(everything) == [everything.child(MODEL)]


def test_several_web_processes_ask_it_too():
    with short_folder() as data_dir, up(data_dir, "--workers=2") as command:
        wait_until(lambda: is_ready(command))

        assert holding_the_model(command) == [command.child(MODEL)]


def test_the_embedding_models_socket_has_a_short_path_and_is_its_owners_alone(everything):
    socket = Path(everything.child(MODEL).cmdline()[-1])

    assert len(str(socket)) < embedded_postgres.SOCKET_PATH_MAX
    folder = socket.parent.stat()
    assert (folder.st_mode & 0o777, folder.st_uid) == (0o700, os.geteuid())


def test_killed_embedding_model_is_started_again(everything):
    everything.forget_printed()
    everything.child(MODEL).kill()

    everything.wait_for("The embedding model was ended by SIGKILL; starting it again in 1 s")
    everything.wait_for("The embedding model has been started again")
    wait_until(lambda: is_ready(everything))


def test_no_process_has_the_model_that_comes_along_when_another_is_set(settings, tmp_path):
    settings.EMBEDDING_MODEL = "ollama:nomic-embed-text"

    assert _embedding_model(tmp_path / "embedder") == []
    assert SOCKET not in os.environ


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_postgres_that_ends_or_is_asked_to_is_started_again(everything, data_dir, how):
    everything.forget_printed()
    embedded_postgres.postmaster(data_dir / "postgres").send_signal(how)

    everything.wait_for("PostgreSQL has been started again")
    wait_until(lambda: is_ready(everything))


def test_postgres_that_cannot_be_started_is_tried_again(everything, data_dir):
    everything.forget_printed()
    control = data_dir / "postgres" / "global" / "pg_control"
    away = control.rename(control.with_suffix(".away"))
    embedded_postgres.postmaster(data_dir / "postgres").kill()
    everything.wait_for("Trying again in 5 s")
    away.rename(control)

    everything.wait_for("PostgreSQL has been started again")
    wait_until(lambda: is_ready(everything))


def test_second_start_with_the_same_data_is_refused(everything, data_dir):
    outcome = manage("up", DATABASE_URL="", DATA_DIR=str(data_dir), PORT=str(free_port()))

    assert outcome.returncode == 1
    assert f"It runs already with the data in {data_dir}" in outcome.stderr
    assert is_ready(everything)


def test_port_in_use_is_named(everything, tmp_path):
    [line] = refused(tmp_path, PORT=str(everything.port))

    assert line.startswith(f"CommandError: Port {everything.port} of 127.0.0.1 can't be used")
    assert f"PORT={everything.port + 1} make run" in line


def test_killed_parent_takes_web_and_worker_with_it():
    with short_folder() as data_dir, up(data_dir) as command:
        command.wait_for(READY)
        left = [child for child in command.children() if "postgres" not in child.name()]

        command.process.kill()

        wait_until(lambda: not any(is_alive(process) for process in left))
        embedded_postgres.stop(data_dir / "postgres")


def test_port_of_the_command_line_wins():
    port = free_port()
    with short_folder() as data_dir, up(data_dir, "--no-worker", f"--port={port}") as command:
        command.wait_for(f"{READY}{port}")

        assert probe.answers("127.0.0.1", port)
        assert not probe.answers("127.0.0.1", command.port)


def test_data_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()

    [line] = refused(tmp_path, DATA_DIR=str(tmp_path / "file"))

    assert f"The data folder {tmp_path / 'file'} can't be used" in line
    assert "set DATA_DIR" in line


@pytest.mark.parametrize(
    ("setting", "value"), [("PORT", "abc"), ("DATABASE_URL", "mysql://here/memoryapp")]
)
def test_setting_that_cannot_be_read_is_named(tmp_path, setting, value):
    [line] = refused(tmp_path, **{setting: value})

    assert setting in line


def test_site_url_without_a_scheme_is_refused(tmp_path):
    assert "SITE_URL is 'chat.example.org'" in "\n".join(
        refused(tmp_path, SITE_URL="chat.example.org")
    )


def test_database_that_cannot_be_reached_is_named(tmp_path):
    url = f"postgresql://somebody@127.0.0.1:{free_port()}/memoryapp"

    lines = refused(tmp_path, DATABASE_URL=url)

    assert "The database of DATABASE_URL can't be reached" in lines[-1]


def test_database_without_pgvector_is_refused(tmp_path):
    with short_folder() as folder:
        embedded_postgres.start(folder / "postgres", is_durable=False)
        url = embedded_postgres.uri(folder / "postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("alter system set extension_control_path = '/nowhere'")
            connection.execute("select pg_reload_conf()")

        lines = refused(tmp_path, DATABASE_URL=url)

        embedded_postgres.stop(folder / "postgres")
    assert "The database has no pgvector, which memory needs: install" in lines[-1]


@pytest.mark.django_db(transaction=True)
def test_database_that_is_too_old_is_refused(monkeypatch):
    monkeypatch.setattr(database, "POSTGRES_MIN", 99)

    with pytest.raises(DatabaseUnusable, match="which is too old: point DATABASE_URL to"):
        database.check()
