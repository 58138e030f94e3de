import pytest
from django.core.management import call_command
from django.db import connection

from tests.factories import make_fact


def file_of(table):
    with connection.cursor() as cursor:
        cursor.execute("select pg_relation_filepath(%s)", [table])
        return cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "table", ["memoryapp_fact", "memoryapp_message", "memoryapp_messagepart", "memoryapp_factspare"]
)
def test_vacuum_rewrites_every_table_that_tells_of_peoples_words(ada, table):
    fact = make_fact(ada, "city", "Graz")
    before = file_of(table)
    call_command("vacuum")
    assert file_of(table) != before
    fact.refresh_from_db()
