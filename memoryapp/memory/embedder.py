"""The built-in embedding model: in a process beside this one if there is such, else in this one.

`manage.py up` starts that process (`python -m memoryapp.memory.minilm`) and tells the others where
it is, so that none of them has to hold the model. Who has not been told loads it.
"""

import os
import socket
from contextlib import suppress
from functools import lru_cache
from multiprocessing.connection import Connection

import numpy as np
from django.core.exceptions import ImproperlyConfigured

SOCKET = "EMBEDDER_SOCKET"  # in the environment: where the process is
MOST_WAITING = 128  # to be let in
VECTOR, TROUBLE = b"v", b"t"  # how an answer begins


class Away(Exception):
    """The process beside doesn't answer. If it has ended, it is being started again."""


def embed(text: str, seconds: float) -> np.ndarray:
    """What `MiniLM.embed` makes of it. Raises Away, ImproperlyConfigured or OSError.

    `seconds` is how long another process may take. In this one the first text waits for the model.
    """
    if path := os.environ.get(SOCKET):
        return beside(path).embed(text, seconds)
    from memoryapp.memory import minilm

    return minilm.load().embed(text)


class Embedder:
    """The process beside, asked by any number of threads, each over a connection that is free."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.free: list[Connection] = []
        # A forked worker would hear what its parent was answered.
        os.register_at_fork(after_in_child=self.free.clear)

    def embed(self, text: str, seconds: float) -> np.ndarray:
        try:
            answer = self.ask(text.encode(), seconds)
        except (OSError, EOFError) as error:
            raise Away from error
        if answer[:1] == TROUBLE:
            raise ImproperlyConfigured(answer[1:].decode())
        return np.frombuffer(answer[1:], np.float32)

    def ask(self, question: bytes, seconds: float) -> bytes:
        while self.free:
            # Another thread may take it, and its process may have been started again since.
            with suppress(IndexError, ConnectionError, EOFError):
                return self.ask_over(self.free.pop(), question, seconds)
        return self.ask_over(connected(self.path, seconds), question, seconds)

    def ask_over(self, connection: Connection, question: bytes, seconds: float) -> bytes:
        try:
            connection.send_bytes(question)
            if not connection.poll(seconds):
                raise TimeoutError
            answer = connection.recv_bytes()
        except BaseException:
            connection.close()  # what is answered too late is nobody's
            raise
        self.free.append(connection)
        return answer


def connected(path: str, seconds: float) -> Connection:
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(seconds)
        end.connect(path)
        end.setblocking(True)
        return Connection(end.detach())


@lru_cache(maxsize=1)
def beside(path: str) -> Embedder:
    return Embedder(path)
