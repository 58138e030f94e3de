from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from memoryapp import database as usable
from memoryapp.doctor import database
from memoryapp.models import User
from tests.pages import client_of

pytestmark = pytest.mark.django_db


def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_database_that_can_be_used_is_well(said):
    [(level, says)] = said(database.server)

    assert (level, says[:11]) == ("ok", "PostgreSQL ")


def test_one_that_is_too_old_is_a_problem(said, monkeypatch):
    monkeypatch.setattr(usable, "POSTGRES_MIN", 99)

    [(level, says)] = said(database.server)

    assert level == "problem"
    assert "which is too old: point DATABASE_URL to PostgreSQL 99 or newer." in says


def test_looking_at_a_database_installs_nothing_in_it(said, monkeypatch):
    name = f"{connection.settings_dict['NAME']}_bare"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'create database "{name}"')
    try:
        monkeypatch.setitem(connection.settings_dict, "NAME", name)
        assert [level for level, _ in said(database.server)] == ["ok"]
        with usable.usable() as bare:
            found = bare.execute("select 1 from pg_extension where extname = 'vector'").fetchone()
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'drop database "{name}"')

    assert found is None


def test_tables_of_this_version_are_well(said):
    assert said(database.tables) == [("ok", "They are those of this version.")]


def test_tables_that_lack_something_are_a_problem(said):
    newest = MigrationRecorder.Migration.objects.filter(app="memoryapp").latest("name")
    newest.delete()

    [(level, says)] = said(database.tables)

    assert level == "problem"
    assert says.startswith("1 migrations are missing: run `manage.py migrate`, or start everything")


def test_tables_of_a_newer_version_are_a_problem(said):
    MigrationRecorder.Migration.objects.create(app="memoryapp", name="9999_later")

    [(level, says)] = said(database.tables)

    assert level == "problem"
    assert says.startswith("A newer version has been here (9999_later): update the code")


def test_connections_are_enough_or_too_few(said, settings):
    assert [level for level, _ in said(database.connections)] == ["ok"]
    execute(f'alter database "{connection.settings_dict["NAME"]}" connection limit 12')

    [(level, says)] = said(database.connections)

    assert level == "warning"
    assert "The database allows 12, and a web process with its worker may need 30" in says


@pytest.mark.parametrize(("off", "how"), [("1 hour", "3,600 s ahead of"), ("-9 s", "9 s behind")])
def test_a_clock_that_is_off_is_a_problem(said, off, how):
    assert said(database.clock) == [("ok", "This machine and the database agree.")]
    execute("create schema off")
    execute(
        "create function off.clock_timestamp() returns timestamptz language sql as"
        f" $$ select pg_catalog.clock_timestamp() + interval '{off}' $$"
    )
    execute("set local search_path = off, pg_catalog, public")

    [(level, says)] = said(database.clock)

    assert level == "problem"
    assert says.startswith(f"The database's is {how} this machine's")


def test_a_secret_key_that_was_lost_is_told(said, ada, settings):
    assert said(database.secret_key) == [("ok", "Nobody is signed in yet.")]
    client_of(ada)
    assert said(database.secret_key) == [("ok", "Who is signed in was signed in with it.")]
    settings.SECRET_KEY = "another"

    [(level, says)] = said(database.secret_key)

    assert level == "warning"
    assert says.startswith("Some people were signed in with another one.")
    assert "put the old key back, from a backup or as SECRET_KEY" in says


def test_who_is_signed_out_by_now_tells_nothing(said, ada, settings):
    client_of(ada)
    Session.objects.update(expire_date=timezone.now() - timedelta(days=1))
    settings.SECRET_KEY = "another"

    assert said(database.secret_key) == [("ok", "Nobody is signed in yet.")]


@pytest.mark.parametrize(
    "lacks", [{"is_active": False}, {"is_superuser": False}, {"password": "!"}]
)
def test_an_administration_that_nobody_can_enter_is_a_problem(said, ada, lacks):
    User.objects.filter(pk=ada.pk).update(is_superuser=True)
    assert [level for level, _ in said(database.administrator)] == ["ok"]
    User.objects.filter(pk=ada.pk).update(**lacks)

    [(level, says)] = said(database.administrator)

    assert level == "problem"
    assert says.startswith(
        "No administrator can sign in: make one with `manage.py createsuperuser`"
    )
