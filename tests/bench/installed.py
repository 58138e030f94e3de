"""How much the application brings along, without the tools of development."""

from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"


def megabytes() -> float:
    """Of all packages that `make run` installs, with all that these need."""
    runtime = REQUIREMENTS.read_text().partition("# development")[0]
    lines = [line for line in runtime.splitlines() if line and not line.startswith("#")]
    seen: set[tuple[str, str]] = set()
    for line in lines:
        visit(Requirement(line), seen)
    return sum(map(size, {name for name, _ in seen})) / 1e6


def visit(requirement: Requirement, seen: set[tuple[str, str]]) -> None:
    """Note a package, and what it needs, for each of its extras that is asked for."""
    for extra in ("", *requirement.extras):
        if (key := (requirement.name.lower(), extra)) in seen:
            continue
        seen.add(key)
        for text in distribution(requirement.name).requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                visit(needed, seen)


def size(name: str) -> int:
    files = [Path(str(file.locate())) for file in distribution(name).files or []]
    return sum(file.stat().st_size for file in files if file.is_file())
