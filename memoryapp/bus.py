"""The bus, by which pages are told what happens: whom a group reaches, and how it is told."""

import json
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import connection, transaction

from memoryapp.channel_layer import TOPIC, Message, PostgresChannelLayer, packed

logger = logging.getLogger(__name__)


def chat_group(chat_id: uuid.UUID | str) -> str:
    """The group that hears all that happens in a chat."""
    return f"chat.{chat_id}"


def person_group(user_id: int) -> str:
    """The group that hears what every page of a person shows, whichever chat it is of."""
    return f"person.{user_id}"


def reply_group(reply_id: uuid.UUID | str) -> str:
    """The group that hears what is asked of the process that writes a reply."""
    return f"reply.{reply_id}"


@contextmanager
def unless_bus_is_away(failure: str) -> Iterator[None]:
    """Ask of the bus what can be done without; the log is told of a `failure`."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - each layer has errors of its own
        logger.debug("%s: %s", failure, error)


def publish(group: str, message: Message) -> None:
    """Send to a group from synchronous code, when the current transaction commits."""
    layer = get_channel_layer()
    if not isinstance(layer, PostgresChannelLayer):
        # What was committed is done, whether or not the page could be told.
        transaction.on_commit(lambda: async_to_sync(layer.group_send)(group, message), robust=True)
        return
    with connection.cursor() as cursor:
        for payload in packed([json.dumps([group, True, message])]):
            cursor.execute("select pg_notify(%s, %s)", [TOPIC, payload])
