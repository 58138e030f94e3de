import ast
import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from memoryapp import embedded_postgres, probe
from memoryapp.management.commands import evaluate_memory
from tests.processes import free_port, running, short_folder, wait_until

SECRETS = {"POSTGRES_PASSWORD": "secret", "SITE_URL": "https://chat.example.org", "PORT": "8123"}


def read(name):
    return (Path(settings.BASE_DIR) / name).read_text()


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL that the application neither starts nor stops."""
    with short_folder() as folder:
        embedded_postgres.start(folder / "postgres", is_durable=False)
        yield embedded_postgres.uri(folder / "postgres")
        embedded_postgres.stop(folder / "postgres")


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load(read("docker-compose.yml"))["services"]


def compose():
    """Docker's own reader of the file, as a plugin or the older program; a client is enough."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if (
            shutil.which(command[0])
            and not subprocess.run([*command, "version"], capture_output=True).returncode
        ):
            return command
    pytest.skip("Docker Compose isn't here, so docker-compose.yml was read as YAML only")


def test_docker_reads_the_compose_file(tmp_path):
    for name in ("docker-compose.yml", "Dockerfile"):
        shutil.copy(Path(settings.BASE_DIR) / name, tmp_path)
    lines = [f"{name}={value}" for name, value in SECRETS.items()]
    (tmp_path / ".env").write_text("\n".join(lines))

    outcome = subprocess.run([*compose(), "config"], cwd=tmp_path, capture_output=True, text=True)

    assert outcome.returncode == 0, outcome.stderr
    services = yaml.safe_load(outcome.stdout)["services"]
    assert services["web"]["environment"]["SITE_URL"] == "https://chat.example.org"
    assert services["web"]["environment"]["HOST"] == "0.0.0.0"
    assert services["worker"]["healthcheck"]["test"][-1] == "http://web:8123/readyz"
    assert ":secret@postgres:5432/" in services["worker"]["environment"]["DATABASE_URL"]


def test_docker_asks_for_a_password_that_is_not_set(tmp_path):
    shutil.copy(Path(settings.BASE_DIR) / "docker-compose.yml", tmp_path)
    shutil.copy(Path(settings.BASE_DIR) / ".env.example", tmp_path / ".env")

    outcome = subprocess.run([*compose(), "config"], cwd=tmp_path, capture_output=True, text=True)

    assert outcome.returncode != 0
    assert "Set POSTGRES_PASSWORD in .env" in outcome.stderr


def test_each_service_has_a_health_check_and_only_the_web_server_a_port(services):
    assert "HEALTHCHECK" in read("Dockerfile")  # of the web server, which adds none of its own
    assert "healthcheck" in services["worker"]
    assert "healthcheck" in services["postgres"]
    assert [name for name, service in services.items() if "ports" in service] == ["web"]


def test_every_image_has_its_version(services):
    base = re.search("^FROM (.*)$", read("Dockerfile"), re.MULTILINE)[1]

    assert re.search(r":\d", base)
    assert re.search(r":\d", services["postgres"]["image"])


def test_the_image_does_not_run_as_root_and_keeps_its_data_in_one_volume():
    dockerfile = read("Dockerfile")

    assert re.findall("^USER (.*)$", dockerfile, re.MULTILINE) == ["memoryapp"]
    assert re.findall("^VOLUME (.*)$", dockerfile, re.MULTILINE) == ["/data"]


def is_in_the_image(path):
    """As Docker reads .dockerignore: the last line that names it, or a folder above, counts."""
    counts = [
        line
        for line in read(".dockerignore").splitlines()
        if any(fnmatch(str(each), line.removeprefix("!")) for each in (path, *path.parents))
    ]
    return not counts or counts[-1].startswith("!")


def test_what_a_command_reads_is_in_the_image_and_tests_are_not():
    parser = evaluate_memory.Command().create_parser("manage.py", "evaluate_memory")
    scenarios = parser.get_default("scenarios").relative_to(settings.BASE_DIR)

    assert is_in_the_image(scenarios / "junk.yaml")
    assert is_in_the_image(Path("requirements.txt"))
    assert not is_in_the_image(Path("tests/test_turns.py"))
    assert not is_in_the_image(Path(".env"))


def test_the_image_starts_web_worker_and_a_database_of_its_own():
    command = ast.literal_eval(re.search(r"^CMD (\[.*)$", read("Dockerfile"), re.MULTILINE)[1])
    port = free_port()
    with short_folder() as data_dir:
        environment = {"DATABASE_URL": "", "DATA_DIR": str(data_dir), "PORT": str(port)}
        with running(*command[1:], HOST="0.0.0.0", **environment) as everything:
            everything.wait_for("Ready to chat: ")
            wait_until(lambda: probe.answers("127.0.0.1", port, "/readyz"))


def test_web_and_worker_run_apart_on_a_database_of_their_own(services, postgres, tmp_path):
    web, worker = (services[name]["command"] for name in ("web", "worker"))
    port = free_port()
    environment = {"DATABASE_URL": postgres, "DATA_DIR": str(tmp_path), "PORT": str(port)}
    with running(*web[1:], **environment) as server:
        server.wait_for("Ready to chat: ")
        assert "The first administrator is made" in server.printed
        assert not probe.answers("127.0.0.1", port, "/readyz")

        with running(*worker[1:], **environment):
            wait_until(lambda: probe.answers("127.0.0.1", port, "/readyz"))


def test_every_setting_of_the_example_is_one_that_is_read():
    named = set(re.findall("^#?([A-Z_]+)=", read(".env.example"), re.MULTILINE))
    read_by_us = set(re.findall(r'env\.\w+\("([A-Z_]+)"', read("config/settings.py")))
    by_compose = {"POSTGRES_PASSWORD"}
    by_providers = {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"}

    assert named <= read_by_us | by_compose | by_providers
