import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.faults.model import FakeModel
from tests.faults.product import PASSWORD, product


def pytest_collection_modifyitems(items):
    """Begin with the long day: the others happen beside it."""
    items.sort(key=lambda item: item.path.stem != "test_soak")


@pytest.fixture
def note(record_property):
    """Notes what a test has measured, for the end of the run."""
    return record_property


def pytest_terminal_summary(terminalreporter):
    ended = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    numbers = [(report.nodeid, *each) for report in ended for each in report.user_properties]
    if numbers:
        terminalreporter.section("measured")
    for test, what, value in numbers:
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


@pytest.fixture
def sign_in(up):
    """Opens an address as ada, in a browser of her own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def at(address):
            page = browser.new_page(base_url=f"http://localhost:{up.port}")
            page.goto(address)
            page.get_by_label("Username").fill("ada")
            page.get_by_label("Password").fill(PASSWORD)
            page.keyboard.press("Enter")
            return page

        yield at
        browser.close()


@pytest.fixture(autouse=True)
def log_of_each_test(request):
    yield
    if "up" in request.fixturenames:
        request.getfixturevalue("up").tell()
