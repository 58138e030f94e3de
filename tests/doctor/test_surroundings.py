import os
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from memoryapp import checks
from memoryapp.doctor import surroundings
from tests.test_architecture import DOCUMENTED


@pytest.fixture
def base(tmp_path, settings):
    """The folder where .env and requirements.txt stand."""
    settings.BASE_DIR = tmp_path
    return tmp_path


def test_settings_that_are_read_are_well(said, base):
    assert said(surroundings.settings_read) == [("ok", "From the environment.")]


def test_the_names_that_are_known_are_those_of_the_readme():
    assert checks.known_names() == set(DOCUMENTED)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TALKER_MODLE", "TALKER_MODEL"),
        ("OPENAI_APIKEY", "OPENAI_API_KEY"),
        ("openai_api_key", "OPENAI_API_KEY"),
        ("ANTROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        ("DATABSE_URL", "DATABASE_URL"),
    ],
)
def test_a_misspelt_name_is_told_with_what_was_meant(said, base, monkeypatch, name, meant):
    monkeypatch.setenv(name, "sk-secret")

    [(level, says)] = said(surroundings.settings_read)

    assert level == "warning"
    assert says.startswith(
        f"{name} isn't a setting, so it counts for nothing. Did you mean {meant}"
    )
    assert "secret" not in says


@pytest.mark.parametrize("name", ["GROQ_API_KEY", "AZURE_OPENAI_API_KEY", "HOSTNAME", "HOME"])
def test_the_names_of_others_are_left_alone(said, base, monkeypatch, name):
    monkeypatch.setenv(name, "something")

    assert said(surroundings.settings_read) == [("ok", "From the environment.")]


def test_a_line_that_counts_for_nothing_is_told_by_its_number(said, base):
    (base / ".env").write_text("# models\n\nTALKER_MODEL = small\n  \nexport A_NAME=1\n")

    told = said(surroundings.settings_read)

    assert told[0] == (
        "warning",
        f"Line 3 of {base / '.env'} counts for nothing."
        " Write it as NAME=value, without spaces around the =.",
    )


def test_a_value_that_the_environment_outdoes_is_told(said, base, monkeypatch):
    (base / ".env").write_text("WORKERS=4\nSIGNUP='open'\n")
    monkeypatch.setenv("WORKERS", "2")
    monkeypatch.setenv("SIGNUP", "open")

    [(level, says)] = said(surroundings.settings_read)

    assert (level, says.split(" counts")[0]) == ("warning", f"WORKERS in {base / '.env'}")


def test_a_file_of_settings_that_cannot_be_read_is_a_problem(said, base):
    (base / ".env").mkdir()

    [(level, says)] = said(surroundings.settings_read)

    assert level == "problem"
    assert "can't be read (Is a directory), so none of it counts." in says


def test_debugging_where_others_can_come_is_told(said, base, settings):
    settings.DEBUG, settings.SITE_URL = True, "https://chat.example.org"

    [(level, says)] = said(surroundings.settings_read)

    assert (level, says.split(":")[0]) == ("warning", "DEBUG is on at https")


def test_packages_are_those_of_requirements(said, settings):
    [(level, says)] = said(surroundings.packages)

    assert (level, says[:4]) == ("ok", "All ")


def test_a_package_that_is_another_or_missing_is_told(said, base):
    (base / "requirements.txt").write_text(
        "Django==1.0\nnot-there[some]==2.0\n\n# development\nnor-there==1.0\n"
    )

    [(level, says)] = said(surroundings.packages)

    assert level == "warning"
    assert f"Django {version('Django')} instead of 1.0, not-there not at all instead of 2.0" in says
    assert "nor-there" not in says


def test_a_disk_that_fills_up_is_told(said, tmp_path, settings, monkeypatch):
    settings.DATA_DIR = tmp_path
    free = shutil.disk_usage(tmp_path).free
    levels = []
    for full, low in ((0, 0), (0, 2 * free), (2 * free, 2 * free)):
        monkeypatch.setattr(surroundings, "DISK_FULL", full)
        monkeypatch.setattr(surroundings, "DISK_LOW", low)
        levels += [level for level, _ in said(surroundings.data_folder)]

    assert levels == ["ok", "warning", "problem"]


def test_root_is_told_to_be_somebody_else(said, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert [level for level, _ in said(surroundings.account)] == ["warning"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert said(surroundings.account) == [("ok", "An ordinary user.")]


def test_a_folder_that_cannot_be_written_is_a_problem(said, settings):
    settings.DATA_DIR = Path("/proc/self")  # which not even root can write

    [(level, says)] = said(surroundings.data_folder)

    assert level == "problem"
    assert says.startswith("/proc/self can't be written by this account")
