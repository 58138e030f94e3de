"""A document that takes long to be read holds up no other."""

import threading

import pytest
from django.db import connection
from django_q.models import OrmQ

from memoryapp import locks, tasks
from memoryapp.documents import reading
from memoryapp.documents.document import TOO_SLOW
from memoryapp.memory import resources
from memoryapp.models import ResourceFile
from tests.documents.making import docx, paragraph
from tests.documents.test_reading import BOMB

pytestmark = pytest.mark.django_db(transaction=True)


def added(user, content):
    resource = resources.add(user=user, name="Pump", body=content, file_name="pump.docx")
    OrmQ.objects.all().delete()
    return resource


def done_next():
    """Do the one task that is queued; its name."""
    [row] = OrmQ.objects.all()
    row.delete()
    row.task["func"](*row.args())
    return row.func().rpartition(".")[2]


@pytest.fixture
def slow(ada, monkeypatch):
    """A document that could not be read quickly, though it can be read."""
    resource = added(ada, docx(paragraph("The pump is checked each spring.")))
    with monkeypatch.context() as patch:
        patch.setattr(reading, "QUICK_SECONDS", 0.01)
        tasks.read_resource(str(resource.pk))
    return resource


def test_it_is_read_later(slow):
    slow.refresh_from_db()
    assert (slow.status, slow.body) == ("reading", "")
    assert [done_next(), done_next()] == ["read_at_leisure", "read_resource"]
    slow.refresh_from_db()
    assert (slow.status, slow.body) == ("ready", "The pump is checked each spring.")


def test_what_takes_too_long_even_then_has_failed(ada, monkeypatch):
    monkeypatch.setattr(reading, "QUICK_SECONDS", 0.01)
    monkeypatch.setattr(reading, "SECONDS", 1)
    resource = added(ada, BOMB)
    tasks.read_resource(str(resource.pk))
    done_next()
    resource.refresh_from_db()
    assert (resource.status, resource.error) == ("failed", TOO_SLOW.format(1))
    assert not OrmQ.objects.exists()
    assert not ResourceFile.objects.exists()


def test_others_are_read_beside_it_and_the_next_slow_one_after_it(slow, ada):
    def beside():
        done_next()
        tasks.read_resource(str(other.pk))
        connection.close()

    again = OrmQ.objects.get()
    other = resources.add(user=ada, name="Valve", body="The valve is new.")
    OrmQ.objects.exclude(pk=again.pk).delete()
    with locks.unless_busy("read at leisure"):
        thread = threading.Thread(target=beside)
        thread.start()
        thread.join(30)
    other.refresh_from_db()
    assert other.status == "ready"
    assert done_next() == "read_at_leisure"
    slow.refresh_from_db()
    assert slow.body
