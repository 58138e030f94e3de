"""Everything as `manage.py up` runs it, a person who talks to it, and a look into its rows."""

import json
import shutil
import signal
import subprocess
import threading
import time
import uuid
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from memoryapp import embedded_postgres
from tests.processes import free_port, manage, running, short_folder, wait_until

PASSWORD = "a-long-password"
PERSON = f"""
from memoryapp.models import User
User.objects.create_user("ada", password="{PASSWORD}", timezone="UTC")
"""


class Product:
    def __init__(self, up, data_dir, port, environment):
        self.up, self.data_dir, self.port = up, data_dir, port
        self.environment = environment
        # One for all threads. To make one takes 20 ms, and fifty readers that reconnect twice a
        # second would keep a processor busy with that alone.
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{port}/api/v1",
            timeout=90,
            limits=httpx.Limits(max_connections=None),
        )

    def begin(self):
        """Wait until all is there, and let Ada in."""
        wait_until(self.is_ready, 90)
        manage("shell", "-c", PERSON, **self.environment)
        key = manage("create_key", "ada", "faults", **self.environment).stdout.split()[-1]
        self.http.headers["Authorization"] = f"Bearer {key}"

    def tell(self):
        """Print what its processes have said since the last time; pytest shows it on a failure."""
        print(self.up.printed)  # noqa: T201
        self.up.forget_printed()

    def is_ready(self):
        return self._says_yes("/readyz")

    @property
    def web(self):
        return self.up.child("uvicorn")

    @property
    def worker(self):
        """Its processes' parent."""
        return self.up.child("qcluster")

    @property
    def postgres(self):
        return embedded_postgres.postmaster(self.data_dir / "postgres")

    @property
    def is_answering(self):
        return self._says_yes("/healthz")

    def _says_yes(self, path):
        with suppress(httpx.TransportError):
            return self.http.get(self.http.base_url.join(path), timeout=10).is_success
        return False

    def rows(self, sql, *params):
        uri = embedded_postgres.uri(self.data_dir / "postgres")
        with psycopg.connect(uri) as connection:
            return connection.execute(sql, params).fetchall()

    def value(self, sql, *params):
        return self.rows(sql, *params)[0][0]

    def num_rows(self):
        """How many rows each table has."""
        tables = self.rows("select tablename from pg_tables where schemaname = 'public'")
        return {name: self.value(f'select count(*) from "{name}"') for (name,) in tables}

    def num_streaming(self):
        return self.value("select count(*) from memoryapp_message where status = 'streaming'")

    def num_waiting(self):
        """How many background tasks wait or are being worked on."""
        return self.value("select count(*) from django_q_ormq")

    def replies(self, chat):
        """(status, body) of each reply in a chat, oldest first."""
        return self.rows(
            "select status, body from memoryapp_message where chat_id = %s"
            " and role = 'assistant' order by created_at",
            chat,
        )

    def num_asked(self, chat):
        return self.value(
            "select count(*) from memoryapp_message where chat_id = %s and role = 'user'", chat
        )

    def learned(self):
        """How often each fact was learned, and how many current values it has."""
        return {
            key: (events, current)
            for key, events, current in self.rows(
                "select e.key, count(*), (select count(*) from memoryapp_fact f"
                " where f.key = e.key and f.valid_to is null)"
                " from memoryapp_memoryevent e where e.action = 'added' group by e.key"
            )
        }

    def make_chat(self):
        made = self.http.post("/chats", json={})
        assert made.status_code == 201, made.text
        return made.json()["id"]

    def say(self, chat, body, id=None):
        asked = Asked(self, chat, body, id or str(uuid.uuid4()))
        asked.start()
        return asked

    def begin_replies(self, number, answer):
        """So many replies that stream, each with some words in its row."""
        chats = [self.make_chat() for _ in range(number)]
        asked = [self.say(chat, f"Question {n} {answer}") for n, chat in enumerate(chats)]
        partly = "select count(*) from memoryapp_message where status = 'streaming' and body <> ''"
        wait_until(lambda: self.value(partly) == number, 90)
        return asked


class Asked(threading.Thread):
    """A question whose answer is read as it streams, as a program would that reconnects."""

    def __init__(self, product, chat, body, id):
        super().__init__(daemon=True)
        self.product, self.chat, self.id = product, chat, id
        self.sent = {"body": body, "id": id}
        self.text, self.end, self.reply = "", "", ""
        self.refused = ""

    def run(self):
        deadline = time.monotonic() + 120
        while not self.end and time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                self._listen()
            if not self.end:
                time.sleep(0.5)

    def _listen(self):
        path = f"/chats/{self.chat}/messages"
        how = {"json": self.sent, "headers": {"Accept": "text/event-stream"}}
        if self.reply:
            path, how = f"/messages/{self.reply}/stream?after={len(self.text)}", {}
        method = "GET" if self.reply else "POST"
        with self.product.http.stream(method, path, timeout=30, **how) as response:
            if response.status_code == 200:
                for name, data in events(response.iter_lines()):
                    self._hear(name, data)
            else:
                self.refused = f"{response.status_code} {response.read().decode()}"
                time.sleep(float(response.headers.get("Retry-After", 0)))

    def _hear(self, name, data):
        if name == "message":
            self.reply = data["id"]
        elif name == "delta":
            assert data["offset"] == len(self.text), "a gap or a repetition"
            self.text += data["text"]
        elif name in ("done", "error"):
            self.end = name if name == "done" else data["code"]

    def ended(self):
        self.join(120)
        assert self.end, f"no end after {self.text!r}; last refused with {self.refused!r}"
        return self.end


def events(lines):
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


@contextmanager
def product(model, *arguments, **environment):
    """A product of its own, with this model; stopped with all its processes."""
    given = environment.get("DATA_DIR")
    with nullcontext(Path(given)) if given else short_folder() as data_dir:
        port = free_port()
        environment = {
            "DATABASE_URL": "",
            "DATA_DIR": str(data_dir),
            "PORT": str(port),
            "TALKER_MODEL": "openai-chat:fake",
            "EXTRACTOR_MODEL": "openai-chat:fake",
            "SUMMARIZER_MODEL": "offline",
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "none",
            **environment,
        }
        with running("manage.py", "up", *arguments, **environment) as up:
            running_product = Product(up, data_dir, port, environment)
            try:
                running_product.begin()
                yield running_product
                running_product.http.close()
            finally:
                if up.process.poll() is None:
                    up.stop()
                running_product.tell()
                embedded_postgres.stop(data_dir / "postgres")


@contextmanager
def redis(port):
    """A Redis that keeps nothing."""
    if not shutil.which("redis-server"):
        pytest.skip("redis-server isn't installed")
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            yield server
        finally:
            server.terminate()


def kill(process, how=signal.SIGKILL):
    with suppress(psutil.NoSuchProcess):
        process.send_signal(how)
