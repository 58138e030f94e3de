import pytest


@pytest.fixture
def said():
    """What a check says, each with its level."""
    return lambda check: [(str(finding.level), finding.says) for finding in check()]
