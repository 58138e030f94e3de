import pytest
from django.core.management import call_command
from django.db import connection

from tests.factories import make_fact


def file_of(table):
    with connection.cursor() as cursor:
        cursor.execute("select pg_relation_filepath(%s)", [table])
        return cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_vacuum_rewrites_the_tables_with_peoples_words(ada, capsys):
    fact = make_fact(ada, "city", "Graz")
    before = file_of("memoryapp_fact")
    call_command("vacuum")
    assert file_of("memoryapp_fact") != before
    assert "memoryapp_message" in capsys.readouterr().out
    fact.refresh_from_db()
