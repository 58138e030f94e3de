"""A person's and a program's day, through the real web server, worker and database."""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest

from tests.processes import BUSY, wait_until

ROOT = Path(__file__).parent.parent
TEACHING = (
    "For future chats: our production EKS cluster runs in eu-west-1, and we deploy "
    "infrastructure with Terraform through GitHub Actions."
)


class Server:
    """`manage.py up` in a data folder of its own."""

    def __init__(self, data_dir):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.env = {
            **{name: value for name, value in os.environ.items() if "DATABASE" not in name},
            "DATA_DIR": str(data_dir),
            "PORT": str(self.port),
            "TALKER_MODEL": "offline",
            "RECALL_TIMEOUT_MS": str(BUSY * 300),  # what is remembered is looked at, not how fast
            "SUMMARY_TRIGGER_MESSAGES": "12",
            "SUMMARY_KEEP_MESSAGES": "4",
            "PYTHONUNBUFFERED": "1",
        }
        self.log = data_dir / "up.log"
        self.process = None
        self.people = []

    def start(self):
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up"],
                cwd=ROOT,
                env=self.env,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until(self.answers, 60, lambda: self.log.read_text())

    def answers(self):
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(BUSY * 10) == 0

    def manage(self, *arguments):
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def person(self, **fields):
        """An API client of a new person."""
        name = fields.pop("username", f"person-{uuid.uuid4().hex[:8]}")
        fields = {"timezone": "Europe/Vienna", **fields}
        create = f"User.objects.create_user({name!r}, **{fields!r})"
        self.manage("shell", "-c", f"from memoryapp.models import User; {create}")
        key = self.manage("create_key", name, "walkthrough").splitlines()[-1]
        self.people.append(Person(self, key))
        return self.people[-1]


class Person:
    def __init__(self, server, key):
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{server.port}/api/v1",
            headers={"Authorization": f"Bearer {key}"},
            timeout=BUSY * 30,
        )

    def get(self, path, **params):
        response = self.http.get(path, params=params)
        assert response.status_code == 200, response.text
        return response.json()

    def say(self, message, **fields):
        response = self.http.post("/chat", json={"message": message, **fields})
        assert response.status_code == 200, response.text
        return response.json()

    def facts(self):
        return self.get("/facts")["items"]

    def learns(self, num_facts):
        wait_until(lambda: len(self.facts()) >= num_facts, 20, lambda: str(self.facts()))
        return self.facts()

    def prompt(self):
        """The receipt of the newest reply of the newest chat."""
        newest = self.get("/chats")["items"][0]["id"]
        return self.get(f"/chats/{newest}/messages")["items"][-1]["receipt"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("data"))
    server.start()
    yield server
    server.stop()
    for person in server.people:
        person.http.close()


def test_what_was_said_in_one_chat_is_known_in_the_next_after_a_restart(server):
    user_42, other = server.person(username="user-42"), server.person()
    user_42.say(TEACHING)
    facts = user_42.learns(2)
    assert len(facts) == 2
    assert all(fact["quote"] in TEACHING for fact in facts)
    server.stop()
    server.start()
    question = "What tools do I use for infrastructure deployments?"
    answer = user_42.say(question)
    used = [memory for memory in answer["receipt"]["memories"] if "Terraform" in memory["text"]]
    assert used
    assert used[0]["score"] > 0
    assert "Terraform" in answer["reply"]
    time.sleep(2)
    assert len(user_42.facts()) == 2
    foreign = other.say(question)
    assert foreign["used_memories"] == []
    assert "Terraform" not in foreign["reply"]


def test_the_api_service_recalls_preferences_and_a_dated_reminder(server):
    sanket = server.person(timezone="UTC")
    zone = ZoneInfo("Asia/Kolkata")
    about = {"user_name": "Sanket", "timezone": "Asia/Kolkata"}
    first = sanket.say(
        "I prefer concise answers and dark UI themes. "
        "Also remind me to ship the Odoo article on Friday.",
        **about,
    )
    facts = sanket.learns(5)
    [task] = [fact for fact in facts if fact["kind"] == "task"]
    due = datetime.fromisoformat(task["due_at"]).astimezone(zone).date()
    today = datetime.now(zone).date()
    assert due.weekday() == 4
    assert today < due <= today + timedelta(days=7) or due == today
    second = sanket.say(
        "What were my preferences again? And help me plan the Odoo article outline.",
        chat_id=first["chat_id"],
        **about,
    )
    used = "\n".join(second["used_memories"])
    for wanted in ("concise answers", "dark UI themes", "Odoo article", "Sanket"):
        assert wanted in used
    assert not second["summary_used"]
    for number in range(6):
        last = sanket.say(f"And what about section {number}?", chat_id=first["chat_id"], **about)
    chat = f"/chats/{first['chat_id']}/messages"
    wait_until(lambda: sanket.get(chat)["items"][0]["role"] == "summary", 20)
    last = sanket.say("Anything else?", chat_id=first["chat_id"], **about)
    assert last["summary_used"]


def test_feedback_changes_the_persona_and_the_administrator_can_edit_it(server):
    person = server.person()
    person.say("Please answer in short bullet points from now on")
    wait_until(lambda: person.get("/prompts")["count"] == 1, 20)
    [prompt] = person.get("/prompts")["items"]
    assert "short bullet points" in prompt["value"]
    person.say("How do I boil an egg?")
    assert prompt["value"] in [used["text"] for used in person.prompt()["prompts"]]


def test_a_fact_that_changes_has_one_current_value_and_a_history(server):
    person = server.person()
    person.say("I live in Berlin.")
    person.learns(1)
    person.say("I moved from Berlin to Vienna")
    wait_until(lambda: [fact["value"] for fact in person.facts()] == ["Vienna"], 20)
    [fact] = person.facts()
    history = person.get(f"/facts/{fact['id']}/history")
    versions = history["items"] if isinstance(history, dict) else history
    assert {version["value"] for version in versions} >= {"Berlin", "Vienna"}


def test_forty_turns_keep_the_prompt_flat_and_lose_nothing(server):
    person = server.person()
    chat = person.say("My bicycle is a green Brompton.")["chat_id"]
    windows, messages = [], f"/chats/{chat}/messages"
    for number in range(1, 40):
        reply = person.say(f"Turn {number}: a remark about the weather, nothing else", chat_id=chat)
        windows.append(reply["receipt"]["window"])
        wait_until(lambda: len(person.get(messages, limit=100)["items"]) <= 12, 20)
    assert max(windows) <= 12
    history = person.get(messages, limit=200)["items"]
    archive = person.get(messages, limit=200, archive="true")["items"]
    assert "green Brompton" not in " ".join(m["body"] for m in history if m["role"] != "summary")
    assert sum(message["role"] != "summary" for message in archive) == 80
    found = person.get("/recall", q="Which bicycle do I have?", kind="turn")
    assert any("green Brompton" in str(memory) for memory in found)


def test_a_first_start_prints_the_administrators_password_once(server):
    log = server.log.read_text()
    assert log.lower().count("password") >= 1
    passwords = [line for line in log.splitlines() if "password" in line.lower()]
    server.stop()
    server.start()
    assert [
        line for line in server.log.read_text().splitlines() if "password" in line.lower()
    ] == passwords
