"""Two people with nothing in common, a chat with history, and no real model anywhere."""

import os

import pytest
from channels.layers import get_channel_layer
from django.db import OperationalError, connection, transaction
from django.test import TransactionTestCase
from psycopg.errors import DeadlockDetected
from pydantic_ai import models as pydantic_ai_models

from memoryapp import replies
from memoryapp.models import Chat, Message, User
from tests.tabs import Tab, join

pydantic_ai_models.ALLOW_MODEL_REQUESTS = False


def pytest_collection_modifyitems(items):
    """Run the browser's tests last: Playwright keeps an event loop running in the main thread
    from then on, and async tests need to run their own."""
    items.sort(key=lambda item: "browser" in item.path.parts)


@pytest.fixture(scope="session")
def django_db_modify_db_settings():
    connection.settings_dict["TEST"]["NAME"] = f"test_run_{os.getpid()}"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """At the end, cut the connections that threads of async tests still hold."""
    yield
    name = connection.settings_dict["NAME"]
    with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
        cursor.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name]
        )


MIGRATED = {"django_content_type", "auth_permission"}  # rows that migrating has made


@pytest.fixture(scope="session", autouse=True)
def cheap_flush():
    """Empty the tables after a test as Django does, once nobody else writes to them. But truncating
    takes long however few the rows are, and so does making permissions anew."""

    def empty(test):
        names = set(connection.introspection.django_table_names(only_existing=True)) - MIGRATED
        tables = [connection.ops.quote_name(name) for name in sorted(names)]
        deletes = "; ".join(f"delete from {table}" for table in tables)
        while True:
            try:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(f"lock table {', '.join(tables)}; {deletes}")
                return
            except OperationalError as error:
                # What the test has left running holds one of them and wants another.
                if not isinstance(error.__cause__, DeadlockDetected):
                    raise

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(autouse=True)
def cheap_passwords(settings):
    """Hashes that cost nothing: a slow one would be most of what a test does."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def offline_models(settings):
    """No key and no Ollama of this machine decides what a test does."""
    settings.TALKER_MODEL = settings.EXTRACTOR_MODEL = settings.SUMMARIZER_MODEL = "offline"


@pytest.fixture
def ada(db):
    return User.objects.create_user("ada", password="a-long-password", first_name="Ada")


@pytest.fixture
def ben(db):
    return User.objects.create_user("ben", password="a-long-password", first_name="Ben")


@pytest.fixture
def chat(ada):
    """A chat of Ada's with one finished turn."""
    chat = Chat.objects.create(user=ada)
    chat.add_message(Message.Role.USER, "Hello there")
    chat.add_message(Message.Role.ASSISTANT, "Good morning.")
    return chat


@pytest.fixture
async def tabs():
    """Opens tabs; they are closed and replies ended with the test."""
    opened = []

    async def open_tab(user, chat):
        opened.append(Tab(user, chat.pk))
        assert await opened[-1].connect()
        await join(opened[-1], chat)
        # What is read after it shows that it was read.
        await opened[-1].send(action="nonsense")
        await opened[-1].until("be read")
        return opened[-1]

    yield open_tab
    for tab in opened:
        # A tab that a failed test gave up on has ended already.
        if not tab.app.future.done():
            await tab.close()
    await replies.drain()
    await get_channel_layer().flush()
