import stat
import tarfile

import psycopg
import pytest
from django.db import connection, transaction

from memoryapp import embedded_postgres
from tests.factories import make_chat, make_fact
from tests.processes import database_url, is_alive, manage, running, short_folder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder():
    with short_folder() as folder:
        yield folder
        embedded_postgres.stop(folder / "home" / "postgres")


@pytest.fixture
def backup(folder, ada):
    """A backup of this test's database, in which Ada has said where she lives."""
    chat = make_chat(ada, "I live in Graz.", "Nice.")
    make_fact(ada, "city", "Graz", source_message=chat.archive.first())
    path = folder / "memoryapp.backup"
    done = manage("backup", str(path), DATABASE_URL=database_url(), SECRET_KEY="a" * 50)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def home(folder):
    """Another machine's data folder."""
    return folder / "home"


def restore(backup, home, **variables):
    return manage("restore", str(backup), "--yes", DATA_DIR=str(home), **variables)


def ask(home, query):
    """The first column of what the embedded database of `home` answers."""
    embedded_postgres.start(home / "postgres")
    with psycopg.connect(embedded_postgres.uri(home / "postgres")) as database:
        return [value for (value,) in database.execute(query)]


def do(home, statement):
    with psycopg.connect(embedded_postgres.uri(home / "postgres")) as database:
        database.execute(statement)


def test_a_backup_brings_everything_to_another_machine(backup, home):
    done = restore(backup, home)
    assert done.returncode == 0, done.stderr
    assert not embedded_postgres.is_running(home / "postgres")
    assert ask(home, "select username from memoryapp_user") == ["ada"]
    assert ask(home, "select value from memoryapp_fact") == ["Graz"]
    assert ask(home, "select body from memoryapp_message order by created_at") == [
        "I live in Graz.", "Nice."
    ]  # fmt: skip
    assert (home / "secret_key").read_text() == "a" * 50


def test_only_its_owner_may_read_a_backup(backup, folder):
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["memoryapp.backup"]


def test_what_came_after_a_backup_is_gone_once_it_is_restored(backup, home):
    restore(backup, home)
    key = home / "secret_key"
    key.write_text("b" * 50)
    embedded_postgres.start(home / "postgres")
    do(home, "create table of_a_newer_version as select 1 as one")
    do(home, "update memoryapp_user set username = 'eve'")
    embedded_postgres.stop(home / "postgres")
    assert restore(backup, home).returncode == 0
    assert ask(home, "select to_regclass('of_a_newer_version')::text") == [None]
    assert ask(home, "select nspname from pg_namespace where nspname like '%restore%'") == []
    assert ask(home, "select username from memoryapp_user") == ["ada"]
    assert (key.read_text(), (home / "secret_key.before").read_text()) == ("a" * 50, "b" * 50)


@pytest.mark.parametrize("part", [0.3, 0.7])
def test_a_damaged_backup_changes_nothing(backup, home, part):
    restore(backup, home)
    embedded_postgres.start(home / "postgres")
    do(home, "update memoryapp_user set username = 'eve'")
    with tarfile.open(backup) as archive:
        dump = archive.getmember("database.dump")
    content = bytearray(backup.read_bytes())
    at = dump.offset_data + int(dump.size * part)
    content[at : at + 2000] = b"\x55" * 2000
    backup.write_bytes(content)
    embedded_postgres.stop(home / "postgres")
    done = restore(backup, home)
    assert done.returncode != 0
    assert "Nothing was changed" in done.stderr
    assert ask(home, "select username from memoryapp_user") == ["eve"]
    assert ask(home, "select value from memoryapp_fact") == ["Graz"]


def test_a_file_that_is_no_backup_is_refused(folder, home):
    (folder / "notes").write_text("Nothing of the kind.")
    done = restore(folder / "notes", home)
    assert done.returncode != 0
    assert "is no backup, or a damaged one" in done.stderr


def test_nothing_is_restored_into_a_database_that_is_in_use(backup, ada):
    done = manage("restore", str(backup), "--yes", DATABASE_URL=database_url())
    assert done.returncode != 0
    assert "Stop the web server and the worker first." in done.stderr
    ada.refresh_from_db()
    assert ada.username == "ada"


def test_nothing_is_restored_unasked(backup, home):
    done = manage("restore", str(backup), DATA_DIR=str(home))
    assert done.returncode != 0
    assert "Nothing was changed." in done.stderr
    assert not (home / "postgres").exists()


def test_a_backup_that_is_stopped_leaves_nothing_behind(folder, ada):
    path = folder / "memoryapp.backup"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("lock table memoryapp_chat in access exclusive mode")  # as a vacuum does
        with running("manage.py", "backup", str(path), DATABASE_URL=database_url()) as backing_up:
            dump = backing_up.child("pg_dump")
            backing_up.process.terminate()
            assert backing_up.process.wait(20) != 0
            assert "Nothing was written" in backing_up.printed
            assert not is_alive(dump)
    assert list(folder.iterdir()) == []


def test_a_file_that_exists_is_not_overwritten(backup):
    before = backup.read_bytes()
    done = manage("backup", str(backup), DATABASE_URL=database_url())
    assert done.returncode != 0
    assert "exists already" in done.stderr
    assert backup.read_bytes() == before


def test_a_key_that_is_set_from_outside_is_to_be_set_there(backup, home):
    done = restore(backup, home, SECRET_KEY="c" * 50)
    assert done.returncode == 0
    assert "Set SECRET_KEY to the backup's" in done.stdout
