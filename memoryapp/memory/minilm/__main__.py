"""`python -m memoryapp.memory.minilm SOCKET`: the model for all who ask there, a thread for each.

What it hears is a text; what it says is a letter, and after it the vector or what is wrong.
"""

import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from threading import Thread

from django.core.exceptions import ImproperlyConfigured

from memoryapp.memory import minilm
from memoryapp.memory.embedder import MOST_WAITING, TROUBLE, VECTOR


def serve(path: str) -> None:
    """Answer for ever. Nobody is let in before the model is there, so that nobody waits for it."""
    answer("")
    Path(path).unlink(missing_ok=True)  # of one that was killed
    with Listener(path, "AF_UNIX", MOST_WAITING) as listener:
        while True:
            Thread(target=converse, args=[listener.accept()], daemon=True).start()


def converse(connection: Connection) -> None:
    with connection, suppress(EOFError, ConnectionError):
        while True:
            connection.send_bytes(answer(connection.recv_bytes().decode()))


def answer(text: str) -> bytes:
    try:
        return VECTOR + minilm.load().embed(text).tobytes()
    except (ImproperlyConfigured, OSError) as error:
        return TROUBLE + str(error).encode()


if __name__ == "__main__":
    serve(sys.argv[1])
