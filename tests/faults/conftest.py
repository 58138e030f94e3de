import pytest

from tests.faults.model import FakeModel
from tests.faults.product import product

NUMBERS: list[tuple[str, str, float]] = []


@pytest.fixture
def note(request):
    """Notes what a test has measured, for the end of the run."""
    return lambda what, value: NUMBERS.append((request.node.name, what, value))


def pytest_terminal_summary(terminalreporter):
    if NUMBERS:
        terminalreporter.section("measured")
    for test, what, value in NUMBERS:
        number = f"{value:.2f}" if isinstance(value, float) else value
        terminalreporter.write_line(f"{test}: {what}: {number}")


@pytest.fixture(scope="module")
def model():
    with FakeModel() as model:
        yield model


@pytest.fixture(scope="module")
def up(model):
    """One web process, a worker and PostgreSQL, which a module's tests share and kill in turn."""
    with product(model) as up:
        yield up


@pytest.fixture(autouse=True)
def log_of_each_test(request):
    yield
    if "up" in request.fixturenames:
        request.getfixturevalue("up").tell()
