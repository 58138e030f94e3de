"""What holds for the whole of the code, whoever writes it next."""

import ast
import re
from pathlib import Path

import pytest
from django.utils.module_loading import import_string

ROOT = Path(__file__).resolve().parent.parent
FILES = [
    *sorted((ROOT / "config").rglob("*.py")),
    *(
        path
        for path in sorted((ROOT / "memoryapp").rglob("*.py"))
        if "migrations" not in path.parts
    ),
]
README = (ROOT / "README.md").read_text()
DOCUMENTED = re.findall(r"^\| `([A-Z_]+)` \|", README, re.MULTILINE)

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 45
MAX_SETTINGS = 40

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))


@each_file
def test_a_module_is_short_says_what_it_owns_and_has_short_functions(path):
    source = path.read_text()
    tree = ast.parse(source)
    assert len(source.splitlines()) <= MAX_FILE_LINES
    assert ast.get_docstring(tree) or not tree.body
    assert too_long(tree) == []


def too_long(tree):
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]


@each_file
def test_no_agent_runs_in_an_event_loop_of_its_own(path):
    assert "run_sync(" not in path.read_text()


def read_from_environment():
    """The names of all environment variables that the code reads."""
    pattern = re.compile(
        r"""env\.\w+\(\s*["']([A-Z_]+)|environ(?:\.get\(|\[)["']([A-Z_]+)|\(["']([A-Z_]+_API_KEY)"""
    )
    return {
        next(filter(None, groups)) for path in FILES for groups in pattern.findall(path.read_text())
    }


def test_every_setting_stands_in_the_readme_and_each_one_there_is_read():
    # Docker compose reads one more, for its own PostgreSQL.
    assert sorted(DOCUMENTED) == sorted(read_from_environment() | {"POSTGRES_PASSWORD"})


def test_there_are_fewer_settings_than_anybody_can_lose_track_of():
    assert len(DOCUMENTED) == len(set(DOCUMENTED)) < MAX_SETTINGS


def test_the_defaults_in_the_readme_are_those_of_the_settings():
    settings = (ROOT / "config" / "settings.py").read_text()
    numbers = dict(re.findall(r"""env\.(?:int|float)\("(\w+)", default=([\d_.]+)""", settings))
    documented = dict(re.findall(r"^\| `([A-Z_]+)` \| `(\d+(?:\.\d+)?)`", README, re.MULTILINE))
    assert documented == {name: number.replace("_", "") for name, number in numbers.items()}


def flow():
    """The rows of the flow table in ARCHITECTURE.md, header left out."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = text.split("## The flow", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| \d+ .*\|$", section, re.MULTILINE)


def test_every_name_in_the_flow_table_imports():
    rows = flow()
    assert rows
    for row in rows:
        names = re.findall(r"`(memoryapp\.[\w.]+)`", row)
        assert names, f"names no code: {row}"
        for name in names:
            assert found(name), name


def found(name):
    """What `name` leads to: a module's attribute, or an attribute of a class in one."""
    try:
        return import_string(name)
    except ImportError:
        owner, _, attribute = name.rpartition(".")
        return getattr(import_string(owner), attribute)


def test_every_file_that_architecture_names_exists():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    paths = re.findall(r"`((?:memoryapp|templates|config|static|tests)/[\w./]+)`", text)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


# Who writes facts, prompts and their log, and why it may.
WRITERS = {
    "memoryapp/memory/ledger/rows.py",
    "memoryapp/memory/forgetting.py",  # removes what the ledger wrote
    "memoryapp/memory/log.py",  # what isn't a change
    "memoryapp/demo/seeding.py",  # moves a made-up past back in time
}
WRITES = {"create", "bulk_create", "get_or_create", "update_or_create", "update", "bulk_update"}
REMEMBERED = {"Fact", "Prompt", "MemoryEvent"}


@each_file
def test_only_the_ledger_writes_memory(path):
    writes = writes_to_memory(ast.parse(path.read_text()))
    assert bool(writes) == (str(path.relative_to(ROOT)) in WRITERS), writes


def writes_to_memory(tree):
    """The lines that make, change or delete rows of memory through their models."""
    models = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memoryapp.models")
        for alias in node.names
        if alias.name in REMEMBERED
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id in models)
            or (
                isinstance(node.func, ast.Attribute)
                and node.func.attr in WRITES | {"delete"}
                and models & {each.id for each in ast.walk(node.func) if isinstance(each, ast.Name)}
            )
        )
    ]


def test_a_write_to_memory_is_seen_wherever_it_stands():
    code = """
from memoryapp.models import Fact, MemoryEvent as Entry
Fact(key="city").save()
Fact.objects.for_user(ada).filter(pk=1).update(value="Graz")
Entry.objects.all().delete()
Fact.objects.for_user(ada).count()
"""
    assert sorted(writes_to_memory(ast.parse(code))) == [3, 4, 5]
